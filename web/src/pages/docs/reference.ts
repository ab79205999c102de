import {
  type ApiResponse,
  type HttpMethod,
  httpMethods,
  type MaybeRef,
  type OpenApi,
  type OperationObject,
  type Schema,
} from '../../api/openapi-document.ts'
import { curlCommand } from '../shell/curl-command.ts'
import { type AuthWay, describeAuth, exampleHeaders } from './describe-auth.ts'
import { type FieldRow, listFields, resolve } from './list-fields.ts'

export interface Reference {
  title: string
  version: string
  description: string | undefined
  groups: Group[]
}

export interface Group {
  name: string
  description: string | undefined
  operations: Operation[]
}

export interface Operation {
  /** Unique on the page and stable between releases, for links. */
  anchor: string
  method: Uppercase<HttpMethod>
  path: string
  /** Without the common prefix of all paths. */
  shortPath: string
  summary: string
  description: string | undefined
  auth: AuthWay[]
  /** The minimum role for the operation. */
  role: string | undefined
  parameters: FieldRow[]
  body: FieldRow[]
  responses: ResponseRow[]
  curl: string
}

export interface ResponseRow {
  status: string
  description: string
  fields: FieldRow[]
}

/** Builds the content of the reference page, in the order of the tags and paths of the document. */
export function buildReference(openapi: OpenApi, origin: string): Reference {
  const groups = new Map<string, Group>()
  for (const { name, description } of openapi.tags ?? []) groups.set(name, { name, description, operations: [] })
  for (const [path, item] of Object.entries(openapi.paths)) {
    for (const method of httpMethods) {
      const operation = item[method]
      if (!operation) continue
      const name = operation.tags?.[0] ?? 'Other'
      const group = groups.get(name) ?? { name, description: undefined, operations: [] }
      groups.set(name, group)
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])]
      group.operations.push(buildOperation({ openapi, origin, path, method, operation: { ...operation, parameters } }))
    }
  }
  return { ...openapi.info, description: openapi.info.description, groups: [...groups.values()].filter(hasOperations) }
}

/** Returns the groups with the operations that contain every word; all of them without words. */
export function searchReference(groups: Group[], text: string): Group[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return groups
  const matches = ({ name }: Group, operation: Operation) => {
    const { method, path, summary, description, body, parameters } = operation
    const fields = [...body, ...parameters].map((field) => field.name)
    const haystack = [name, method, path, summary, description, ...fields].join(' ').toLowerCase()
    return words.every((word) => haystack.includes(word))
  }
  return groups
    .map((group) => ({ ...group, operations: group.operations.filter((operation) => matches(group, operation)) }))
    .filter(hasOperations)
}

interface OperationSource {
  openapi: OpenApi
  origin: string
  path: string
  method: HttpMethod
  operation: OperationObject
}

function buildOperation({ openapi, origin, path, method, operation }: OperationSource): Operation {
  const auth = describeAuth(openapi, operation)
  const fullPath = withBasePath(openapi, path)
  const bodySchema = jsonSchema(resolve(openapi, operation.requestBody))
  const verb = upperCase(method)
  return {
    anchor: operation.operationId ?? `${method}${path.replaceAll(/[^a-z0-9]+/gi, '-')}`,
    method: verb,
    path: fullPath,
    shortPath: path,
    summary: operation.summary ?? '',
    description: operation.description,
    auth,
    role: operation['x-role'],
    parameters: (operation.parameters ?? []).flatMap((reference) => {
      const parameter = resolve(openapi, reference)
      return parameter ? listFields(openapi, parameter.schema ?? {}, { ...parameter, place: parameter.in }) : []
    }),
    body: bodySchema ? listFields(openapi, bodySchema) : [],
    responses: Object.entries(operation.responses ?? {}).map(([status, response]) =>
      buildResponse(openapi, status, response),
    ),
    curl: curlCommand({
      method: verb,
      url: `${origin}${fullPath.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${environmentName(name)}`)}`,
      headers: exampleHeaders(auth),
      body: bodySchema && sampleValue(openapi, bodySchema),
    }),
  }
}

function buildResponse(openapi: OpenApi, status: string, reference: MaybeRef<ApiResponse>): ResponseRow {
  const response = resolve(openapi, reference)
  const schema = jsonSchema(response)
  return { status, description: response?.description ?? '', fields: schema ? listFields(openapi, schema) : [] }
}

function jsonSchema(body: ApiResponse | undefined) {
  return body?.content?.['application/json']?.schema
}

/** Paths are relative to the first server, which may be a path of this origin. */
function withBasePath(openapi: OpenApi, path: string): string {
  const base = (openapi.servers?.[0]?.url ?? '').replace(/\/$/, '')
  return base.startsWith('/') && !path.startsWith(base) && !path.startsWith('/v1/') ? `${base}${path}` : path
}

/** componentId → COMPONENT_ID */
function environmentName(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase()
}

function hasOperations(group: Group): boolean {
  return group.operations.length > 0
}

function upperCase(method: HttpMethod): Uppercase<HttpMethod> {
  const names = { get: 'GET', post: 'POST', put: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const
  return names[method]
}

const stringSamples: Record<string, string> = {
  uuid: '0192f0c1-7c1e-7a52-8f1d-3b8a5c2e9d10',
  'date-time': '2026-11-14T09:30:00.000Z',
  email: 'ada@example.com',
  uri: 'https://example.com',
}

/** A small value that conforms to the schema: the required fields, or all if none is required. */
function sampleValue(openapi: OpenApi, given: Schema, name = 'text'): unknown {
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
