import { useQueryClient } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey, apiQuery } from './api-query.ts'
import type { DecisionKey } from './decisions-query.ts'
import { useSubmission } from './use-submission.ts'

const LINKS = '/components/{componentId}/decisions/{decisionId}/links'

/** Whether decisions of the application can be shared by links. */
export function sharingQuery(applicationId: string) {
  return apiQuery('/sharing', { applicationId })
}

export function useSaveSharing(applicationId: string) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: (linksAllowed: boolean) =>
      dataOf(api.PATCH('/sharing', { ...inApplication(applicationId), body: { linksAllowed } })),
    onSuccess: (saved) => queryClient.setQueryData(sharingQuery(applicationId).queryKey, saved),
  })
}

export function sharedLinksQuery({ applicationId, componentId, decisionId }: DecisionKey) {
  return apiQuery(LINKS, { applicationId, params: { path: { componentId, decisionId } } })
}

export function useCreateLink({ applicationId, componentId, decisionId }: DecisionKey) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: (expiresInDays: number) =>
      dataOf(
        api.POST(LINKS, {
          ...inApplication(applicationId),
          params: { path: { componentId, decisionId } },
          body: { expiresInDays },
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: apiKey(LINKS, applicationId) }),
  })
}

export function useRevokeLink({ applicationId, componentId, decisionId }: DecisionKey) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: (linkId: string) =>
      dataOf(
        api.DELETE(`${LINKS}/{linkId}`, {
          ...inApplication(applicationId),
          params: { path: { componentId, decisionId, linkId } },
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: apiKey(LINKS, applicationId) }),
  })
}
