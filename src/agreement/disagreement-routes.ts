import type { Static } from 'typebox'
import { badRequest } from '../base/errors.ts'
import { readBoolean } from '../http/query-values.ts'
import { noContent, ok, route } from '../http/route.ts'
import { RunParams } from '../runs/run-schemas.ts'
import {
  DisagreementParams,
  Disagreements,
  DisagreementsQuery,
  PAGE_DEFAULT,
  PAGE_MAX,
  Resolution,
  ResolutionBody,
} from './disagreement-schemas.ts'
import type { Position } from './order-disagreements.ts'
import { type RatersFilter, readDisagreements } from './read-disagreements.ts'
import { reopenDisagreement, resolveDisagreement } from './resolve-disagreement.ts'

const tag = 'Annotations'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const
const editing = { auth: 'key-or-session', workspace: 'header', role: 'editor' } as const

const getRunDisagreements = route({
  method: 'GET',
  path: '/components/:componentId/runs/:runId/disagreements',
  access: reading,
  summary: 'List the traces of a run on which raters disagree, the widest disagreement first',
  tag,
  params: RunParams,
  query: DisagreementsQuery,
  responses: { 200: Disagreements },
  handle: async ({ db, principal, params, query }) => {
    const options = {
      isResolved: query.resolved === undefined ? undefined : readBoolean('resolved', query.resolved),
      between: ratersIn(query),
      limit: limitIn(query.limit),
      after: query.cursor === undefined ? undefined : readCursor(query.cursor),
    }
    const bulk = db.bulk({ application: principal.workspaceId, from: 'request' })
    const { data, last, ...counts } = await readDisagreements(bulk, principal, { ...params, ...options })
    return ok({ data, nextCursor: last ? writeCursor(last) : null, ...counts })
  },
})

const putResolution = route({
  method: 'PUT',
  path: '/components/:componentId/runs/:runId/disagreements/:traceId/resolution',
  access: editing,
  summary: 'Resolve a disagreement with a rating and a note; the ratings stay',
  tag,
  params: DisagreementParams,
  body: ResolutionBody,
  responses: { 200: Resolution },
  handle: async ({ principal, params, body: { rating, note = null }, ...context }) =>
    ok(await resolveDisagreement(context, principal, { ...params, rating, note })),
})

const removeResolution = route({
  method: 'DELETE',
  path: '/components/:componentId/runs/:runId/disagreements/:traceId/resolution',
  access: editing,
  summary: 'Reopen a disagreement: delete its resolution',
  tag,
  params: DisagreementParams,
  responses: { 204: null },
  handle: async ({ principal, params, ...context }) => {
    await reopenDisagreement(context, principal, params)
    return noContent()
  },
})

export const disagreementRoutes = [getRunDisagreements, putResolution, removeResolution]

function ratersIn({
  rater_a,
  rater_b,
  rating_a,
  rating_b,
}: Static<typeof DisagreementsQuery>): RatersFilter | undefined {
  if ((rater_a === undefined) !== (rater_b === undefined))
    throw badRequest('The query parameters rater_a and rater_b must be combined')
  if ((rating_a === undefined) !== (rating_b === undefined))
    throw badRequest('The query parameters rating_a and rating_b must be combined')
  if (rater_a === undefined || rater_b === undefined) {
    if (rating_a !== undefined) throw badRequest('The query parameter rating_a requires rater_a')
    return undefined
  }
  const ratings = rating_a === undefined || rating_b === undefined ? undefined : ([rating_a, rating_b] as const)
  return { userIds: [rater_a, rater_b], ratings }
}

function limitIn(text = `${PAGE_DEFAULT}`): number {
  const limit = /^[1-9]\d?$/.test(text) ? Number(text) : Number.NaN
  if (!(limit <= PAGE_MAX)) throw badRequest(`The query parameter limit must be a whole number from 1 to ${PAGE_MAX}`)
  return limit
}

/** The position of a disagreement as an opaque text. */
function writeCursor({ steps, division, raters, ref }: Position): string {
  return Buffer.from(JSON.stringify([steps, division, raters, ref])).toString('base64url')
}

function readCursor(cursor: string): Position {
  const [steps, division, raters, ref] = parse(cursor)
  const isValid =
    (steps === null || typeof steps === 'number') &&
    typeof division === 'number' &&
    typeof raters === 'number' &&
    typeof ref === 'string'
  if (!isValid) throw badRequest('The query parameter cursor must be the nextCursor of an earlier response')
  return { steps, division, raters, ref }
}

function parse(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(value) ? value : []
  } catch {
    // Not written by `writeCursor`: rejected like any other value.
    return []
  }
}
