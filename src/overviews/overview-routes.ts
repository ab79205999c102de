import { badRequest } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { ComponentParams } from '../components/component-schemas.ts'
import { ok, route } from '../http/route.ts'
import { readPeriod } from './overview-period.ts'
import {
  ComponentOverview,
  ComponentSummaries,
  OverviewQuery,
  PAGE_DEFAULT,
  PAGE_MAX,
  SummariesQuery,
} from './overview-schemas.ts'
import { readComponentOverview } from './read-component-overview.ts'
import { readComponentSummaries } from './read-component-summaries.ts'

const tag = 'Overviews'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const

export const getComponentSummaries = route({
  method: 'GET',
  path: '/component-summaries',
  access: reading,
  summary: 'List components, newest first, with their traces, newest run, evaluation and comparison',
  tag,
  query: SummariesQuery,
  responses: { 200: ComponentSummaries },
  isCancellable: true,
  handle: async ({ db, clock, principal, query, signal }) => {
    const { lastId, ...page } = await readComponentSummaries(
      db.bulk({ application: principal.workspaceId, signal, from: 'request' }),
      principal,
      { period: readPeriod(query, clock.now()), after: readCursor(query.cursor), limit: readLimit(query.limit) },
    )
    return ok({ ...page, nextCursor: lastId === undefined ? null : writeCursor(lastId) })
  },
})

export const getComponentOverview = route({
  method: 'GET',
  path: '/components/:componentId/overview',
  access: reading,
  summary: 'Get whether a component works, how good it is, and what needs the caller',
  tag,
  params: ComponentParams,
  query: OverviewQuery,
  responses: { 200: ComponentOverview },
  isCancellable: true,
  handle: async ({ db, clock, principal, params, query, signal }) => {
    const q = db.bulk({ application: principal.workspaceId, signal, from: 'request' })
    return ok(await readComponentOverview(q, principal, params.componentId, readPeriod(query, clock.now())))
  },
})

function writeCursor(componentId: string): string {
  return Buffer.from(componentId).toString('base64url')
}

function readCursor(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const id = Buffer.from(text, 'base64url').toString()
  if (!isUuid(id)) throw badRequest('The query parameter cursor must be the nextCursor of an earlier response')
  return id.toLowerCase()
}

function readLimit(text = `${PAGE_DEFAULT}`): number {
  const limit = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : Number.NaN
  if (!(limit <= PAGE_MAX)) throw badRequest(`The query parameter limit must be a whole number from 1 to ${PAGE_MAX}`)
  return limit
}
