/** The part of JSON Schema that forms are built from. Everything else is edited as JSON. */
export interface JsonSchema {
  type?: string | string[]
  title?: string
  description?: string
  default?: unknown
  const?: unknown
  enum?: unknown[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
}

export type FieldKind =
  | 'text'
  | 'long-text'
  | 'number'
  | 'boolean'
  | 'choice'
  | 'texts'
  | 'span'
  | 'object'
  | 'list'
  | 'variants'
  | 'json'

/** Above this length, a text has room for several lines. */
const LINE_LENGTH_MAX = 1_000

export function fieldKind(schema: JsonSchema): FieldKind {
  const { type, items, properties, maxLength = 0 } = schema
  if (choicesOf(schema)) return 'choice'
  if (variantsOf(schema).length > 0) return 'variants'
  if (type === 'string') return maxLength > LINE_LENGTH_MAX ? 'long-text' : 'text'
  if (type === 'number' || type === 'integer') return 'number'
  if (type === 'boolean') return 'boolean'
  if (type === 'array' && items) return listKind(schema, items)
  return type === 'object' && properties ? 'object' : 'json'
}

function listKind({ minItems, maxItems }: JsonSchema, items: JsonSchema): FieldKind {
  if (items.type === 'string') return 'texts'
  if (fieldKind(items) === 'number' && minItems === 2 && maxItems === 2) return 'span'
  return fieldKind(items) === 'object' ? 'list' : 'json'
}

/** The values of an enum, also of one that is written as alternatives. */
export function choicesOf({ enum: values, anyOf, oneOf }: JsonSchema): string[] | undefined {
  const constants = values ?? (anyOf ?? oneOf)?.map((one) => one.const)
  return constants?.every((value) => typeof value === 'string') ? constants.map(String) : undefined
}

export function variantsOf({ anyOf, oneOf }: JsonSchema): JsonSchema[] {
  return anyOf ?? oneOf ?? []
}

/** The description, without the default that a form shows in the field, and with the limits of a number. */
export function hintOf({ description = '', minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonSchema): string {
  const low = exclusiveMinimum === undefined ? minimum : `above ${exclusiveMinimum}`
  const high = exclusiveMaximum === undefined ? maximum : `below ${exclusiveMaximum}`
  const text = description.replace(/ ?Default: (false|true)\.$/, '')
  if (low === undefined && high === undefined) return text
  const limits = low === undefined ? `At most ${high}.` : high === undefined ? atLeast(low) : `${low} to ${high}.`
  return [text, limits].filter(Boolean).join(' ')
}

function atLeast(low: number | string): string {
  return typeof low === 'string' ? `${low[0]?.toUpperCase()}${low.slice(1)}.` : `At least ${low}.`
}

/** "minCharacters" as "Min characters". */
export function labelOf(name: string): string {
  const words = name.replace(
    /([a-z])([A-Z])/g,
    (_, before: string, after: string) => `${before} ${after.toLowerCase()}`,
  )
  return `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}`
}

export interface FieldError {
  /** Below the value of the form or field: `["calls", 0, "name"]`. */
  path: (string | number)[]
  message: string
}
