import { isUuid } from '../base/ids.ts'
import { ConfigError, type Evaluator } from './evaluators/evaluator.ts'
import { humanRating } from './evaluators/human-rating.ts'
import { TRACE_CONTENT_TYPES, traceContent } from './evaluators/trace-content.ts'

const EVALUATORS_MAX = 50
const NAME_LENGTH_MAX = 200
const REPETITIONS_MAX = 100
const CONCURRENCY_MAX = 100

/** Refuses what makes no sense in the keys that are known. Whatever else `config` holds is left alone. */
export function checkConfig(config: Record<string, unknown>): void {
  const { provider, repetitions, concurrency, baselineRunId, gate, maxCostUsd } = config
  if (provider !== undefined && !isText(provider))
    throw new ConfigError('config.provider must be the name of a connection')
  if (repetitions !== undefined && !isCount(repetitions, REPETITIONS_MAX)) {
    throw new ConfigError(`config.repetitions must be a whole number from 1 to ${REPETITIONS_MAX}`)
  }
  if (concurrency !== undefined && !isCount(concurrency, CONCURRENCY_MAX)) {
    throw new ConfigError(`config.concurrency must be a whole number from 1 to ${CONCURRENCY_MAX}`)
  }
  if (baselineRunId !== undefined && !(isText(baselineRunId) && isUuid(baselineRunId))) {
    throw new ConfigError('config.baselineRunId must be the id of a run')
  }
  if (maxCostUsd !== undefined && !(typeof maxCostUsd === 'number' && maxCostUsd > 0)) {
    throw new ConfigError('config.maxCostUsd must be a number above 0')
  }
  if (gate !== undefined) checkGate(gate)
}

function checkGate(gate: unknown): void {
  if (typeof gate !== 'object' || gate === null || Array.isArray(gate))
    throw new ConfigError('config.gate must be an object')
  const { metric, margin }: Record<string, unknown> = { ...gate }
  if (!isText(metric)) throw new ConfigError('config.gate.metric must be the name of an evaluator')
  if (margin !== undefined && !(typeof margin === 'number' && margin >= 0)) {
    throw new ConfigError('config.gate.margin must be a number of at least 0')
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isCount(value: unknown, most: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most
}

/**
 * Reads the evaluators out of an evaluation's `config`. Unknown keys are left alone; a known one that makes no sense throws a
 * sentence that names it. Without any, every evaluator is used that needs nothing to be told.
 */
export function readEvaluators(config: Record<string, unknown>): Evaluator[] {
  const { evaluators } = config
  if (evaluators === undefined) return [humanRating('humanRating', {}, 'config')]
  if (!Array.isArray(evaluators) || evaluators.length === 0) {
    throw new ConfigError('config.evaluators must be a list of at least one evaluator')
  }
  if (evaluators.length > EVALUATORS_MAX)
    throw new ConfigError(`config.evaluators has more than ${EVALUATORS_MAX} entries`)
  const read = evaluators.map((entry, place) => readEvaluator(entry, `config.evaluators[${place}]`))
  const twice = read.find(({ name }, place) => read.findIndex((other) => other.name === name) !== place)
  if (twice)
    throw new ConfigError(`config.evaluators has two entries named ${twice.name}; give one of them another name`)
  return read
}

function readEvaluator(entry: unknown, key: string): Evaluator {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    throw new ConfigError(`${key} must be an object`)
  const config: Record<string, unknown> = { ...entry }
  const { type, name = type } = config
  if (typeof type !== 'string') throw new ConfigError(`${key}.type must be the name of an evaluator`)
  if (typeof name !== 'string' || name === '' || name.length > NAME_LENGTH_MAX) {
    throw new ConfigError(`${key}.name must be a text of 1 to ${NAME_LENGTH_MAX} characters`)
  }
  if (type === 'humanRating') return humanRating(name, config, key)
  if (TRACE_CONTENT_TYPES.includes(type)) return traceContent(name)
  throw new ConfigError(`${key}.type: there is no evaluator ${JSON.stringify(type.slice(0, 100))}`)
}
