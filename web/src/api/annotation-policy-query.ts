import { useQueryClient } from '@tanstack/react-query'
import { api, dataOf } from './api-client.ts'
import type { AnnotationPolicy } from './generated/api.ts'
import { atRun } from './queue-query.ts'
import { annotationPolicyQuery, type RunKey } from './run-query.ts'
import { useSubmission } from './use-submission.ts'

const PATH = '/components/{componentId}/runs/{runId}/annotation-policy'

export function useSaveAnnotationPolicy(run: RunKey) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: (body: AnnotationPolicy) => dataOf(api.PUT(PATH, { ...atRun(run), body })),
    onSuccess: (saved) => queryClient.setQueryData(annotationPolicyQuery(run).queryKey, saved),
  })
}
