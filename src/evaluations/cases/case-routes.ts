import type { Principal } from '../../base/principal.ts'
import { ok, route } from '../../http/route.ts'
import { humanRatingEvaluators, readStoredConfig } from '../../scores/stored-config.ts'
import type { Queries } from '../../storage/db.ts'
import { canonicalRefs } from '../../traces/trace-ref-queries.ts'
import { EvaluationParams } from '../evaluation-schemas.ts'
import { requireEvaluation } from '../require-evaluation.ts'
import { isBlindToEvaluation } from '../results/withhold-ratings.ts'
import { summarizeErrors, summarizeValues } from '../score-summary/summarize-scores.ts'
import { CaseQuery, EvaluationCases, ScoreSummary, ScoreSummaryQuery } from './case-schemas.ts'
import { readCaseQuery } from './read-case-query.ts'
import { readCase, readCases } from './read-cases.ts'

const reading = {
  method: 'GET',
  access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
  tag: 'Evaluations',
  params: EvaluationParams,
  isCancellable: true,
} as const

const getEvaluationCases = route({
  ...reading,
  path: '/components/:componentId/evaluations/:evaluationId/cases',
  summary: 'List the cases of an evaluation with the beginnings of their texts and all scores',
  query: CaseQuery,
  responses: { 200: EvaluationCases },
  handle: async ({ db, principal, params, query, signal }) => {
    const { case: one, ...request } = readCaseQuery(query)
    const q = db.bulk({ application: principal.workspaceId, signal, from: 'request' })
    const { source, withheld } = await openEvaluation(q, principal, params)
    if (one === undefined) return ok(await readCases(q, source, { ...request, withheld }))
    const [ref = one] = await canonicalRefs(q, source.workspaceId, [one])
    return ok(await readCase(q, source, { ref, withheld }))
  },
})

const getScoreSummary = route({
  ...reading,
  path: '/components/:componentId/evaluations/:evaluationId/scores/summary',
  summary: 'Count the scores of an evaluation by the reason of their failure, or by their value',
  query: ScoreSummaryQuery,
  responses: { 200: ScoreSummary },
  handle: async ({ db, principal, params, query, signal }) => {
    const q = db.bulk({ application: principal.workspaceId, signal, from: 'request' })
    const { source, withheld } = await openEvaluation(q, principal, params)
    const summarize = query.group_by === 'error' ? summarizeErrors : summarizeValues
    return ok(await summarize(q, source, { withheld }))
  },
})

export const evaluationCaseRoutes = [getScoreSummary, getEvaluationCases]

/** The evaluation, and the evaluators whose results the caller must not see. */
async function openEvaluation(
  q: Queries,
  { workspaceId, userId }: Principal,
  params: { componentId: string; evaluationId: string },
) {
  const evaluation = await requireEvaluation(q, { workspaceId, ...params })
  const { id: evaluationId, dataset_id: datasetId, run_id: runId } = evaluation
  const config = readStoredConfig(evaluation.config)
  const isBlind = await isBlindToEvaluation(q, { workspaceId, readerId: userId }, { runId, config })
  return {
    source: { workspaceId, evaluationId, datasetId, runId },
    withheld: isBlind ? humanRatingEvaluators(config) : [],
  }
}
