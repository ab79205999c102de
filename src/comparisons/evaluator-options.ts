import { isDeepStrictEqual } from 'node:util'
import { type ConfiguredEvaluator, configuredEvaluators } from '../annotations/configured-evaluators.ts'

/** By the name of an evaluator, what the config of an evaluation says of it; nothing of those that it does not name. */
export type EvaluatorOptions = ReadonlyMap<string, ConfiguredEvaluator['options']>

export function readEvaluatorOptions(config: string | null): EvaluatorOptions {
  const evaluators = config === null ? undefined : configuredEvaluators(config)
  return new Map((evaluators ?? []).map(({ name, options }) => [name, options]))
}

/**
 * A sentence if two evaluations measure the same with different instruments: another line to pass, other instructions, another model.
 * Then the runs may be alike and the instruments differ, which no number shows.
 */
export function differentOptions(name: string, before: EvaluatorOptions, after: EvaluatorOptions): string | null {
  const [one, other] = [before.get(name), after.get(name)]
  if (!one || !other) return null
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort()
  const different = keys.filter((key) => !isDeepStrictEqual(one[key], other[key]))
  if (different.length === 0) return null
  return `The two evaluations set ${different.join(', ')} of ${name} differently, so the difference may come from that.`
}
