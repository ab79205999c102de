import { useQueryClient } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiQuery } from './api-query.ts'
import type { operations } from './generated/api.ts'
import { useSubmission } from './use-submission.ts'

export function ratingSchemeQuery(applicationId: string) {
  return apiQuery('/rating-scheme', { applicationId })
}

type SchemeBody = operations['putRatingScheme']['requestBody']['content']['application/json']

export function useSaveRatingScheme(applicationId: string) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: (body: SchemeBody) => dataOf(api.PUT('/rating-scheme', { ...inApplication(applicationId), body })),
    onSuccess: (saved) => queryClient.setQueryData(ratingSchemeQuery(applicationId).queryKey, saved),
  })
}
