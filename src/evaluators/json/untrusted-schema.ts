/**
 * JSON Schemas that anybody may write. A schema refers to nothing outside itself; its patterns take linear time; and the work of a
 * check is counted wherever a part of the schema meets a value, because references alone can make it double with every level.
 */
import { Ajv, type Options, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { type LinearPattern, linearPattern } from '../text/linear-pattern.ts'
import { quoted } from '../text/plain-text.ts'
import { type WorkBudget, workBudget } from '../work-budget.ts'
import { canonicalText } from './compare-json.ts'
import { METER, meteredSchema } from './metered-schema.ts'
import { schemaProblem } from './schema-problem.ts'

/** To compare a value with a part of a schema. */
const WORK_OF_A_PART = 200
/** A character against an instruction of a pattern. */
const WORK_OF_A_STEP = 8

/** Those of the specification. Their patterns are not ours and not all linear, so that long texts cost what they might take. */
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

/** Says what is wrong with a value, or undefined. Throws TooMuchWork, or a RangeError where the schema calls itself without end. */
export type SchemaCheck = (value: unknown, budget: WorkBudget) => string | undefined

/** Throws an Error whose message says what is wrong with the schema. */
export function compileSchema(schema: Readonly<Record<string, unknown>>): SchemaCheck {
  const metered = meteredSchema(schema)
  const isDraft7 = /draft-0[467]/.test(String(schema.$schema))
  const grammar = isDraft7 ? grammars.draft7() : grammars.draft2020()
  if (!grammar(metered)) throw new Error(schemaProblem(grammar.errors?.[0], 'schema'))

  let budget: WorkBudget = workBudget()
  const options = compileOptions(() => budget)
  const validate = withMeter(isDraft7 ? new Ajv(options) : new Ajv2020(options), () => budget).compile(metered)
  return (value, given) => {
    budget = given
    return validate(value) ? undefined : schemaProblem(validate.errors?.[0], '$')
  }
}

/** An instance of its own for each schema, because instances keep all that they ever compiled. */
function compileOptions(budget: () => WorkBudget): Options {
  // The second argument is a flag of the usual engine; ours always reads whole characters.
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
    // A part that is referred to a thousand times would be compiled a thousand times.
    inlineRefs: false,
    // To optimize code needs time that grows with the square of its length: ten times as long for 500 alternatives.
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

/** As the specification has it: what is not known is ignored. */
const COMMON: Options = {
  strict: false,
  $data: false,
  logger: false,
  // Every object of JavaScript has a `toString` and a `constructor`; an output has them only if it says so.
  ownProperties: true,
  // 19.99 is a multiple of 0.01, but not for a division of doubles.
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
  // The library's own compares every pair of entries.
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

/** Made when first needed, and kept: they are the same for every schema. */
const grammars = {
  draft7: once(() => grammarOf(new Ajv({ ...COMMON, formats: LENIENT }), 'http://json-schema.org/draft-07/schema')),
  draft2020: once(() =>
    grammarOf(new Ajv2020({ ...COMMON, formats: LENIENT }), 'https://json-schema.org/draft/2020-12/schema'),
  ),
}

/** What is in a schema is never looked up, and its patterns are read by our own engine. */
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
