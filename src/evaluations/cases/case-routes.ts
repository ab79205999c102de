import { badRequest } from '../../base/errors.ts'
import type { Principal } from '../../base/principal.ts'
import { readBoolean, readLimit, readNames } from '../../http/query-parameters.ts'
import { ok, route } from '../../http/route.ts'
import { SCORE_STATES } from '../../scores/list-scores.ts'
import { humanRatingEvaluators, readStoredConfig } from '../../scores/stored-config.ts'
import type { Queries } from '../../storage/db.ts'
import { canonicalRefs } from '../../traces/trace-ref-queries.ts'
import { requireEvaluation } from '../evaluation-queries.ts'
import { EvaluationParams } from '../evaluation-schemas.ts'
import { isBlindToEvaluation } from '../results/withhold-ratings.ts'
import { summarizeErrors, summarizeValues } from '../score-summary/summarize-scores.ts'
import { CASE_SORTS, caseCursor } from './case-cursor.ts'
import {
  CASES_DEFAULT,
  CASES_MAX,
  CaseQuery,
  EvaluationCases,
  ScoreSummary,
  ScoreSummaryQuery,
} from './case-schemas.ts'
import { type CaseListRequest, readCase, readCases } from './read-cases.ts'

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

type CaseQueryTexts = Partial<
  Record<'metric' | 'states' | 'passed' | 'error' | 'sort' | 'case' | 'limit' | 'cursor', string | undefined>
>

function readCaseQuery(query: CaseQueryTexts): Omit<CaseListRequest, 'withheld'> & { case: string | undefined } {
  // No text contains U+0000, and not every engine accepts it in a query.
  for (const name of ['metric', 'error', 'case'] as const) {
    if (query[name]?.includes('\0'))
      throw badRequest(`The query parameter ${name} must not contain the character U+0000`)
  }
  const { case: one, limit, cursor, ...filter } = query
  if (one !== undefined && [cursor, ...Object.values(filter)].some((text) => text !== undefined))
    throw badRequest('The query parameter case cannot be combined with others')
  const sort = readSort(filter)
  return {
    case: one,
    evaluator: filter.metric,
    states: filter.states === undefined ? undefined : readNames('states', filter.states, SCORE_STATES),
    passed: filter.passed === undefined ? undefined : readBoolean('passed', filter.passed),
    error: filter.error,
    sort,
    after: caseCursor.read(cursor, sort),
    limit: readLimit(limit, { default: CASES_DEFAULT, max: CASES_MAX }),
  }
}

function readSort({ sort: text, metric, error }: CaseQueryTexts) {
  if (text === undefined) return undefined
  const sort = CASE_SORTS.find((known) => known === text)
  if (!sort) throw badRequest(`The query parameter sort must be one of ${CASE_SORTS.join(', ')}`)
  if (metric === undefined) throw badRequest('The query parameter sort needs the query parameter metric')
  if (error !== undefined) throw badRequest('The query parameter sort cannot be combined with error')
  return sort
}
