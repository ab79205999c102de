import { useQueryClient } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiQuery } from './api-query.ts'
import { useSubmission } from './use-submission.ts'

/** Whether traces create the components that they name. */
export function traceSettingsQuery(applicationId: string) {
  return apiQuery('/trace-settings', { applicationId })
}

export function useSaveTraceSettings(applicationId: string) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: (createsComponents: boolean) =>
      dataOf(api.PUT('/trace-settings', { ...inApplication(applicationId), body: { createsComponents } })),
    onSuccess: (saved) => queryClient.setQueryData(traceSettingsQuery(applicationId).queryKey, saved),
  })
}
