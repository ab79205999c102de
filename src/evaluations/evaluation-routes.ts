import type { Reader } from '../annotations/blind-annotation-queries.ts'
import { badRequest } from '../base/errors.ts'
import { ComponentParams } from '../components/component-schemas.ts'
import { EVENT_STREAM } from '../http/event-stream.ts'
import { accepted, EMPTY_LIST, list, noContent, ok, type Route, route, streamedWhileRead } from '../http/route.ts'
import { listOf } from '../http/schemas.ts'
import { listScores, SCORE_STATES, type ScoreFilter } from '../scores/list-scores.ts'
import { humanRatingEvaluators, readStoredConfig } from '../scores/stored-config.ts'
import { assertMayJudge } from './assert-may-judge.ts'
import { cancelEvaluation, deleteEvaluation, retryEvaluation } from './change-evaluation.ts'
import { deliverScores, prepareDelivery } from './delivery/deliver-scores.ts'
import { estimateEvaluation } from './estimate-evaluation.ts'
import { evaluationEvents, progressOf } from './evaluation-events.ts'
import { findEvaluation, listEvaluations, requireEvaluation } from './evaluation-queries.ts'
import {
  AcceptedEvaluation,
  DeliveredScores,
  DeliverScoresBody,
  Evaluation,
  EvaluationDetail,
  EvaluationEstimate,
  EvaluationParams,
  EvaluationPreview,
  PreviewEvaluationBody,
  Score,
  ScoreQuery,
  StartEvaluationBody,
  StartEvaluationQuery,
} from './evaluation-schemas.ts'
import { type PreviewDeps, previewEvaluation } from './preview-evaluation.ts'
import { isBlindToEvaluation, withoutRatings } from './results/withhold-ratings.ts'
import { startEvaluation } from './start-evaluation.ts'

const tag = 'Evaluations'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const
const editing = { auth: 'key-or-session', workspace: 'header', role: 'editor' } as const

export function evaluationRoutes(deps: PreviewDeps): Route[] {
  return [
    getEvaluations,
    postEvaluation(deps),
    postEvaluationPreview(deps),
    getEvaluation,
    removeEvaluation,
    postEvaluationCancel,
    getEvaluationEvents,
    postEvaluationRetry(deps),
    getEvaluationScores,
    postEvaluationScores,
  ]
}

const getEvaluations = route({
  method: 'GET',
  path: '/components/:componentId/evaluations',
  ignoresOtherParameters: true,
  access: reading,
  summary: 'List the evaluations of a component, newest first',
  tag,
  params: ComponentParams,
  paged: true,
  responses: { 200: listOf(Evaluation) },
  handle: async ({ db, principal, params, page }) =>
    list(await listEvaluations(db.read, { workspaceId: principal.workspaceId, ...params, ...page })),
})

function postEvaluation(deps: PreviewDeps) {
  return route({
    method: 'POST',
    path: '/components/:componentId/evaluations',
    access: editing,
    summary: 'Start an evaluation in the background; with dry_run=true, only estimate its work and cost',
    tag,
    params: ComponentParams,
    query: StartEvaluationQuery,
    body: StartEvaluationBody,
    responses: { 200: EvaluationEstimate, 202: AcceptedEvaluation },
    // An estimate reads traces, which may need longer than a transaction should stay open.
    prepare: async ({ principal, params, query, body, ...context }) => {
      const { workspaceId, userId: readerId } = principal
      const isDry = readDryRun(query)
      const gateFor = readInclude(query, isDry) ? { readerId } : undefined
      if (isDry) return estimateEvaluation(context, deps, { workspaceId, ...params, ...body, gateFor })
      await assertMayJudge(context, deps, { workspaceId, config: JSON.stringify(body.config ?? {}) })
      return undefined
    },
    handle: async ({ principal, params, body, prepared: estimate, ...context }) =>
      estimate
        ? ok(estimate)
        : accepted(
            await startEvaluation(context, deps.quotas, { workspaceId: principal.workspaceId, ...params, ...body }),
          ),
  })
}

function postEvaluationPreview(deps: PreviewDeps) {
  return route({
    method: 'POST',
    path: '/components/:componentId/evaluations/preview',
    access: editing,
    summary: 'Try the evaluators on up to ten cases now; no evaluation and no scores are stored',
    tag,
    params: ComponentParams,
    body: PreviewEvaluationBody,
    isCancellable: true,
    responses: { 200: EvaluationPreview },
    handle: async ({ principal, params, body, ...context }) => {
      const { workspaceId, userId } = principal
      return ok(await previewEvaluation(context, deps, { workspaceId, userId, ...params, ...body }))
    },
  })
}

const getEvaluation = route({
  method: 'GET',
  path: '/components/:componentId/evaluations/:evaluationId',
  access: reading,
  summary: 'Get an evaluation with its progress, its results, or the reason for its failure',
  tag,
  params: EvaluationParams,
  responses: { 200: EvaluationDetail },
  handle: async ({ db, principal, params }) => {
    const evaluation = await requireEvaluation(db.read, { ...principal, ...params })
    const detail = detailOf(evaluation)
    if (detail.results === null) return ok(detail)
    const config = readStoredConfig(evaluation.config)
    const isBlind = await isBlindToEvaluation(db.read, readerOf(principal), { runId: evaluation.run_id, config })
    return ok(isBlind ? { ...detail, results: withoutRatings(detail.results, { id: evaluation.id, config }) } : detail)
  },
})

const removeEvaluation = route({
  method: 'DELETE',
  path: '/components/:componentId/evaluations/:evaluationId',
  access: editing,
  summary: 'Delete an evaluation with its scores; a running evaluation is stopped',
  tag,
  params: EvaluationParams,
  responses: { 204: null },
  handle: async ({ principal, params, ...context }) => {
    await deleteEvaluation(context, principal, { workspaceId: principal.workspaceId, ...params })
    return noContent()
  },
})

const postEvaluationCancel = route({
  method: 'POST',
  path: '/components/:componentId/evaluations/:evaluationId/cancel',
  access: editing,
  summary: 'Cancel an evaluation: it fails with the reason “cancelled” and keeps its scores',
  tag,
  params: EvaluationParams,
  responses: { 202: AcceptedEvaluation },
  handle: async ({ principal, params, ...context }) =>
    accepted(await cancelEvaluation(context, { workspaceId: principal.workspaceId, ...params })),
})

const getEvaluationEvents = route({
  method: 'GET',
  path: '/components/:componentId/evaluations/:evaluationId/events',
  access: reading,
  summary: 'Stream the progress of an evaluation as server-sent events: progress, first error, end',
  tag,
  params: EvaluationParams,
  streams: [EVENT_STREAM],
  responses: { 200: null },
  handle: async ({ db, clock, principal, params, isStillAllowed }) => {
    const { id: evaluationId } = await requireEvaluation(db.read, { ...principal, ...params })
    const watched = { workspaceId: principal.workspaceId, evaluationId }
    return streamedWhileRead(EVENT_STREAM, (isRead) => evaluationEvents({ db, clock, isStillAllowed, isRead }, watched))
  },
})

function postEvaluationRetry({ quotas, ...deps }: PreviewDeps) {
  return route({
    method: 'POST',
    path: '/components/:componentId/evaluations/:evaluationId/retry',
    access: editing,
    summary: 'Retry the failed cases of a finished evaluation; existing scores do not change',
    tag,
    params: EvaluationParams,
    responses: { 202: AcceptedEvaluation },
    prepare: async ({ principal: { workspaceId }, params, ...context }) => {
      const { config } = await requireEvaluation(context.db.read, { workspaceId, ...params })
      await assertMayJudge(context, deps, { workspaceId, config })
    },
    handle: async ({ principal, params, ...context }) =>
      accepted(await retryEvaluation(context, quotas, { workspaceId: principal.workspaceId, ...params })),
  })
}

const getEvaluationScores = route({
  method: 'GET',
  path: '/components/:componentId/evaluations/:evaluationId/scores',
  access: reading,
  summary: 'List the scores of an evaluation; every case has a state and, if it has no score, a reason',
  tag,
  params: EvaluationParams,
  query: ScoreQuery,
  paged: true,
  responses: { 200: listOf(Score) },
  handle: async ({ db, principal, params, query, page }) => {
    const { workspaceId } = principal
    const filter = readScoreFilter(query)
    const evaluation = await findEvaluation(db.read, workspaceId, params.evaluationId)
    if (!evaluation || evaluation.component_id !== params.componentId) return list(EMPTY_LIST)
    const { id: evaluationId, run_id: runId } = evaluation
    const config = readStoredConfig(evaluation.config)
    const isBlind = await isBlindToEvaluation(db.read, readerOf(principal), { runId, config })
    const withheld = isBlind ? humanRatingEvaluators(config) : []
    return list(await listScores(db.read, { workspaceId, evaluationId }, { ...filter, withheld, ...page }))
  },
})

const postEvaluationScores = route({
  method: 'POST',
  path: '/components/:componentId/evaluations/:evaluationId/scores',
  access: editing,
  summary: 'Deliver scores of external evaluators to an evaluation; a repeated score changes nothing',
  tag,
  params: EvaluationParams,
  body: DeliverScoresBody,
  responses: { 200: DeliveredScores },
  // Matching cases with items may read traces.
  prepare: async ({ principal: { workspaceId }, params, body, ...context }) =>
    prepareDelivery(context, { workspaceId, ...params }, body.scores),
  handle: async ({ principal: { workspaceId }, params, prepared: delivery, ...context }) =>
    ok(await deliverScores(context, { workspaceId, ...params }, delivery)),
})

function readerOf({ workspaceId, userId }: { workspaceId: string; userId: string }): Reader {
  return { workspaceId, readerId: userId }
}

function detailOf(row: Awaited<ReturnType<typeof requireEvaluation>>) {
  return {
    id: row.id,
    name: row.name,
    aiComponentId: row.component_id,
    datasetId: row.dataset_id,
    runId: row.run_id,
    status: row.status,
    error: row.error,
    config: JSON.parse(row.config),
    progress: progressOf(row),
    results: row.results === null ? null : JSON.parse(row.results),
    startedAt: row.started_at,
    completedAt: row.completed_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function readDryRun({ dry_run: text }: { dry_run?: string | undefined }): boolean {
  if (text === undefined || text === 'false') return false
  if (text === 'true') return true
  throw badRequest('The query parameter dry_run must be true or false')
}

/** Whether the estimate of a dry run includes the gate. */
function readInclude({ include }: { include?: string | undefined }, dryRun: boolean): boolean {
  if (include === undefined) return false
  if (include !== 'gate') throw badRequest('The query parameter include must be gate')
  if (!dryRun) throw badRequest('The query parameter include needs dry_run=true')
  return true
}

function readScoreFilter({
  state,
  evaluator,
}: {
  state?: string | undefined
  evaluator?: string | undefined
}): ScoreFilter {
  const known = SCORE_STATES.find((one) => one === state)
  if (state !== undefined && known === undefined)
    throw badRequest(`The query parameter state must be one of ${SCORE_STATES.join(', ')}`)
  if (evaluator === '') throw badRequest('The query parameter evaluator must not be empty')
  // No name contains U+0000, and not every engine accepts it in a query.
  if (evaluator?.includes('\0')) throw badRequest('The query parameter evaluator must not contain the character U+0000')
  return { ...(known ? { state: known } : {}), ...(evaluator === undefined ? {} : { evaluator }) }
}
