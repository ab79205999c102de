import { useQueryClient } from '@tanstack/react-query'
import { api, dataOf } from './api-client.ts'
import { apiQuery } from './api-query.ts'
import type { AnnotationPolicy } from './generated/api.ts'
import { atRun, type RunKey } from './queue-query.ts'
import { useSubmission } from './use-submission.ts'

const PATH = '/components/{componentId}/runs/{runId}/annotation-policy'

export function annotationPolicyQuery({ applicationId, ...path }: RunKey) {
  return apiQuery(PATH, { applicationId, params: { path } })
}

export function useSaveAnnotationPolicy(run: RunKey) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: (body: AnnotationPolicy) => dataOf(api.PUT(PATH, { ...atRun(run), body })),
    onSuccess: (saved) => queryClient.setQueryData(annotationPolicyQuery(run).queryKey, saved),
  })
}
