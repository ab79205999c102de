import { ComponentParams } from '../../components/component-schemas.ts'
import { readUuid } from '../../http/query-parameters.ts'
import { ok, route } from '../../http/route.ts'
import { readPeriod } from '../overview-period.ts'
import { readTrends } from './read-trends.ts'
import { ComponentTrends, TrendsQuery } from './trend-schemas.ts'

export const getComponentTrends = route({
  method: 'GET',
  path: '/components/:componentId/trends',
  access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
  summary: 'Get how the quality, cost, duration and errors of a component developed',
  tag: 'Overviews',
  params: ComponentParams,
  query: TrendsQuery,
  responses: { 200: ComponentTrends },
  isCancellable: true,
  handle: async ({ db, clock, principal, params: { componentId }, query, signal }) => {
    const q = db.bulk({ application: principal.workspaceId, signal, from: 'request' })
    const { dataset_id: dataset, ...times } = query
    const datasetId = dataset === undefined ? undefined : readUuid('dataset_id', dataset)
    return ok(await readTrends(q, principal, { componentId, datasetId, period: readPeriod(times, clock.now()) }))
  },
})
