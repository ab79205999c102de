import { badRequest } from '../base/errors.ts'
import type { TraceContent } from '../traces/trace-contents.ts'

/** What an item says, as it is kept: texts, or JSON as text. */
export type ItemContent = {
  traceRef: string | null
  input: string | null
  output: string | null
  expected: string | null
  /** The JSON text of an object. */
  metadata: string | null
}

/** As long as what a trace may tell, so that an item can keep all of it. In UTF-16 code units, which is what is counted there. */
export const CONTENT_LENGTH_MAX = 1 << 20

export type ItemTexts = Omit<ItemContent, 'traceRef'>

/** The first field that says more than an item can keep. */
export function overlongField(texts: Partial<ItemTexts>): keyof ItemTexts | undefined {
  const fields = ['input', 'output', 'expected', 'metadata'] as const
  return fields.find((name) => (texts[name]?.length ?? 0) > CONTENT_LENGTH_MAX)
}

/** `prefix` says which of several items it is. */
export function rejectOverlong(texts: Partial<ItemTexts>, prefix = ''): void {
  const field = overlongField(texts)
  if (field) throw badRequest(`The field ${prefix}${field} must have at most ${CONTENT_LENGTH_MAX} characters`)
}

/**
 * An item follows its trace until the root has told what it keeps, or a person has. The bits of `provisional` say in what: they alone
 * decide whether a text may be replaced, because a text that is not there may have been taken away on purpose.
 */
export const FOLLOWS_INPUT = 1
export const FOLLOWS_OUTPUT = 2

/** What is still to be followed after taking this; everything while the trace has not arrived. */
export function followsOf(content: Pick<TraceContent, 'rootTells'> | undefined): number {
  return (content?.rootTells.input ? 0 : FOLLOWS_INPUT) | (content?.rootTells.output ? 0 : FOLLOWS_OUTPUT)
}
