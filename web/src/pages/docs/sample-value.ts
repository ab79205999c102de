import type { OpenApi, Schema } from '../../api/openapi-document.ts'
import { resolve } from './list-fields.ts'

const stringSamples: Record<string, string> = {
  uuid: '0192f0c1-7c1e-7a52-8f1d-3b8a5c2e9d10',
  'date-time': '2026-11-14T09:30:00.000Z',
  email: 'ada@example.com',
  uri: 'https://example.com',
}

/** A small value that conforms to the schema: the required fields, or all if none is required. */
export function sampleValue(openapi: OpenApi, given: Schema, name = 'text'): unknown {
  const schema = resolve<Schema>(openapi, given) ?? given
  const settled = schema.example ?? schema.examples?.[0] ?? schema.const ?? schema.default ?? schema.enum?.[0]
  if (settled !== undefined) return settled
  const alternatives = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (alternatives?.[0]) return sampleValue(openapi, alternatives[0], name)
  const [type] = [schema.type ?? 'object'].flat()
  if (type === 'string') return stringSamples[schema.format ?? ''] ?? name
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1
  if (type === 'boolean') return true
  if (type === 'null') return null
  if (type === 'array') return schema.items ? [sampleValue(openapi, schema.items, name)] : []
  return sampleObject(openapi, schema)
}

function sampleObject(openapi: OpenApi, { properties = {}, required = [] }: Schema): Record<string, unknown> {
  const names = required.length > 0 ? required : Object.keys(properties)
  return Object.fromEntries(names.map((name) => [name, sampleValue(openapi, properties[name] ?? {}, name)]))
}
