/**
 * What a row of a list shows of the spans of its trace: the models with the basis of the costs, and the beginnings of the question and the
 * answer. Stored with the trace as JSON and sent as it is stored, so that a list of traces reads no spans.
 */
import { shortened } from './query/query-error.ts'

export type ModelSummary = { models: string[]; costBasis: string | null }

/** A trace with longer names is not summarized, because its row would become too large. */
const MODEL_SUMMARY_LENGTH_MAX = 2_000

const SEVERAL_BASES = 'mixed'

export function summarizeModels(spans: Iterable<{ model: string | null; costBasis: string | null }>): ModelSummary {
  const models = new Set<string>()
  let costBasis: string | null = null
  for (const span of spans) {
    if (span.model !== null) models.add(span.model)
    costBasis = commonBasis(costBasis, span.costBasis)
  }
  return { models: [...models].sort(), costBasis }
}

function commonBasis(a: string | null, b: string | null): string | null {
  if (a === null || b === null || a === b) return a ?? b
  return SEVERAL_BASES
}

/** Null if it is too long to be stored. */
export function writeModelSummary({ models, costBasis }: ModelSummary): string | null {
  const json = JSON.stringify({ models, costBasis })
  return json.length > MODEL_SUMMARY_LENGTH_MAX ? null : json
}

/** The summary of a trace that got more spans. Unknown stays unknown. */
export function mergeModelSummary(stored: string | null, { models, costBasis }: ModelSummary): string | null {
  if (stored === null) return null
  const known: ModelSummary = JSON.parse(stored)
  return writeModelSummary({
    models: [...new Set([...known.models, ...models])].sort(),
    costBasis: commonBasis(known.costBasis, costBasis),
  })
}

/** The summary of a trace whose costs were computed again. */
export function withCostBasis(stored: string | null, spans: Iterable<{ costBasis: string | null }>): string | null {
  if (stored === null) return null
  let costBasis: string | null = null
  for (const span of spans) costBasis = commonBasis(costBasis, span.costBasis)
  const { models }: ModelSummary = JSON.parse(stored)
  return writeModelSummary({ models, costBasis })
}

const PREVIEW_LENGTH_MAX = 200
/** White space is shortened, so more may be needed than is shown. */
export const READ_LENGTH_MAX = 2_000

export type Preview = { input: string | null; output: string | null }

/** The beginning of a text, with white space shortened. */
export function previewOf(text: string | null): string | null {
  if (text === null) return null
  return shortened(shortened(text, READ_LENGTH_MAX).replace(/\s+/g, ' ').trim(), PREVIEW_LENGTH_MAX)
}

export function writePreview({ input, output }: Preview): string {
  return JSON.stringify({ input: previewOf(input), output: previewOf(output) })
}
