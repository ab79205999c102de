import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { apiPaths } from '../path-builder.ts'
import { requestJson } from './api-client.ts'
import type { Invitation } from './generated/resources.ts'
import { useSubmission } from './use-submission.ts'
import { workspacesQuery } from './workspaces-query.ts'

export function invitationQuery(token: string) {
  return queryOptions({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) =>
      requestJson<Invitation>({ method: 'POST', path: apiPaths.lookUpInvitation(), body: { token }, signal }),
    meta: { expects401: true },
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Joins with the signed-in account. */
export function useAcceptInvitation() {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: (token: string) =>
      requestJson<{ workspaceId: string }>({ method: 'POST', path: apiPaths.acceptInvitation(), body: { token } }),
    // Awaited: the next page looks up the application in this list.
    onSuccess: () => queryClient.invalidateQueries({ ...workspacesQuery, refetchType: 'all' }),
  })
}

/** Creates an account for an invited person, and joins. */
export function useSignUpByInvitation() {
  return useSubmission({
    mutationFn: (body: { token: string; name: string; password: string }) =>
      requestJson<{ workspaceId: string }>({ method: 'POST', path: apiPaths.signUpByInvitation(), body }),
    meta: { expects401: true },
  })
}
