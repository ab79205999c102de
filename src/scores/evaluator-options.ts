import { isDeepStrictEqual } from 'node:util'
import { type ConfiguredEvaluator, configuredEvaluators } from './configured-evaluators.ts'

/** By the name of an evaluator, what the config of an evaluation says of it; undefined of those that it does not name. */
export type EvaluatorOptions = (name: string) => ConfiguredEvaluator['options'] | undefined

/** They ask whatever model the evaluation names as a whole. A slice to the right defines them, and a test keeps the two together. */
export const MODEL_EVALUATORS: readonly string[] = [
  'llmJudge',
  'comparisonJudge',
  'referenceJudge',
  'pairwise',
  'classify',
  'embeddingSimilarity',
]

export function readEvaluatorOptions(config: string | null): EvaluatorOptions {
  if (config === null) return () => undefined
  const evaluators = configuredEvaluators(config)
  // The usual ones have the names of their types, and nothing set.
  if (!evaluators) return (name) => ({ type: name })
  const { provider }: { provider?: unknown } = Object(JSON.parse(config))
  const known = new Map(
    evaluators.map(({ name, options }) => {
      return [name, MODEL_EVALUATORS.includes(String(options.type)) ? { ...options, provider } : options]
    }),
  )
  return (name) => known.get(name)
}

/** What to keep in mind about a metric of two evaluations; null if nothing. */
export function warningAbout(name: string, before: EvaluatorOptions, after: EvaluatorOptions): string | null {
  const [one, other] = [before(name), after(name)]
  if (!one || !other) return null
  const isF1 = one.type === 'f1' || other.type === 'f1'
  const warnings = [
    differentOptions(name, one, other),
    isF1 ? `${name} is compared by the share of right labels; the macro F1 of each run is in its evaluation.` : null,
  ].filter((warning) => warning !== null)
  return warnings.length === 0 ? null : warnings.join(' ')
}

type Options = ConfiguredEvaluator['options']

/**
 * A message if two evaluations measure the same with different instruments: another line to pass, other instructions, another model.
 * Then the runs may be alike and the instruments differ, which no number shows.
 */
function differentOptions(name: string, one: Options, other: Options): string | null {
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort()
  const different = keys.filter((key) => !isDeepStrictEqual(one[key], other[key]))
  if (different.length === 0) return null
  return `The two evaluations set ${different.join(', ')} of ${name} differently, so the difference may come from that.`
}
