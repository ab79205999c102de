/** Describes the routes as an OpenAPI 3.1 document. TypeBox schemas are JSON Schema, which OpenAPI 3.1 uses directly. */
import type { TSchema } from 'typebox'
import { OTLP_PATHS } from './describe-otlp.ts'
import { LIMIT_DEFAULT, LIMIT_MAX, OFFSET_MAX } from './paging.ts'
import { type Access, API_PREFIX, pathOf, type Route, storesResponse } from './route.ts'
import { ErrorBody } from './schemas.ts'

export function describeRoutes(routes: readonly Route[]): Record<string, unknown> {
  const schemas = new Map<string, unknown>()
  const described = routes.filter((route) => pathOf(route).startsWith(API_PREFIX))
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of described) {
    const path = route.path.replace(/:([A-Za-z]+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: extractNamedSchemas(operation(route), schemas) }
  }
  for (const [path, operations] of Object.entries(OTLP_PATHS)) paths[path] = { ...paths[path], ...operations }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Touchstone',
      version: '1.0.0',
      description: 'Manages AI components together with their experiments, traces and evaluations.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      { url: API_PREFIX, description: 'This server' },
      { url: 'https://touchstone.example.com/api/v1', description: 'Production' },
      { url: 'http://localhost:3000/api/v1', description: 'Local development' },
    ],
    tags: [...new Set(described.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of an AI application' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'session',
          description: 'The session of a signed-in user; the cookie is named __Host-session over HTTPS',
        },
        sessionToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The same session for programs: the token returned by sign-in',
        },
        application: {
          type: 'apiKey',
          in: 'header',
          name: 'X-AI-Application-Id',
          description: 'Selects the AI application of a session',
        },
      },
      schemas: Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  }
}

/** Moves schemas with a title to `schemas` and replaces them with references, so that generated clients have named types. */
function extractNamedSchemas(value: unknown, schemas: Map<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((entry) => extractNamedSchemas(entry, schemas))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, entry]) => [key, extractNamedSchemas(entry, schemas)])
  const written = withoutNul(Object.fromEntries(entries))
  const { title, ...schema } = written
  // Among the properties of an object, `title` is one of them.
  if (typeof title !== 'string') return written
  const known = schemas.get(title)
  if (known && JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`two schemas have the title ${title}`)
  schemas.set(title, schema)
  return { $ref: `#/components/schemas/${title}` }
}

/** No string may contain U+0000, which not every engine can store. Adds this pattern to strings that have no other constraint. */
function withoutNul(schema: Record<string, unknown>): Record<string, unknown> {
  const isText = [schema.type].flat().includes('string')
  const isFree = !('pattern' in schema || 'enum' in schema || 'format' in schema || 'const' in schema)
  return isText && isFree ? { ...schema, pattern: '^[^\\u0000]*$' } : schema
}

function operation(route: Route): Record<string, unknown> {
  const parameters = [...pathParameters(route), ...(route.paged ? pageParameters() : []), ...queryParameters(route)]
  return {
    operationId: operationId(route),
    summary: route.summary,
    tags: [route.tag],
    ...securityOf(route.access),
    ...(route.isRepeatable && { 'x-repeatable': true }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBody(route),
    responses: responsesOf(route),
  }
}

/** `POST /components/:componentId/runs` becomes `postComponentsByComponentIdRuns`: stable, unique, and readable in generated clients. */
function operationId({ method, path }: Route): string {
  const words = path.split('/').filter((part) => part !== '')
  const named = words.map((part) => (part.startsWith(':') ? `By-${part.slice(1)}` : part)).join('-')
  return method.toLowerCase() + named.replace(/(?:^|[-.])([A-Za-z])/g, (_, letter: string) => letter.toUpperCase())
}

function pathParameters({ params }: Route): unknown[] {
  return Object.entries(params?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'path',
    required: true,
    schema,
  }))
}

function queryParameters({ query }: Route): unknown[] {
  return Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    ...(query?.required?.includes(name) ? { required: true } : {}),
    schema: 'valueSchema' in schema ? schema.valueSchema : schema,
  }))
}

function requestBody({ body, isBodyOptional, upload }: Route): Record<string, unknown> {
  if (body) return { requestBody: { required: !isBodyOptional, content: { 'application/json': { schema: body } } } }
  if (!upload) return {}
  const content = upload.mediaTypes.map((type) => [type, { schema: fileSchema(type) }])
  return { requestBody: { required: true, content: Object.fromEntries(content) } }
}

/** A file is text; one of JSON is any value. */
function fileSchema(mediaType: string): Record<string, string> {
  return mediaType === 'application/json' ? {} : { type: 'string' }
}

function pageParameters(): unknown[] {
  return [
    { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT } },
    { name: 'offset', in: 'query', schema: { type: 'integer', minimum: 0, maximum: OFFSET_MAX, default: 0 } },
  ]
}

function securityOf(access: Access): { security: Record<string, never[]>[]; 'x-role'?: string } {
  if (access.auth === 'none') return { security: [] }
  const isInApplication = 'workspace' in access
  const chosen: Record<string, never[]> = isInApplication && access.workspace === 'header' ? { application: [] } : {}
  const sessions = [
    { session: [], ...chosen },
    { sessionToken: [], ...chosen },
  ]
  const security: Record<string, never[]>[] =
    access.auth === 'key-or-session' ? [{ apiKey: [] }, ...sessions] : sessions
  return isInApplication ? { security, 'x-role': access.role } : { security }
}

const DESCRIPTIONS: Record<string, string> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'Deleted',
  400: 'Invalid request',
  401: 'Authentication missing or invalid',
  403: 'The role is too low, or the request is cross-site',
  404: 'Not found',
  408: 'The request was not received in time',
  409: 'Conflicts with the current state',
  413: 'The body is too large',
  415: 'The body is not JSON',
  422: 'The Idempotency-Key was used before with another request',
  429: 'Too many requests',
  431: 'The URL and the headers together are too long',
  503: 'Try again later',
}

/** The responses that the route declares, and the errors that follow from its access and input. */
function responsesOf(route: Route): Record<string, unknown> {
  const responses: Record<string, unknown> = {}
  for (const [status, schema] of Object.entries(route.responses)) {
    const described = { ...(route.paged && PAGE_HEADERS), ...route.headers }
    const headers = status === '200' && Object.keys(described).length > 0 ? { headers: described } : {}
    responses[status] = { ...response(status, schema, route), ...headers }
  }
  for (const status of errorStatuses(route)) responses[status] ??= response(status, ErrorBody)
  return responses
}

const PAGE_HEADERS = {
  'X-Total-Count': {
    description: 'The total number of entries; absent for lists that are too long to count with every page',
    schema: { type: 'integer', minimum: 0 },
  },
  Link: {
    description: 'Links to the other pages (RFC 8288): rel="next", rel="prev" and rel="first", as far as they exist',
    schema: { type: 'string' },
  },
}

function errorStatuses(route: Route): string[] {
  const { access, params, body, upload, method } = route
  const isWrite = method !== 'GET'
  return [
    // Of every route: the Host header, the URL and the headers are checked first.
    '400',
    '408',
    '431',
    ...(access.auth === 'none' ? [] : ['401', '403']),
    ...(params || body || upload ? ['404'] : []),
    ...(isWrite ? ['409', '413', '415'] : []),
    ...(storesResponse(route) ? ['422'] : []),
    ...(access.auth === 'none' && !isWrite ? [] : ['429']),
    '503',
  ]
}

function response(
  status: string,
  schema: TSchema | null,
  { streams, events }: Pick<Route, 'streams' | 'events'> = {},
): Record<string, unknown> {
  const description = DESCRIPTIONS[status] ?? 'Response'
  if (streams) {
    const content = streams.map((type) => [type, { schema: fileSchema(type), ...(events && { 'x-events': events }) }])
    return { description, content: Object.fromEntries(content) }
  }
  return schema === null ? { description } : { description, content: { 'application/json': { schema } } }
}
