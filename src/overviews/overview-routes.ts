import { ComponentParams } from '../components/component-schemas.ts'
import { ok, route } from '../http/route.ts'
import { readKeysetPage } from './keyset-page.ts'
import { readPeriod } from './overview-period.ts'
import { ComponentOverview, ComponentSummaries, OverviewQuery, SummariesQuery } from './overview-schemas.ts'
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
    const q = db.bulk({ application: principal.workspaceId, signal, from: 'request' })
    const period = readPeriod(query, clock.now())
    return ok(await readComponentSummaries(q, principal, { period, ...readKeysetPage(query) }))
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
