import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey, listQuery } from './api-query.ts'
import type { Role } from './generated/api.ts'
import { useSubmission } from './use-submission.ts'
import { workspacesQuery } from './workspaces-query.ts'

export function membersQuery(applicationId: string) {
  return listQuery('/members', { applicationId })
}

export function useInviteMember(applicationId: string) {
  return useSubmission({
    mutationFn: (body: { email: string; role: Role }) =>
      dataOf(api.POST('/members', { ...inApplication(applicationId), body })),
    onSettled: useRefreshMembers(applicationId),
  })
}

/** Not a submission: the last of several quick selections counts. */
export function useChangeRole(applicationId: string) {
  return useMutation({
    mutationFn: ({ memberId, role }: { memberId: string; role: Role }) =>
      dataOf(api.PATCH('/members/{userId}', { ...onMember(applicationId, memberId), body: { role } })),
    onSettled: useRefreshMembers(applicationId),
  })
}

/** Does not refetch data of the application: a user who has left is denied access. */
export function useLeaveApplication(applicationId: string) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: () => dataOf(api.DELETE('/members/me', inApplication(applicationId))),
    // Awaited: the next page lists the applications.
    onSuccess: () => queryClient.invalidateQueries({ ...workspacesQuery, refetchType: 'all' }),
  })
}

export function useRemoveMember(applicationId: string) {
  return useSubmission({
    mutationFn: (memberId: string) => dataOf(api.DELETE('/members/{userId}', onMember(applicationId, memberId))),
    onSettled: useRefreshMembers(applicationId),
  })
}

function onMember(applicationId: string, userId: string) {
  return { ...inApplication(applicationId), params: { path: { userId } } }
}

/** Users may change their own role, or leave: permissions and memberships are fetched again, too. */
function useRefreshMembers(applicationId: string) {
  const queryClient = useQueryClient()
  return () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: apiKey('/members', applicationId) }),
      queryClient.invalidateQueries({ queryKey: apiKey('/me', applicationId) }),
      queryClient.invalidateQueries(workspacesQuery),
    ])
}
