/** Requests generated from the routes themselves, so that a new route is tested from the day it is declared. */
import { randomUUID } from 'node:crypto'
import type { Route } from '../../src/http/route.ts'
import { allRoutes } from '../../src/routes.ts'

export const ROUTES: readonly Route[] = allRoutes({
  publicUrl: 'http://localhost',
  version: 'test',
  isSignupOpen: false,
  readinessChecks: [],
})

/** Values of the id parameters, by name. A body's `datasetId` is the same thing as a path's. */
export type Ids = Record<string, string>

export type IdSlot = { place: 'path' | 'body'; name: string }

export type RouteRequest = { method: string; path: string; body?: Record<string, unknown> }

export function nameOf({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method} ${path}`
}

/** Every place of a request that holds the id of something. */
export function idSlotsOf({ params, body }: Route): IdSlot[] {
  return [
    ...idNames(params).map((name) => ({ place: 'path' as const, name })),
    ...idNames(body).map((name) => ({ place: 'body' as const, name })),
  ]
}

/** A request with these ids that is right in everything else: only the fields that must be there, and every id. */
export function requestOf(route: Route, ids: Ids): RouteRequest {
  const path = route.path.replace(/:([A-Za-z]+)/g, (_, name: string) => encodeURIComponent(idOf(ids, name)))
  const { method } = route
  return route.body === undefined ? { method, path } : { method, path, body: bodyOf(route, ids) }
}

/** The one status below 300 that a route declares. */
export function successOf(route: Route): number {
  const [status] = Object.keys(route.responses).map(Number)
  if (status === undefined || status >= 300) throw new Error(`${nameOf(route)} must declare how it succeeds`)
  return status
}

function bodyOf({ body }: Route, ids: Ids): Record<string, unknown> {
  const slots = idNames(body)
  const required = requiredOf(body)
  const names = new Set([...required, ...slots, ...(required.length === 0 ? ['name'] : [])])
  return Object.fromEntries([...names].map((name) => [name, slots.includes(name) ? idOf(ids, name) : sampleOf(name)]))
}

function idOf(ids: Ids, name: string): string {
  const id = ids[name]
  if (id === undefined) throw new Error(`The tests do not know an id for ${name}: add it to the tree that they seed`)
  return id
}

function sampleOf(field: string): unknown {
  switch (field) {
    case 'name':
    case 'traceDbId':
      return `sample ${field}`
    case 'email':
      return `${randomUUID()}@example.com`
    case 'role':
      return 'viewer'
    case 'token':
      return 'no-such-token'
    case 'password':
      return 'correct horse battery staple'
    default:
      throw new Error(`The tests do not know a value for the field ${field}: add one here`)
  }
}

function idNames(schema: object | undefined): string[] {
  return Object.entries(propertiesOf(schema))
    .filter(([, field]) => typeof field === 'object' && field !== null && 'format' in field && field.format === 'uuid')
    .map(([name]) => name)
}

function propertiesOf(schema: object | undefined): object {
  if (!schema || !('properties' in schema) || typeof schema.properties !== 'object') return {}
  return schema.properties ?? {}
}

function requiredOf(schema: object | undefined): string[] {
  if (!schema || !('required' in schema) || !Array.isArray(schema.required)) return []
  return schema.required.map(String)
}
