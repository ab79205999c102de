import { notFound } from '../base/errors.ts'
import { ComponentParams } from '../components/component-schemas.ts'
import { accepted, list, ok, route } from '../http/route.ts'
import { listOf } from '../http/schemas.ts'
import { findEvaluation, listEvaluations } from './evaluation-queries.ts'
import {
  AcceptedEvaluation,
  Evaluation,
  EvaluationDetail,
  EvaluationParams,
  StartEvaluationBody,
} from './evaluation-schemas.ts'
import { startEvaluation } from './start-evaluation.ts'

const tag = 'Evaluations'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const

export const getEvaluations = route({
  method: 'GET',
  path: '/components/:componentId/evaluations',
  access: reading,
  summary: 'Lists the evaluations of a component, newest first',
  tag,
  params: ComponentParams,
  paged: true,
  responses: { 200: listOf(Evaluation) },
  handle: async ({ db, principal, params, page }) =>
    list(await listEvaluations(db.read, { workspaceId: principal.workspaceId, ...params, ...page })),
})

export const postEvaluation = route({
  method: 'POST',
  path: '/components/:componentId/evaluations',
  access: { auth: 'key-or-session', workspace: 'header', role: 'editor' },
  summary: 'Starts an evaluation; it runs in the background and always ends',
  tag,
  params: ComponentParams,
  body: StartEvaluationBody,
  responses: { 202: AcceptedEvaluation },
  handle: async ({ principal, params, body, ...context }) =>
    accepted(await startEvaluation(context, { workspaceId: principal.workspaceId, ...params, ...body })),
})

export const getEvaluation = route({
  method: 'GET',
  path: '/components/:componentId/evaluations/:evaluationId',
  access: reading,
  summary: 'Reads an evaluation with its progress, its results, or the reason why it failed',
  tag,
  params: EvaluationParams,
  responses: { 200: EvaluationDetail },
  handle: async ({ db, principal, params }) => {
    const evaluation = await findEvaluation(db.read, principal.workspaceId, params.evaluationId)
    if (!evaluation || evaluation.component_id !== params.componentId) throw notFound('Evaluation')
    return ok(detailOf(evaluation))
  },
})

function detailOf(row: NonNullable<Awaited<ReturnType<typeof findEvaluation>>>) {
  return {
    id: row.id,
    name: row.name,
    aiComponentId: row.component_id,
    datasetId: row.dataset_id,
    runId: row.run_id,
    status: row.status,
    error: row.error,
    config: JSON.parse(row.config),
    progress: { total: row.cases_total, done: row.cases_done, failed: row.cases_failed, skipped: row.cases_skipped },
    results: row.results === null ? null : JSON.parse(row.results),
    startedAt: row.started_at,
    completedAt: row.completed_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
