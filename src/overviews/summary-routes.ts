import { notFound } from '../base/errors.ts'
import { findComponent } from '../components/component-queries.ts'
import { ComponentParams } from '../components/component-schemas.ts'
import { readUuid } from '../http/query-parameters.ts'
import { ok, route } from '../http/route.ts'
import type { Queries } from '../storage/db.ts'
import { readKeysetPage } from './keyset-page.ts'
import { readDatasetSummaries, readEvaluationSummaries, readRunSummaries } from './read-summaries.ts'
import {
  DatasetSummaries,
  DatasetSummariesQuery,
  EvaluationSummaries,
  EvaluationSummariesQuery,
  RunSummaries,
  RunSummariesQuery,
} from './summary-schemas.ts'

const reading = {
  method: 'GET',
  access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
  tag: 'Overviews',
  params: ComponentParams,
  isCancellable: true,
} as const

const getDatasetSummaries = route({
  ...reading,
  path: '/components/:componentId/dataset-summaries',
  summary: 'List datasets, newest first, with their newest run and results',
  query: DatasetSummariesQuery,
  responses: { 200: DatasetSummaries },
  handle: async ({ db, principal, params: { componentId }, query, signal }) => {
    const q = db.bulk({ application: principal.workspaceId, signal, from: 'request' })
    await requireComponent(q, principal.workspaceId, componentId)
    return ok(await readDatasetSummaries(q, principal, { componentId, ...readKeysetPage(query) }))
  },
})

const getRunSummaries = route({
  ...reading,
  path: '/components/:componentId/run-summaries',
  summary: 'List runs, newest first, with ratings, costs and results',
  query: RunSummariesQuery,
  responses: { 200: RunSummaries },
  handle: async ({ db, principal, params: { componentId }, query, signal }) => {
    const q = db.bulk({ application: principal.workspaceId, signal, from: 'request' })
    await requireComponent(q, principal.workspaceId, componentId)
    const runId = readId('run_id', query.run_id)
    const filter = { datasetId: readId('dataset_id', query.dataset_id), ids: runId === undefined ? undefined : [runId] }
    return ok(await readRunSummaries(q, principal, { componentId, ...filter, ...readKeysetPage(query) }))
  },
})

const getEvaluationSummaries = route({
  ...reading,
  path: '/components/:componentId/evaluation-summaries',
  summary: 'List evaluations, newest first, with progress and results',
  query: EvaluationSummariesQuery,
  responses: { 200: EvaluationSummaries },
  handle: async ({ db, principal, params: { componentId }, query, signal }) => {
    const q = db.bulk({ application: principal.workspaceId, signal, from: 'request' })
    await requireComponent(q, principal.workspaceId, componentId)
    const evaluationId = readId('evaluation_id', query.evaluation_id)
    const filter = {
      datasetId: readId('dataset_id', query.dataset_id),
      runId: readId('run_id', query.run_id),
      ids: evaluationId === undefined ? undefined : [evaluationId],
    }
    return ok(await readEvaluationSummaries(q, principal, { componentId, ...filter, ...readKeysetPage(query) }))
  },
})

export const summaryRoutes = [getDatasetSummaries, getRunSummaries, getEvaluationSummaries]

async function requireComponent(q: Queries, workspaceId: string, componentId: string): Promise<void> {
  const [component] = await findComponent(q, { workspaceId, componentId })
  if (!component) throw notFound('Component')
}

/** A dataset or run that does not exist has nothing to list. */
function readId(parameter: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : readUuid(parameter, text)
}
