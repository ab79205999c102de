import { infiniteQueryOptions, useQueryClient } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey, apiQuery } from './api-query.ts'
import type { RecordDecision } from './generated/api.ts'
import { useSubmission } from './use-submission.ts'

interface ComponentKey {
  applicationId: string
  componentId: string
}

export interface DecisionKey extends ComponentKey {
  decisionId: string
}

/** The two compared runs. */
export interface RunPair {
  baseline: string
  candidate: string
}

const LIST = '/components/{componentId}/decisions'

/** All decisions of a component, or those on two runs. */
export function decisionsQuery({ applicationId, componentId }: ComponentKey, pair?: RunPair) {
  const runs = pair && { baseline_run_id: pair.baseline, candidate_run_id: pair.candidate }
  return infiniteQueryOptions({
    queryKey: [...decisionsKey(applicationId), componentId, runs ?? {}],
    queryFn: ({ pageParam, signal }) => {
      const params = { path: { componentId }, query: { ...runs, ...pageParam } }
      return dataOf(api.GET(LIST, { ...inApplication(applicationId), params, signal }))
    },
    initialPageParam: {},
    getNextPageParam: ({ nextCursor }): { cursor?: string } | undefined =>
      nextCursor === null ? undefined : { cursor: nextCursor },
    select: ({ pages }) => pages.flatMap(({ data }) => data),
  })
}

export function decisionsKey(applicationId: string) {
  return apiKey(LIST, applicationId)
}

export function decisionQuery({ applicationId, componentId, decisionId }: DecisionKey) {
  const params = { path: { componentId, decisionId } }
  return apiQuery('/components/{componentId}/decisions/{decisionId}', { applicationId, params })
}

export function useRecordDecision({ applicationId, componentId }: ComponentKey) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: (body: RecordDecision) =>
      dataOf(api.POST(LIST, { ...inApplication(applicationId), params: { path: { componentId } }, body })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: decisionsKey(applicationId) }),
  })
}

export async function fetchDecisionReport({ applicationId, componentId, decisionId }: DecisionKey): Promise<Blob> {
  const html = await dataOf(
    api.GET('/components/{componentId}/decisions/{decisionId}/report', {
      ...inApplication(applicationId),
      params: { path: { componentId, decisionId } },
      parseAs: 'text',
    }),
  )
  return new Blob([String(html)], { type: 'text/html' })
}

export interface ReportedComparison extends ComponentKey, RunPair {
  metric?: string | undefined
  margin?: number | undefined
  split?: Split | undefined
}

type Split = NonNullable<RecordDecision['split']>

/** Of a comparison on which nothing is decided yet. */
export async function fetchComparisonReport({
  applicationId,
  componentId,
  baseline,
  candidate,
  metric,
  margin,
  split,
}: ReportedComparison): Promise<Blob> {
  const query = { baseline, candidate, ...(metric && { metric }), ...(split && { split }) }
  const html = await dataOf(
    api.GET('/components/{componentId}/comparisons/report', {
      ...inApplication(applicationId),
      params: { path: { componentId }, query: margin === undefined ? query : { ...query, margin } },
      parseAs: 'text',
    }),
  )
  return new Blob([String(html)], { type: 'text/html' })
}
