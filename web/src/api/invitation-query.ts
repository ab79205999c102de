import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { api, dataOf } from './api-client.ts'
import { useSubmission } from './use-submission.ts'
import { workspacesQuery } from './workspaces-query.ts'

export function invitationQuery(token: string) {
  return queryOptions({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => dataOf(api.POST('/invitations/lookup', { body: { token }, signal })),
    meta: { expects401: true },
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** Joins with the signed-in account. */
export function useAcceptInvitation() {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: (token: string) => dataOf(api.POST('/invitations/accept', { body: { token } })),
    // Awaited: the next page looks up the application in this list.
    onSuccess: () => queryClient.invalidateQueries({ ...workspacesQuery, refetchType: 'all' }),
  })
}

/** Creates an account for an invited person, and joins. */
export function useSignUpByInvitation() {
  return useSubmission({
    mutationFn: (body: { token: string; name: string; password: string }) =>
      dataOf(api.POST('/invitations/sign-up', { body })),
    meta: { expects401: true },
  })
}
