import { useQueryClient } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiQuery } from './api-query.ts'
import { useSubmission } from './use-submission.ts'

/** Addresses outside of the public internet that admins of all applications have allowed for models. Other users see none. */
export function allowedTargetsQuery(applicationId: string) {
  return apiQuery('/instance/allowed-targets', { applicationId })
}

export function useAllowTarget(applicationId: string) {
  return useTargetChange(applicationId, (targets, target) => [...targets, target])
}

export function useDisallowTarget(applicationId: string) {
  return useTargetChange(applicationId, (targets, target) => targets.filter((other) => other !== target))
}

function useTargetChange(applicationId: string, change: (targets: string[], target: string) => string[]) {
  const queryClient = useQueryClient()
  const query = allowedTargetsQuery(applicationId)
  return useSubmission({
    mutationFn: async (target: string) => {
      const { targets } = await queryClient.fetchQuery({ ...query, staleTime: 0 })
      const body = { targets: change(targets, target) }
      return dataOf(api.PUT('/instance/allowed-targets', { ...inApplication(applicationId), body }))
    },
    onSuccess: (saved) => queryClient.setQueryData(query.queryKey, saved),
  })
}
