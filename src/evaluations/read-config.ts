import { ConfigError, type Evaluator } from './evaluators/evaluator.ts'
import { humanRating } from './evaluators/human-rating.ts'
import { TRACE_CONTENT_TYPES, traceContent } from './evaluators/trace-content.ts'

const EVALUATORS_MAX = 50
const NAME_LENGTH_MAX = 200

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
