import { useQueryClient } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiQuery } from './api-query.ts'
import { useSubmission } from './use-submission.ts'

/** Whether the application requires a second factor of its members. */
export function securitySettingsQuery(applicationId: string) {
  return apiQuery('/security-settings', { applicationId })
}

export function useRequireSecondFactor(applicationId: string) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: (requiresSecondFactor: boolean) =>
      dataOf(api.PATCH('/security-settings', { ...inApplication(applicationId), body: { requiresSecondFactor } })),
    onSuccess: (saved) => queryClient.setQueryData(securitySettingsQuery(applicationId).queryKey, saved),
  })
}
