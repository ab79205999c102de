/**
 * The options of the fields of a structured output as ours. How a field is compared follows from the schema: texts by similarity, enumerations,
 * booleans and whole numbers exactly, other numbers within a tolerance; the options of a field come first.
 */
import { conflict } from '../../base/errors.ts'
import { type FieldOptions, plainPath } from '../../evaluators/json/structured-comparison.ts'

type Fields = Record<string, unknown>
type Strategy = NonNullable<FieldOptions['strategy']>

/** Throws 409 if a strategy is not known. */
export function structuredFields(name: string, config: Fields, schema: Fields | null): Record<string, FieldOptions> {
  const found = new Map<string, FieldOptions>()
  const root = schemaIn(config.schema_definition) ?? schema
  if (root) readSchema(root, { root, path: '', depth: 0, found, work: { left: STEPS_MAX } })
  const given = isObject(config.fields) ? config.fields : {}
  for (const [path, options] of Object.entries(given)) {
    const own = plainPath(path)
    found.set(own, {
      ...found.get(own),
      ...optionsOf(Object(options), `The evaluator ${name} has for the field ${path}`),
    })
  }
  return Object.fromEntries(found)
}

/** With or without the envelope of a response format. */
function schemaIn(value: unknown): Fields | undefined {
  if (!isObject(value)) return undefined
  const inner = isObject(value.json_schema) ? value.json_schema.schema : value.schema
  return isObject(inner) && !('properties' in value) ? inner : value
}

const DEPTH_MAX = 20
/** A schema that refers to itself several times has as many paths as one likes. */
const STEPS_MAX = 5_000

type Reading = { root: Fields; path: string; depth: number; found: Map<string, FieldOptions>; work: { left: number } }

function readSchema(schema: unknown, reading: Reading): void {
  const { root, path, depth, found, work } = reading
  work.left -= 1
  if (!isObject(schema) || depth > DEPTH_MAX || work.left < 0) return
  const below = { ...reading, depth: depth + 1 }
  if (typeof schema.$ref === 'string') readSchema(at(root, schema.$ref), below)
  for (const part of [schema.anyOf, schema.oneOf, schema.allOf].flat()) readSchema(part, below)
  const types = [schema.type].flat()
  if (path !== '' && (Array.isArray(schema.enum) || 'const' in schema)) found.set(path, { strategy: 'exact' })
  else if (path !== '' && types.includes('number')) found.set(path, { strategy: 'number' })
  readSchema(schema.items, below)
  if (!isObject(schema.properties)) return
  for (const [key, property] of Object.entries(schema.properties))
    readSchema(property, { ...below, path: path === '' ? key : `${path}.${key}` })
}

/** `#/$defs/Customer` */
function at(root: Fields, reference: string): unknown {
  let value: unknown = root
  for (const part of reference.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

function optionsOf(options: Fields, where: string): FieldOptions {
  const { include, weight, judge_instructions: instructions } = options
  const strategy = strategyOf(options.strategy, where)
  const arrays = arraysOf(options.array_strategy, where)
  return {
    ...(typeof include === 'boolean' && { include }),
    ...(typeof weight === 'number' && { weight }),
    ...(strategy && { strategy }),
    ...(arrays && { arrays }),
    ...(typeof instructions === 'string' && instructions.trim() !== '' && { instructions }),
  }
}

/** The names that clients use for a strategy; the original service does not publish its own. */
const STRATEGIES: readonly [RegExp, Strategy][] = [
  [/judge|llm/, 'judge'],
  [/exact|equal|strict/, 'exact'],
  [/simil|fuzzy|semantic|text/, 'similarity'],
  [/num|toler/, 'number'],
]

function strategyOf(given: unknown, where: string): Strategy | undefined {
  if (isDefault(given)) return undefined
  const found = STRATEGIES.find(([pattern]) => pattern.test(String(given).toLowerCase()))
  if (found) return found[1]
  throw conflict(`${where} the strategy ${JSON.stringify(given)}; use exact, similarity, number or judge`)
}

function arraysOf(given: unknown, where: string): FieldOptions['arrays'] {
  if (isDefault(given)) return undefined
  const name = String(given).toLowerCase()
  if (/unorder|align|set|match|f1/.test(name)) return 'aligned'
  if (/order|index|position|exact/.test(name)) return 'ordered'
  throw conflict(`${where} the array_strategy ${JSON.stringify(given)}; use aligned or ordered`)
}

function isDefault(given: unknown): boolean {
  return given === undefined || given === null || given === '' || given === 'auto' || given === 'default'
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
