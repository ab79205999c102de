import { notFound } from '../../base/errors.ts'
import { findComponent } from '../../components/component-queries.ts'
import { ComponentParams } from '../../components/component-schemas.ts'
import { ok, type Route, route } from '../../http/route.ts'
import { readKeysetPage } from '../../overviews/keyset-page.ts'
import { ExperimentSummaries, ExperimentSummariesQuery } from './experiment-summary-schemas.ts'
import { readExperimentSummaries } from './read-experiment-summaries.ts'

export const experimentSummaryRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/components/:componentId/experiment-summaries',
    access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
    summary: 'List experiments, newest first, with their start and best candidate, their verdict, cost and test splits',
    tag: 'Overviews',
    params: ComponentParams,
    query: ExperimentSummariesQuery,
    isCancellable: true,
    responses: { 200: ExperimentSummaries },
    handle: async ({ db, principal: { workspaceId }, params: { componentId }, query, signal }) => {
      const q = db.bulk({ application: workspaceId, signal, from: 'request' })
      const [component] = await findComponent(q, { workspaceId, componentId })
      if (!component) throw notFound('Component')
      return ok(await readExperimentSummaries(q, { workspaceId, componentId, ...readKeysetPage(query) }))
    },
  }),
]
