/** Turns the schemas of the API description into Python: a TypedDict per object, a type alias for anything else. */

type Schema = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  required?: string[]
  description?: string
}

type Operation = {
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
  requestBody?: { content: Record<string, { schema: Schema }> }
}

export type Description = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** A body that the description has inline, and the name that it gets in Python: `[name, method, path, status or 'body']`. */
export type NamedBody = readonly [name: string, method: string, path: string, part: string]

const KEYWORDS = new Set([
  'as',
  'class',
  'def',
  'from',
  'global',
  'if',
  'import',
  'in',
  'is',
  'lambda',
  'not',
  'or',
  'with',
])

export function pythonTypes(description: Description, bodies: readonly NamedBody[]): string {
  const definitions: string[] = []
  const named = Object.entries(description.components.schemas)
  for (const body of bodies) named.push([body[0], inlineSchema(description, body)])
  for (const [name, schema] of named.sort(([a], [b]) => (a < b ? -1 : 1))) define(name, schema, definitions)
  return `${HEADER}${definitions.join('\n\n\n')}\n`
}

const HEADER = `"""The resources of the API. Generated from openapi.json by \`npm run generate\`; do not edit."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict


`

function inlineSchema(description: Description, [name, method, path, part]: NamedBody): Schema {
  const operation = description.paths[path]?.[method]
  const content = part === 'body' ? operation?.requestBody?.content : operation?.responses[part]?.content
  const schema = content?.['application/json']?.schema
  if (!schema) throw new Error(`The API description has no ${method} ${path} ${part} for the type ${name}`)
  // Where a request can be for one or for many, the type is that of one.
  return schema.anyOf?.[0] ?? schema
}

/** Adds the definition of a type, preceded by those of the objects inside it. */
function define(name: string, schema: Schema, definitions: string[]): void {
  if (!schema.properties) {
    // The forms of a union must not have its own name.
    const inner = schema.anyOf ? `${name}Form` : name
    definitions.push(`${name}: TypeAlias = "${typeOf(schema, inner, definitions).replaceAll('"', "'")}"`)
    return
  }
  const required = new Set(schema.required)
  const fields = Object.entries(schema.properties).map(([field, inner]) => {
    const type = typeOf(inner, `${name}${capitalized(field)}`, definitions)
    return { field, type: required.has(field) ? type : `NotRequired[${type}]` }
  })
  const isClass = fields.every(({ field }) => /^[A-Za-z_]\w*$/.test(field) && !KEYWORDS.has(field))
  definitions.push(isClass ? classOf(name, fields) : dictOf(name, fields))
}

type Field = { field: string; type: string }

function classOf(name: string, fields: Field[]): string {
  const lines = fields.map(({ field, type }) => `    ${field}: ${type}`)
  return [`class ${name}(TypedDict):`, ...(lines.length > 0 ? lines : ['    pass'])].join('\n')
}

/** The other syntax, for fields that have the name of a keyword. */
function dictOf(name: string, fields: Field[]): string {
  const lines = fields.map(({ field, type }) => `        "${field}": "${type.replaceAll('"', "'")}",`)
  return [`${name} = TypedDict(`, `    "${name}",`, '    {', ...lines, '    },', ')'].join('\n')
}

function typeOf(schema: Schema, name: string, definitions: string[]): string {
  if (schema.$ref !== undefined) return schema.$ref.replace('#/components/schemas/', '')
  if (schema.const !== undefined) return literal([schema.const])
  if (schema.enum) return literal(schema.enum)
  if (schema.anyOf) {
    const types = schema.anyOf.map((part, index) => typeOf(part, `${name}${index === 0 ? '' : index + 1}`, definitions))
    return [...new Set(types)].join(' | ')
  }
  const types = schema.type === undefined ? [] : [schema.type].flat()
  return types.length === 0 ? 'Any' : types.map((type) => namedType(type, schema, name, definitions)).join(' | ')
}

function namedType(type: string, schema: Schema, name: string, definitions: string[]): string {
  switch (type) {
    case 'string':
      return 'str'
    case 'integer':
      return 'int'
    case 'number':
      return 'float'
    case 'boolean':
      return 'bool'
    case 'null':
      return 'None'
    case 'array':
      return `list[${schema.items ? typeOf(schema.items, `${name}Item`, definitions) : 'Any'}]`
    case 'object':
      return objectType(schema, name, definitions)
    default:
      throw new Error(`The type "${type}" of ${name} has no counterpart in Python`)
  }
}

function objectType(schema: Schema, name: string, definitions: string[]): string {
  if (schema.properties) {
    define(name, schema, definitions)
    return name
  }
  const values = schema.additionalProperties
  return `dict[str, ${typeof values === 'object' ? typeOf(values, `${name}Value`, definitions) : 'Any'}]`
}

function literal(values: readonly unknown[]): string {
  return `Literal[${values.map(pythonValue).join(', ')}]`
}

function pythonValue(value: unknown): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return JSON.stringify(value)
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
