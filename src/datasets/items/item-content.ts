import { badRequest } from '../../base/errors.ts'
import type { TraceContent } from '../../traces/trace-contents.ts'
import type { Split } from '../splits/split.ts'

/** The content of an item as it is stored: text, or JSON as text. */
export type ItemContent = {
  traceRef: string | null
  input: string | null
  output: string | null
  expected: string | null
  /** The JSON text of an object. */
  metadata: string | null
  split: Split | null
  /** Of a case: see `cases/case-content.ts`. */
  caseIndex?: number | null
  caseForm?: number | null
}

/** The limit of a trace's content, so that an item can store all of it. In UTF-16 code units, as for traces. */
export const CONTENT_LENGTH_MAX = 1 << 20

type ItemTexts = Pick<ItemContent, 'input' | 'output' | 'expected' | 'metadata'>

/** The first field that exceeds the limit. */
export function overlongField(texts: Partial<ItemTexts>) {
  const fields = ['input', 'output', 'expected', 'metadata'] as const
  return fields.find((name) => (texts[name]?.length ?? 0) > CONTENT_LENGTH_MAX)
}

/** `prefix` identifies the item among several. */
export function rejectOverlong(texts: Partial<ItemTexts>, prefix = ''): void {
  const field = overlongField(texts)
  if (field) throw badRequest(`The field ${prefix}${field} must have at most ${CONTENT_LENGTH_MAX} characters`)
}

/**
 * An item follows its trace until the root has provided the content, or a user has set it. The bits of `provisional` define which fields
 * follow. They alone decide whether a text may be replaced, because a user may have removed an absent text.
 */
export const FOLLOWS_INPUT = 1
export const FOLLOWS_OUTPUT = 2

/** The fields that still follow the trace after this content; all fields while the trace has not arrived. */
export function followsOf(content: Pick<TraceContent, 'rootHas'> | undefined): number {
  return (content?.rootHas.input ? 0 : FOLLOWS_INPUT) | (content?.rootHas.output ? 0 : FOLLOWS_OUTPUT)
}
