import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { TObject, TSchema } from 'typebox'
import { badRequest } from '../base/errors.ts'
import { invalidField, violationOf } from '../base/schema-error.ts'
import { PAGE_PARAMETERS, readPage } from './paging.ts'
import type { Route, RouteInput } from './route.ts'
import { closed } from './schemas.ts'

/** What a caller sent, before it is checked. `body` is undefined if there is none. */
type Sent = { params: Record<string, unknown>; query: Record<string, unknown>; body: unknown }

/** Compiles the checks of a route. They are the same for a request and for a call within the server (`call-route.ts`). */
export function inputCheck(route: Route): (sent: Sent) => Pick<RouteInput, 'page' | 'params' | 'body' | 'query'> {
  const checkParams = route.params ? paramsCheck(route.params) : undefined
  const checkBody = route.body ? bodyCheck(route.body) : undefined
  const checkQuery = queryCheck(route.query ?? NO_PARAMETERS, queryOptions(route))
  return ({ params, query, body }) => {
    const checkedParams = checkParams?.(params)
    const checked = {
      params: checkedParams,
      body: body === undefined && route.isBodyOptional ? undefined : checkedBody(checkBody, body),
      page: route.paged ? readPage(query) : { limit: 0, offset: 0 },
    }
    const checkedQuery = checkQuery(query)
    return route.query ? { ...checked, query: checkedQuery } : checked
  }
}

const NO_PARAMETERS = closed({})

function queryOptions({ paged, servesProtocol = false, ignoresOtherParameters = servesProtocol }: Route) {
  return { alsoKnown: paged ? PAGE_PARAMETERS : [], ignoresOthers: ignoresOtherParameters }
}

function checkedBody(check: Check | undefined, sent: unknown): unknown {
  if (check) {
    if (sent === undefined) throw badRequest('A request body is required')
    return check(sent)
  }
  if (sent !== undefined) throw badRequest('This request does not accept a body')
  return undefined
}

// Nothing is coerced, filled in or removed: input is either valid or rejected with a message.
const ajv = new Ajv({
  strict: true,
  allowUnionTypes: true,
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
})
// The pattern in the schema (from the specification) is checked; the format is documentation.
ajv.addFormat('uuid', true)
ajv.addFormat('date-time', true)
ajv.addFormat('email', true)
// Only for the OpenAPI document: see `queryText`.
ajv.addKeyword('valueSchema')

export type Check = (value: unknown) => Record<string, unknown>

/** Creates the validator of a JSON body. */
export function bodyCheck(schema: TSchema): Check {
  return check(schema, (error) => {
    const field = invalidField(error)
    if (field === '') return wholeBodyMessage(error)
    return `The field ${field} ${violationOf(error)}`
  })
}

/** Creates the validator of path parameters. */
function paramsCheck(schema: TObject): Check {
  return check(schema, (error) => `The path parameter ${invalidField(error)} ${violationOf(error)}`)
}

/**
 * Creates the validator of a query string. Undeclared parameters are rejected: a mistyped filter would otherwise return everything.
 * Repeated parameters are rejected as ambiguous. `alsoKnown` are parameters that are read elsewhere.
 */
function queryCheck(
  schema: TObject,
  { alsoKnown, ignoresOthers }: { alsoKnown: readonly string[]; ignoresOthers: boolean },
): Check {
  const names = Object.keys(schema.properties)
  const checkKnown = check(schema, (error) => `The query parameter ${invalidField(error)} ${violationOf(error)}`)
  return (query) => {
    const known: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(Object(query))) {
      if (alsoKnown.includes(name)) continue
      if (!names.includes(name) && ignoresOthers) continue
      if (!names.includes(name)) throw badRequest(unknownParameter(name, [...names, ...alsoKnown]))
      if (Array.isArray(value)) throw badRequest(`The query parameter ${name} must not be repeated`)
      // No stored text contains it, and not every engine accepts it in a query.
      if (String(value).includes('\0'))
        throw badRequest(`The query parameter ${name} must not contain the character U+0000`)
      known[name] = value
    }
    return checkKnown(known)
  }
}

function unknownParameter(name: string, known: string[]): string {
  const shown = name.slice(0, 100).toWellFormed()
  return `The query parameter ${shown} is not known; this endpoint accepts ${known.sort().join(', ') || 'none'}`
}

function check(schema: TSchema, message: (error: ErrorObject) => string): Check {
  // Compiled on first use: compiling all schemas would be a quarter of the startup time.
  let compiled: ValidateFunction<Record<string, unknown>> | undefined
  const lowerIds = idLowering(schema)
  return (value) => {
    compiled ??= ajv.compile<Record<string, unknown>>(schema)
    const validate = compiled
    if (!validate(value)) {
      const error = furthest(validate.errors ?? [])
      throw badRequest(error ? message(error) : 'The request is not valid')
    }
    return lowerIds ? Object(lowerIds(value)) : value
  }
}

/** Of a union, each part has an error: that of the part that fits best is about a value deeper inside. Of equal ones the first. */
function furthest(errors: readonly ErrorObject[]): ErrorObject | undefined {
  const depthOf = ({ instancePath }: ErrorObject) => instancePath.split('/').length
  return errors.toSorted((a, b) => depthOf(b) - depthOf(a))[0]
}

/**
 * Ids are case-insensitive: they are converted to lower case here, also in lists and in objects of lists, so that other code can compare
 * them directly. Undefined for a schema without ids.
 */
function idLowering(schema: unknown): ((value: unknown) => unknown) | undefined {
  const { format, items, properties }: { format?: unknown; items?: unknown; properties?: unknown } = Object(schema)
  if (format === 'uuid') return (value) => (typeof value === 'string' ? value.toLowerCase() : value)
  const ofItem = items ? idLowering(items) : undefined
  if (ofItem) return (value) => (Array.isArray(value) ? value.map(ofItem) : value)
  const fields = Object.entries(Object(properties)).flatMap(([name, field]) => {
    const ofField = idLowering(field)
    return ofField ? [{ name, ofField }] : []
  })
  if (fields.length === 0) return undefined
  return (value) => {
    if (typeof value !== 'object' || value === null) return value
    const lowered: Record<string, unknown> = { ...value }
    for (const { name, ofField } of fields) if (name in lowered) lowered[name] = ofField(lowered[name])
    return lowered
  }
}

function wholeBodyMessage(error: ErrorObject): string {
  if (error.keyword === 'minProperties') return 'The request body must contain at least one field to change'
  return 'The request body must be a JSON object'
}
