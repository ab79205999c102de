/**
 * Compiles JSON Schemas from untrusted users. A schema refers to nothing outside itself, and its patterns run in
 * linear time. Every application of a subschema to a value is counted as work, because references alone can double the
 * work with every level. Compiling one can need a second.
 */
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { type LinearPattern, linearPattern } from '../text/linear-pattern.ts'
import { quoted } from '../text/plain-text.ts'
import { type WorkBudget, workBudget } from '../work-budget.ts'
import { canonicalText, keyStep } from './compare-json.ts'
import { METER, meteredSchema } from './metered-schema.ts'

/** The cost of applying a subschema to a value. */
const WORK_OF_A_PART = 200
/** The cost of a character per instruction of a pattern. */
const WORK_OF_A_STEP = 8

/**
 * The formats of the specification. Their patterns come from the library and are not all linear, so long texts are
 * charged for the worst case.
 */
const FORMATS = [
  'date',
  'time',
  'date-time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'json-pointer',
  'relative-json-pointer',
  'regex',
  'uri',
  'uri-reference',
  'uri-template',
  'uuid',
] as const

/**
 * Returns where a value misses the schema; nothing if it fits. Throws TooMuchWork, or a RangeError if the schema calls
 * itself without end.
 */
type SchemaCheck = (value: unknown, budget: WorkBudget) => readonly SchemaMiss[]

export type SchemaMiss = ErrorObject

/** Throws an Error with the reason if the schema is invalid. */
export function compileSchema(
  schema: Readonly<Record<string, unknown>>,
  { report }: { report: 'first' | 'all' },
): SchemaCheck {
  const metered = meteredSchema(schema)
  const isDraft7 = /draft-0[467]/.test(String(schema.$schema))
  const grammar = isDraft7 ? grammars.draft7() : grammars.draft2020()
  if (!grammar(metered)) throw new Error(schemaProblem(grammar.errors?.[0], 'schema'))

  let budget: WorkBudget = workBudget()
  const options = { ...compileOptions(() => budget), allErrors: report === 'all' }
  const validate = withMeter(isDraft7 ? new Ajv(options) : new Ajv2020(options), () => budget).compile(metered)
  return (value, given) => {
    budget = given
    return validate(value) ? [] : (validate.errors ?? [])
  }
}

/** Each schema has an instance of its own, because instances cache everything that they compile. */
function compileOptions(budget: () => WorkBudget): Options {
  // The second argument is a flag of the default engine; this engine always reads whole code points.
  const regExp = (pattern: string, _flag: string) => {
    const { test, size } = readPattern(pattern)
    return {
      test(text: string) {
        budget().spend(text.length * size * WORK_OF_A_STEP)
        return test(text)
      },
      toString: () => pattern,
    }
  }
  return {
    ...COMMON,
    meta: false,
    validateSchema: false,
    // Otherwise a subschema with a thousand references would be compiled a thousand times.
    inlineRefs: false,
    // Optimizing needs time quadratic in the length of the code: ten times as long for 500 alternatives.
    code: { optimize: false, regExp: Object.assign(regExp, { code: 'linearPattern' }) },
  }
}

function readPattern(pattern: string): LinearPattern {
  try {
    return linearPattern(pattern)
  } catch (error) {
    const problem = error instanceof Error ? error.message : 'cannot be used'
    throw new Error(`its pattern ${quoted(pattern)} ${problem}`, { cause: error })
  }
}

/** Unknown keywords are ignored, as in the specification. */
const COMMON: Options = {
  strict: false,
  $data: false,
  logger: false,
  // Every JavaScript object inherits `toString` and `constructor`; only own properties count.
  ownProperties: true,
  // 19.99 is a multiple of 0.01, but not in floating-point division.
  multipleOfPrecision: 9,
}

function withMeter<Instance extends Ajv | Ajv2020>(ajv: Instance, budget: () => WorkBudget): Instance {
  const spend = () => {
    budget().spend(WORK_OF_A_PART)
    return true
  }
  ajv.addKeyword({ keyword: METER, validate: spend, schema: false, errors: false })
  for (const format of FORMATS) {
    ajv.addFormat(format, (text: string) => {
      budget().spend(2 * text.length ** 2)
      return formatChecks(format)(text)
    })
  }
  // The implementation of the library compares every pair of entries.
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must not have the same entry twice' },
    validate: (isWanted: boolean, entries: unknown[]) =>
      !isWanted || new Set(entries.map((entry) => canonicalText(entry, { budget: budget() }))).size === entries.length,
  })
  return ajv
}

/** Created at first use and cached, because they are the same for every schema. */
const grammars = {
  draft7: once(() => grammarOf(new Ajv({ ...COMMON, formats: LENIENT }), 'http://json-schema.org/draft-07/schema')),
  draft2020: once(() =>
    grammarOf(new Ajv2020({ ...COMMON, formats: LENIENT }), 'https://json-schema.org/draft/2020-12/schema'),
  ),
}

/** References inside a schema are never fetched, and its patterns are compiled by `linearPattern`. */
const LENIENT = { regex: true, uri: true, 'uri-reference': true } as const

function grammarOf(ajv: Ajv | Ajv2020, address: string): ValidateFunction {
  const grammar = ajv.getSchema(address)
  if (!grammar) throw new Error(`there is no ${address}`)
  return grammar
}

const allFormats = once(() => new Ajv({ formats: fullFormats }))
const compiledFormats = new Map<string, ValidateFunction>()

function formatChecks(format: string): (text: string) => boolean {
  const known = compiledFormats.get(format) ?? allFormats().compile({ type: 'string', format })
  compiledFormats.set(format, known)
  return (text) => known(text)
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Formats a validation error as a message that starts with the path. */
export function schemaProblem(error: SchemaMiss | undefined, root: string): string {
  if (!error) return 'it does not fit the schema'
  const steps = error.instancePath.split('/').slice(1)
  const place = steps.reduce((path, step) => {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    return `${path}${/^\d+$/.test(key) ? `[${key}]` : keyStep(key)}`
  }, root)
  return `${place} ${complaint(error)}`
}

/** What is wrong at the place of a miss, without the place. */
export function complaint({ keyword, params, message = 'does not fit the schema' }: SchemaMiss): string {
  switch (keyword) {
    case 'required':
      return `lacks ${String(params.missingProperty).slice(0, 100)}`
    case 'additionalProperties':
      return `has ${String(params.additionalProperty).slice(0, 100)}, which is not known`
    case 'unevaluatedProperties':
      return `has ${String(params.unevaluatedProperty).slice(0, 100)}, which is not known`
    case 'enum':
      return `must be one of ${JSON.stringify(params.allowedValues).slice(1, -1).slice(0, 200)}`
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue).slice(0, 200)}`
    default:
      return message.slice(0, 300)
  }
}

/** Why a schema cannot be used. */
export function compileProblem(error: unknown): string {
  // The compiler calls itself for every reference that it has not compiled yet.
  if (error instanceof RangeError) return 'its references are nested too deeply'
  return error instanceof Error ? error.message : 'it cannot be compiled'
}
