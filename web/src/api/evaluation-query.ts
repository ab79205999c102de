import { infiniteQueryOptions, keepPreviousData, useQueryClient } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey, apiQuery } from './api-query.ts'
import type { EvaluationKey } from './components-query.ts'
import type {
  CaseCounts,
  EvaluationCase,
  EvaluationCases,
  EvaluationSummaries,
  EvaluationSummary,
} from './generated/api.ts'
import { useSubmission } from './use-submission.ts'

export const EVALUATION = '/components/{componentId}/evaluations/{evaluationId}'
export const SUMMARIES = '/components/{componentId}/evaluation-summaries'
export const SCORE_SUMMARY = `${EVALUATION}/scores/summary` as const
export const CASES = `${EVALUATION}/cases` as const
const PAGE_SIZE = 50

/** The evaluations of a component, newest first, page by page. */
export function evaluationSummariesQuery(applicationId: string, componentId: string) {
  return infiniteQueryOptions({
    queryKey: [...apiKey(SUMMARIES, applicationId), componentId, 'pages'],
    queryFn: ({ pageParam, signal }) => {
      const params = { path: { componentId }, query: { limit: PAGE_SIZE, ...pageParam } }
      return dataOf(api.GET(SUMMARIES, { ...inApplication(applicationId), params, signal }))
    },
    initialPageParam: {},
    getNextPageParam: ({ nextCursor }): { cursor?: string } | undefined =>
      nextCursor === null ? undefined : { cursor: nextCursor },
    select: ({ pages }) => pages.flatMap(({ data }) => data),
  })
}

/** One evaluation as lists have it: with the names of its runs and dataset, and what may be shown of its metrics. */
export function evaluationSummaryQuery({ applicationId, componentId, evaluationId }: EvaluationKey) {
  const params = { path: { componentId }, query: { evaluation_id: evaluationId } }
  return { ...apiQuery(SUMMARIES, { applicationId, params }), select: firstSummary }
}

function firstSummary({ data }: EvaluationSummaries): EvaluationSummary | null {
  return data[0] ?? null
}

/** How many scores have the same reason for their failure, or the same value. */
export function scoreSummaryQuery(
  { applicationId, componentId, evaluationId }: EvaluationKey,
  group_by: 'error' | 'value',
) {
  return apiQuery(SCORE_SUMMARY, {
    applicationId,
    params: { path: { componentId, evaluationId }, query: { group_by } },
  })
}

/** What the API takes to select cases. */
export interface CaseFilter {
  metric?: string
  /** Separated by commas. */
  states?: string
  passed?: boolean
  error?: string
  sort?: 'score' | '-score'
}

export function casesQuery({ applicationId, componentId, evaluationId }: EvaluationKey, filter: CaseFilter) {
  return infiniteQueryOptions({
    queryKey: [...apiKey(CASES, applicationId), evaluationId, 'pages', filter],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...filter, limit: PAGE_SIZE, ...pageParam }
      const params = { path: { componentId, evaluationId }, query }
      return dataOf(api.GET(CASES, { ...inApplication(applicationId), params, signal }))
    },
    initialPageParam: {},
    getNextPageParam: ({ nextCursor }): { cursor?: string } | undefined =>
      nextCursor === null ? undefined : { cursor: nextCursor },
    placeholderData: keepPreviousData,
    select: ({ pages }) => ({ rows: pages.flatMap(({ data }) => data), counts: pages[0]?.counts ?? null }),
  })
}

/** The number of cases by outcome in one metric. */
export function caseCountsQuery({ applicationId, componentId, evaluationId }: EvaluationKey, metric: string) {
  const params = { path: { componentId, evaluationId }, query: { metric, limit: 1 } }
  return { ...apiQuery(CASES, { applicationId, params }), select: countsOf }
}

function countsOf({ counts }: EvaluationCases): CaseCounts | null {
  return counts
}

/** One case with its whole texts, and all scores with their reasons. Null if the evaluation does not have it. */
export function caseQuery({ applicationId, componentId, evaluationId }: EvaluationKey, id: string) {
  const params = { path: { componentId, evaluationId }, query: { case: id } }
  return { ...apiQuery(CASES, { applicationId, params }), select: firstCase }
}

function firstCase({ data }: EvaluationCases): EvaluationCase | null {
  return data[0] ?? null
}

export function useCancelEvaluation(key: EvaluationKey) {
  return useEvaluationChange(key, (request) => dataOf(api.POST(`${EVALUATION}/cancel`, request)))
}

export function useRetryEvaluation(key: EvaluationKey) {
  return useEvaluationChange(key, (request) => dataOf(api.POST(`${EVALUATION}/retry`, request)))
}

export function useDeleteEvaluation(key: EvaluationKey) {
  return useEvaluationChange(key, (request) => dataOf(api.DELETE(EVALUATION, request)))
}

function requestFor({ applicationId, componentId, evaluationId }: EvaluationKey) {
  return { ...inApplication(applicationId), params: { path: { componentId, evaluationId } } }
}

function useEvaluationChange<Result>(
  key: EvaluationKey,
  change: (request: ReturnType<typeof requestFor>) => Promise<Result>,
) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: () => change(requestFor(key)),
    onSuccess: () =>
      Promise.all(
        [EVALUATION, SUMMARIES].map((path) =>
          queryClient.invalidateQueries({ queryKey: apiKey(path as typeof EVALUATION, key.applicationId) }),
        ),
      ),
  })
}
