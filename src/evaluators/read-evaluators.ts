import { Ajv, type ValidateFunction } from 'ajv'
import { distance } from 'fastest-levenshtein'
import { yieldToEventLoop } from '../base/event-loop.ts'
import { invalidField, violationOf } from '../base/schema-error.ts'
import { skipped } from './define-evaluator.ts'
import { EVALUATOR_DEFINITIONS } from './definitions.ts'
import { type Case, ConfigError, type Evaluator, type EvaluatorDefinition, type Need } from './evaluator.ts'
import { humanRating } from './human-rating.ts'
import { looksLikeJson } from './json/json-text.ts'
import { jsonValid } from './json/json-valid.ts'
import { exactMatch } from './text/exact-match.ts'
import { tokenF1 } from './text/token-f1.ts'

const EVALUATORS_MAX = 50
const NAME_LENGTH_MAX = 200

const definitions = new Map(EVALUATOR_DEFINITIONS.map((definition) => [definition.type, definition]))

/**
 * Reads `config.evaluators`. Throws a ConfigError that names the invalid key. Invalid schemas and patterns throw
 * theirs when they are compiled.
 */
export function readEvaluators(evaluators: unknown): Evaluator[] {
  if (!Array.isArray(evaluators) || evaluators.length === 0) {
    throw new ConfigError('config.evaluators must be an array of at least one evaluator')
  }
  if (evaluators.length > EVALUATORS_MAX) {
    throw new ConfigError(`config.evaluators has more than ${EVALUATORS_MAX} entries`)
  }
  const read = evaluators.map((entry, index) => readEvaluator(entry, `config.evaluators[${index}]`))
  const names = read.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) {
    throw new ConfigError(`config.evaluators has two entries named ${twice}; give one of them another name`)
  }
  return read
}

function readEvaluator(entry: unknown, key: string): Evaluator {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    throw new ConfigError(`${key} must be an object`)
  }
  const { type, name = type, ...options }: Record<string, unknown> = { ...entry }
  if (typeof type !== 'string' || type === '') throw new ConfigError(`${key}.type must be the name of an evaluator`)
  const definition = definitions.get(type)
  if (!definition) {
    const shown = type.slice(0, 100)
    const unknown = `${key}.type: there is no evaluator ${JSON.stringify(shown)}`
    throw new ConfigError(`${unknown}${didYouMean(shown, [...definitions.keys()])}`)
  }
  // Counts code points, not UTF-16 units.
  if (typeof name !== 'string' || name === '' || [...name].length > NAME_LENGTH_MAX) {
    throw new ConfigError(`${key}.name must be a string of 1 to ${NAME_LENGTH_MAX} characters`)
  }
  checkOptions(definition, options, key)
  return definition.create(name, options, key)
}

function checkOptions(definition: EvaluatorDefinition, options: Record<string, unknown>, key: string): void {
  const known = Object.keys(definition.options.properties)
  const unknown = Object.keys(options).find((option) => !known.includes(option))
  if (unknown !== undefined) {
    const allowed = known.length === 0 ? 'no options' : `the options ${known.join(', ')}`
    const hint = didYouMean(unknown, known)
    throw new ConfigError(`${key}.${unknown.slice(0, 100)} is not known${hint}; ${definition.type} has ${allowed}`)
  }
  const check = checkOf(definition)
  if (check(options)) return
  const [error] = check.errors ?? []
  throw new ConfigError(error ? `${invalidField(error, key)} ${violationOf(error)}` : `${key} is not valid`)
}

// These schemas are part of the code: validating them and optimizing the checks would cost more than everything else.
const ajv = new Ajv({ strict: false, meta: false, validateSchema: false, code: { optimize: false } })
const checks = new Map<string, ValidateFunction>()

/** Compiled at first use, because most types are rarely used. */
function checkOf({ type, options }: EvaluatorDefinition): ValidateFunction {
  const check = checks.get(type) ?? ajv.compile(options)
  checks.set(type, check)
  return check
}

/**
 * For the thread that serves requests, before it reads its first config: compiling all checks in one step would block
 * it for 50 ms.
 */
export async function compileOptionChecks(): Promise<void> {
  for (const definition of EVALUATOR_DEFINITIONS) {
    if (checks.has(definition.type)) continue
    checkOf(definition)
    await yieldToEventLoop()
  }
}

function didYouMean(word: string, known: readonly string[]): string {
  if (word.length > 50) return ''
  const far = (other: string) => distance(word.toLowerCase(), other.toLowerCase())
  const [near] = known.filter((other) => far(other) <= Math.ceil(word.length / 3)).sort((a, b) => far(a) - far(b))
  return near === undefined ? '' : ` (do you mean ${near}?)`
}

/**
 * The evaluators for a config that names none: all that have no required options, each for the cases that it applies
 * to. A missing expected value is checked here and not declared as a need, so that the reason does not read like an
 * error.
 */
export function defaultEvaluators(): Evaluator[] {
  return [
    where(exactMatch, ['output'], lacksExpected),
    where(tokenF1, ['output'], lacksExpected),
    where(jsonValid, ['output'], isNoJson),
    where(humanRating, ['ratings'], ({ ratings }) => (ratings.length === 0 ? 'the trace has no rating' : undefined)),
  ]
}

function where(
  definition: EvaluatorDefinition,
  needs: readonly Need[],
  whyNot: (input: Case) => string | undefined,
): Evaluator {
  const evaluator = definition.create(definition.type, {}, 'config')
  return {
    ...evaluator,
    needs,
    evaluate(input, options) {
      const reason = whyNot(input)
      return reason === undefined ? evaluator.evaluate(input, options) : skipped(`does not apply: ${reason}`)
    },
  }
}

function lacksExpected({ expected }: Case): string | undefined {
  return expected === null ? 'the item has no expected value' : undefined
}

/** Malformed JSON is invalid JSON; prose is not JSON at all. */
function isNoJson({ output }: Case): string | undefined {
  return output === null || looksLikeJson(output) ? undefined : 'the output is not JSON'
}
