import { useQueryClient } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiQuery } from './api-query.ts'
import { useSubmission } from './use-submission.ts'

export function spendingQuery(applicationId: string) {
  return apiQuery('/spending', { applicationId })
}

/** US dollars; null for no limit. */
export interface SpendingLimits {
  maxUsdPerDay: number | null
  maxUsdPer30Days: number | null
}

export function useSaveSpending(applicationId: string) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: (body: SpendingLimits) => dataOf(api.PUT('/spending', { ...inApplication(applicationId), body })),
    onSuccess: (saved) => queryClient.setQueryData(spendingQuery(applicationId).queryKey, saved),
  })
}
