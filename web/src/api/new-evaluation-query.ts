import { keepPreviousData, useQueryClient } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey, listQuery } from './api-query.ts'
import type { EvaluationEstimate } from './generated/api.ts'
import { useSubmission } from './use-submission.ts'

export interface NewEvaluation {
  datasetId: string
  runId?: string
  name?: string
  config?: Record<string, unknown>
}

export function evaluatorsQuery(applicationId: string) {
  return listQuery('/evaluators', { applicationId })
}

/** What an evaluation would do and cost, and what its gate needs. Nothing is stored. */
export function estimateQuery(applicationId: string, componentId: string, body: NewEvaluation) {
  const include = body.config?.['gate'] === undefined ? {} : { include: 'gate' as const }
  return {
    queryKey: [...apiKey('/components/{componentId}/evaluations', applicationId), 'estimate', componentId, body],
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<EvaluationEstimate | undefined> => {
      const params = { path: { componentId }, query: { dry_run: true, ...include } }
      const estimate = await dataOf(
        api.POST('/components/{componentId}/evaluations', { ...inApplication(applicationId), params, body, signal }),
      )
      // With dry_run, the response is an estimate.
      return 'summary' in estimate ? estimate : undefined
    },
    placeholderData: keepPreviousData,
  }
}

export function useStartEvaluation(applicationId: string, componentId: string) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: async (body: NewEvaluation) => {
      // An invalid config would be accepted, and the evaluation would fail.
      const { name: _, ...estimated } = body
      await queryClient.fetchQuery(estimateQuery(applicationId, componentId, estimated))
      const params = { path: { componentId } }
      const accepted = await dataOf(
        api.POST('/components/{componentId}/evaluations', { ...inApplication(applicationId), params, body }),
      )
      // Without dry_run, the response is the evaluation.
      return 'id' in accepted ? accepted.id : undefined
    },
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: apiKey('/components/{componentId}/overview', applicationId) }),
        queryClient.invalidateQueries({ queryKey: apiKey('/components/{componentId}/evaluations', applicationId) }),
      ]),
  })
}

/** Tries evaluators on the first cases. The signal stops it, also at the server. */
export function usePreview(applicationId: string, componentId: string) {
  return useSubmission({
    mutationFn: ({ body, signal }: { body: NewEvaluation & { sample: number }; signal: AbortSignal }) => {
      const params = { path: { componentId } }
      return dataOf(
        api.POST('/components/{componentId}/evaluations/preview', {
          ...inApplication(applicationId),
          params,
          body,
          signal,
        }),
      )
    },
  })
}
