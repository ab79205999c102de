/** Requests generated from the routes themselves, so that a new route is tested from the day it is declared. */
import { randomUUID } from 'node:crypto'
import type { Route, Upload } from '../../src/http/route.ts'
import { describedRoutes } from '../../tools/described-routes.ts'

export const ROUTES: readonly Route[] = describedRoutes()

/** An address where nothing listens, so that calls fail at once. The servers of the tests are allowed to call it. */
export const REJECTING_URL = 'http://127.0.0.1:9/v1'

export const PROMPT_NAME = 'sample-prompt'

/** Values of the id parameters, by name. A body's `datasetId` is the same thing as a path's. */
export type Ids = Record<string, string>

/** A well-formed id of nothing. */
export const MISSING = '01890a5d-ac96-774b-bcce-b302099a8057'

/** Of things that are not there, but in the workspace that is: a request is rejected only because of its caller. */
export function missingIds(workspaceId: string): Ids {
  const names = ROUTES.flatMap(idSlotsOf).map(({ name }) => name)
  return { ...Object.fromEntries(names.map((name) => [name, MISSING])), workspaceId }
}

export type IdSlot = { place: 'path' | 'body' | 'query'; name: string }

export type RouteRequest = {
  method: string
  path: string
  body?: Record<string, unknown> | unknown[] | string
  headers?: Record<string, string>
}

export function nameOf({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method} ${path}`
}

/** Every place of a request that holds the id of something. */
export function idSlotsOf({ params, body, query }: Route): IdSlot[] {
  return [
    ...pathIdNames(params).map((name) => ({ place: 'path' as const, name })),
    ...idNames(body).map((name) => ({ place: 'body' as const, name })),
    ...idNames(query).map((name) => ({ place: 'query' as const, name })),
  ]
}

/**
 * Whether a route answers 404 for an id that it does not find in the caller's workspace: all but lists, which are then empty.
 * The parts of a trace, and the items of a comparison of two runs, are not lists of their own.
 */
export function isMissedBy({ paged, path }: Route): boolean {
  return !paged || path.startsWith('/traces/:traceId') || path.includes('/comparisons')
}

/** A request with these ids that is right in everything else: only the fields that must be there, and every id. */
export function requestOf(route: Route, ids: Ids): RouteRequest {
  const target = route.path.replace(/:([A-Za-z]+)/g, (_, name: string) =>
    encodeURIComponent(PATH_SAMPLES[name] ?? idOf(ids, name)),
  )
  const asked = [...new Set([...idNames(route.query), ...requiredOf(route.query)])].map((name) => {
    const value = idNames(route.query).includes(name) ? idOf(ids, name) : String(sampleOf(name))
    return `${name}=${encodeURIComponent(value)}`
  })
  const path = asked.length === 0 ? target : `${target}?${asked.join('&')}`
  const { method, upload } = route
  if (upload) return { method, path, ...fileOf(upload) }
  return route.body === undefined ? { method, path } : { method, path, body: bodyOf(route, ids) }
}

/** Parts of a path that are no ids: every tree has a prompt of this name, with a label that points to its third version. */
const PATH_SAMPLES: Record<string, string> = {
  name: PROMPT_NAME,
  label: 'production',
  number: '1',
  iteration: '0',
  callId: '1',
  caseId: '1',
  observationId: '1',
}

/** The success status of a route; a route with a dry run declares that status first. */
function successOf(route: Route): number {
  const status = Object.keys(route.responses)
    .map(Number)
    .findLast((declared) => declared < 300)
  if (status === undefined) throw new Error(`${nameOf(route)} must declare how it succeeds`)
  return status
}

/** What belongs to a person, who alone may change it. The tests have seeded it by a session. */
export function isPersonal({ method, path }: Route): boolean {
  return /\/comments\/:commentId$/.test(path) || (method === 'PUT' && path.endsWith('/corrected-output'))
}

/** The same for what the tests have seeded: an evaluation that has ended well can neither be stopped nor be tried again. */
export function ownAnswerOf(route: Route): number {
  // The raters of the tree do not disagree.
  if (route.path.endsWith('/resolution')) return 404
  if (route.path === '/experiments') return successOf(route)
  // The experiment of the tree has found nothing.
  if (route.path.endsWith('/deployment') && route.method !== 'GET') return route.method === 'POST' ? 409 : 404
  if (/^\/experiments\/:experimentId\/iterations\/(best|:iteration)$/.test(route.path)) return 404
  const isRejected = route.method === 'POST' && /\/evaluations\/:evaluationId\/(cancel|retry|scores)$/.test(route.path)
  // No connection is named, and the server of the tests has no default model.
  if (
    route.path.endsWith('/try') ||
    (route.method === 'POST' && /\/(trials|experiments|experiments\/preview)$/.test(route.path))
  )
    return 400
  // The dataset of the tree has no test split.
  if (route.method === 'POST' && route.path.endsWith('/test-split')) return 409
  // The trial of the tree has ended, and its only call, too.
  if (route.method === 'POST' && /\/trials\/:trialId\/(cancel|retry|calls\/:callId\/.*)$/.test(route.path)) return 409
  // The experiment of the tree was canceled before its start, so that it cannot go on.
  if (/\/experiments\/:experimentId\/(start|stop|cancel|resume|iterations\/:iteration\/version)$/.test(route.path))
    return 409
  if (/^\/experiments\/:experimentId\/evaluators/.test(route.path) && route.method !== 'GET') return 409
  if (route.path === '/experiments/:experimentId' && route.method === 'PATCH') return 409
  // The evaluation of the tree is final.
  return isRejected ? 409 : successOf(route)
}

function bodyOf({ body, path }: Route, ids: Ids): Record<string, unknown> | unknown[] {
  if (path.endsWith('/cases')) return [{ inputPayload: { input: 'sample input' } }]
  if (path.endsWith('/observations')) return { expected: 'sample expected', variables: { input: 'sample input' } }
  if (path.endsWith('/evaluators')) return [{ name: 'sample name', type: 'f1', weight: 1 }]
  if (path.endsWith('/items/bulk')) return { ids: [ids.itemId ?? MISSING], set: { split: 'train' } }
  // A viewer may render, and a try needs a connection, which the tree's content does not name.
  if (/\/(try|render)$/.test(path)) return { content: sampleOf('content'), itemId: idOf(ids, 'itemId') }
  if (path.endsWith('/trials')) {
    const target = { type: 'prompt', promptId: ids.promptId ?? MISSING, version: 1 }
    return { datasetId: idOf(ids, 'datasetId'), variants: [{ target }] }
  }
  if (path === '/experiments') return { aiComponentId: idOf(ids, 'aiComponentId'), targetModel: 'sample-model' }
  if (/\/experiments(\/preview)?$/.test(path)) {
    const prompt = { promptId: ids.promptId ?? MISSING, version: 1 }
    return { datasetId: idOf(ids, 'datasetId'), prompt, evaluators: [{ type: 'exactMatch' }], allowTooFew: true }
  }
  if (path.endsWith('/prompts')) return { name: `sample-${randomUUID()}` }
  const slots = idNames(body)
  const required = requiredOf(body)
  const names = new Set([...required, ...slots, ...(required.length === 0 ? [optionalField(body)] : [])])
  return Object.fromEntries(
    [...names].map((name) => {
      if (name === 'candidates') return [name, [ids.candidate ?? MISSING]]
      if (name === 'scores') return [name, [{ evaluator: 'tone', itemId: ids.itemId ?? MISSING, score: 1 }]]
      return [name, slots.includes(name) ? idOf(ids, name) : sampleOf(name)]
    }),
  )
}

/** One field of a body without required fields: there must be something to create or to change. */
function optionalField(body: object | undefined): string {
  const known = [
    'idx',
    'input',
    'startAfter',
    'name',
    'blind',
    'ids',
    'limit',
    'rating',
    'note',
    'budget',
    'continueFromOptimized',
  ]
  return known.find((name) => name in propertiesOf(body)) ?? 'name'
}

/** A file as small as can be, of a kind that the route takes. */
function fileOf({ mediaTypes }: Upload): { body: string; headers: Record<string, string> } {
  const [mediaType = ''] = mediaTypes
  if (mediaType !== 'text/csv') throw new Error(`The tests do not know a file of ${mediaType}: add one here`)
  return { body: 'input\nsample input\n', headers: { 'content-type': mediaType } }
}

function idOf(ids: Ids, name: string): string {
  const id = ids[name]
  if (id === undefined) throw new Error(`The tests do not know an id for ${name}: add it to the tree that they seed`)
  return id
}

function sampleOf(field: string): unknown {
  switch (field) {
    case 'name':
    case 'input':
    case 'traceDbId':
    case 'correctedOutput':
    case 'text':
    case 'note':
    case 'description':
    case 'lease':
    case 'output':
    case 'error':
      return `sample ${field}`
    case 'queue':
      return 'sample'
    case 'field':
      return 'name'
    case 'body':
      return { question: 'sample question' }
    case 'group_by':
      return 'value'
    case 'q':
      // In nearly every text.
      return 'a'
    case 'rating':
      return 'positive'
    case 'better':
    case 'shownLeft':
      return 'candidate'
    case 'modelPattern':
      return 'sample-model'
    case 'idx':
    case 'limit':
    case 'inputPerMillion':
    case 'outputPerMillion':
      return 1
    case 'startAfter':
      return '2026-01-01T00:00:00Z'
    case 'decision':
      return 'hold'
    case 'createsComponents':
    case 'linksAllowed':
      return true
    case 'expiresInDays':
      return 1
    case 'maxUsdPerDay':
    case 'maxUsdPer30Days':
      return 1_000
    case 'days':
      return 3_650
    case 'ids':
    case 'traceIds':
      return ['sample trace']
    case 'email':
      return `${randomUUID()}@example.com`
    case 'role':
      return 'viewer'
    case 'token':
      return 'no-such-token'
    case 'baseUrl':
      return REJECTING_URL
    case 'targets':
      return ['127.0.0.1:9']
    case 'shares':
      return { train: 1 }
    case 'content':
      return { messages: [{ role: 'user', content: `sample content ${randomUUID()}` }] }
    case 'splits':
      return [{ version: 1, weight: 100 }]
    case 'minRole':
      return 'editor'
    case 'from':
      return 1
    case 'to':
      return 2
    case 'version':
      return 1
    case 'budget':
      return { patience: 5 }
    case 'groupBy':
      return 'metadata.document'
    case 'tools':
      return [{ name: 'sample_tool', description: 'sample description' }]
    case 'testCases':
      return [{ query: 'sample query', expectedTool: 'none' }]
    case 'targetModel':
      return 'sample-model'
    case 'continueFromOptimized':
    case 'requiresSecondFactor':
    case 'blind':
    case 'ordered':
      return false
    case 'metadata':
      return { sample: 'metadata' }
    case 'ratings':
      return ['positive', 'negative'].map((value, score) => ({ value, score }))
    case 'password':
      return 'correct horse, charged battery'
    default:
      throw new Error(`The tests do not know a value for the field ${field}: add one here`)
  }
}

/** A trace also goes by the name that its sender gave it, and a span only by that, so these ids have no form that could be wrong. */
export const FREE_IDS: readonly string[] = ['traceId', 'spanId']

function pathIdNames(params: object | undefined): string[] {
  const free = Object.keys(propertiesOf(params)).filter((name) => FREE_IDS.includes(name))
  return [...idNames(params), ...free]
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
