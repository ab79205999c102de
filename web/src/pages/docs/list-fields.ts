import type { ApiResponse, MaybeRef, OpenApi, Parameter, RequestBody, Schema } from '../../api/openapi-document.ts'

export interface FieldRow {
  name: string
  type: string
  isRequired: boolean
  description: string | undefined
  /** path, query or header; undefined for the fields of a body. */
  place?: string
}

interface FieldContext {
  name?: string
  required?: boolean
  description?: string
  place?: string
}

const depthMax = 4

/** A technical limit, not one of the field. */
const boundless = 2 ** 31 - 1

/**
 * Returns the fields of a schema, one row each; those of nested objects follow as `outer.inner`, of lists as
 * `outer[].inner`.
 */
export function listFields(openapi: OpenApi, schema: Schema, context: FieldContext = {}): FieldRow[] {
  return visit(openapi, schema, context, 0)
}

/** Resolves a reference into the components of the document. */
export function resolve<Thing extends Parameter | RequestBody | ApiResponse | Schema>(
  openapi: OpenApi,
  thing: MaybeRef<Thing> | undefined,
): Thing | undefined {
  if (thing === undefined || !('$ref' in thing) || typeof thing.$ref !== 'string') return dropRef(thing)
  let target: unknown = openapi
  for (const part of thing.$ref.replace(/^#\//, '').split('/')) target = readProperty(target, part)
  return isObject<Thing>(target) ? target : undefined
}

/** "string (uuid)", "integer 1…100", "string or null", "Component[]". */
function describeType(openapi: OpenApi, schema: Schema): string {
  if (schema.$ref) return schema.$ref.split('/').at(-1) ?? 'object'
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return [...new Set(alternatives.map((one) => describeType(openapi, one)))].join(' or ')
  if (schema.type === 'array') return `${schema.items ? describeType(openapi, schema.items) : 'any'}[]`
  const names = [schema.type ?? (schema.properties ? 'object' : 'any')].flat().join(' or ')
  return [names, schema.format && `(${schema.format})`, describeLimits(schema)].filter(Boolean).join(' ')
}

function visit(openapi: OpenApi, given: Schema, context: FieldContext, depth: number): FieldRow[] {
  const schema = resolve<Schema>(openapi, given) ?? given
  const own: FieldRow[] = context.name
    ? [
        {
          name: context.name,
          type: describeType(openapi, given),
          isRequired: context.required === true,
          description: context.description ?? schema.description,
          ...(context.place ? { place: context.place } : {}),
        },
      ]
    : []
  if (depth >= depthMax) return own
  return [...own, ...visitInner(openapi, schema, context, depth)]
}

function visitInner(openapi: OpenApi, schema: Schema, context: FieldContext, depth: number): FieldRow[] {
  if (schema.items) {
    const rows = visit(openapi, schema.items, { name: `${context.name ?? ''}[]` }, depth + 1)
    return rows.slice(1)
  }
  const merged = (schema.allOf ?? []).flatMap((part) => visit(openapi, part, {}, depth))
  const prefix = context.name ? `${context.name}.` : ''
  const properties = Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    visit(openapi, property, { name: prefix + name, required: schema.required?.includes(name) ?? false }, depth + 1),
  )
  return [...merged, ...properties]
}

function describeLimits({ minimum, maximum, minLength, maxLength }: Schema): string {
  const length = describeRange(minLength, maxLength)
  return length ? `(length ${length})` : describeRange(minimum, maximum)
}

function describeRange(least: number | undefined, most: number | undefined): string {
  const isOpen = most === undefined || most >= boundless
  if (least === undefined) return isOpen ? '' : `≤ ${most}`
  return isOpen ? `≥ ${least}` : `${least}…${most}`
}

function dropRef<Thing extends object>(thing: MaybeRef<Thing> | undefined): Thing | undefined {
  return isObject<Thing>(thing) ? thing : undefined
}

function readProperty(value: unknown, name: string): unknown {
  return isObject<Record<string, unknown>>(value) ? value[name] : undefined
}

/** The server's tests check the shape of the document; this only checks presence. */
function isObject<Shape extends object>(value: unknown): value is Shape {
  return typeof value === 'object' && value !== null
}
