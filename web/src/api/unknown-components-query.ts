import { useQueryClient } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiQuery } from './api-query.ts'
import { useSubmission } from './use-submission.ts'

export function unknownComponentsQuery(applicationId: string) {
  return apiQuery('/unknown-components', { applicationId })
}

/** Creates the component unless it exists, and assigns all traces that name it. After a failure, a repetition assigns those that are left. */
export function useAssignTraces(applicationId: string) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: async (name: string) => {
      let hasMore = true
      // A request assigns a limited number of traces.
      while (hasMore) {
        const sent = api.POST('/unknown-components', { ...inApplication(applicationId), body: { name } })
        const assigned = await dataOf(sent)
        hasMore = assigned.hasMore && assigned.assignedCount > 0
      }
    },
    // Everything that is shown by component.
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['application', applicationId] }),
  })
}
