/** Converts a JSON Schema, as far as the API description uses it, to the text of a TypeScript type. */

export type Schema = {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
}

/** Schemas with one of these keywords are rejected: no type is better than a wrong one. */
const UNSUPPORTED = ['not', 'if', 'prefixItems', 'patternProperties', 'propertyNames', 'dependentSchemas', 'nullable']

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/

export function schemaType(schema: Schema): string {
  const unsupported = UNSUPPORTED.find((keyword) => keyword in schema)
  if (unsupported) throw new Error(`Cannot write a type for a schema with "${unsupported}"`)
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? 'unknown'
  if ('const' in schema) return literal(schema.const)
  if (schema.enum) return union(schema.enum.map(literal))
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return union(alternatives.map(schemaType))
  if (schema.allOf) return schema.allOf.map((part) => grouped(schemaType(part))).join(' & ')
  return union([schema.type ?? 'unknown'].flat().map((kind) => typeOfKind(kind, schema)))
}

function typeOfKind(kind: string, schema: Schema): string {
  if (kind === 'integer') return 'number'
  if (kind === 'array') return `${grouped(schemaType(schema.items ?? {}))}[]`
  if (kind !== 'object') return kind
  if (!schema.properties) return `Record<string, ${valueType(schema)}>`
  const fields = Object.entries(schema.properties).map(([name, field]) => {
    const optional = schema.required?.includes(name) ? '' : '?'
    const key = IDENTIFIER.test(name) ? name : JSON.stringify(name)
    return `  ${key}${optional}: ${schemaType(field).replaceAll('\n', '\n  ')}`
  })
  return `{\n${fields.join('\n')}\n}`
}

function valueType({ additionalProperties }: Schema): string {
  return typeof additionalProperties === 'object' ? schemaType(additionalProperties) : 'unknown'
}

function literal(value: unknown): string {
  const json = JSON.stringify(value)
  if (typeof value !== 'string') return json
  return `'${json.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

function union(types: string[]): string {
  return [...new Set(types)].join(' | ')
}

/** Adds parentheses where `[]` or `&` would otherwise apply to the last alternative only. */
function grouped(type: string): string {
  return / [|&] /.test(outermost(type.replace(/'(\\.|[^'\\])*'/g, ''))) ? `(${type})` : type
}

/** Removes everything inside brackets, from the innermost ones outwards. */
function outermost(type: string): string {
  const shorter = type.replace(/\{[^{}]*\}|\([^()]*\)|<[^<>]*>/g, '')
  return shorter === type ? type : outermost(shorter)
}
