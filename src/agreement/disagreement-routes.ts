import type { Static } from 'typebox'
import { badRequest } from '../base/errors.ts'
import { cursorOf, isNumber, isNumberOrNull, isText, readBoolean, readLimit } from '../http/query-parameters.ts'
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

const positions = cursorOf<Position>({ steps: isNumberOrNull, division: isNumber, raters: isNumber, ref: isText })

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
      limit: readLimit(query.limit, { default: PAGE_DEFAULT, max: PAGE_MAX }),
      after: positions.read(query.cursor),
    }
    const bulk = db.bulk({ application: principal.workspaceId, from: 'request' })
    const { data, last, ...counts } = await readDisagreements(bulk, principal, { ...params, ...options })
    return ok({ data, nextCursor: last ? positions.write(last) : null, ...counts })
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
