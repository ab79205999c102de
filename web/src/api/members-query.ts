import { useMutation, useQueryClient } from '@tanstack/react-query'
import { apiPaths } from '../path-builder.ts'
import { requestJson, requestNothing } from './api-client.ts'
import type { CreatedMember, Member, Role } from './generated/resources.ts'
import { meQuery } from './me-query.ts'
import { pagedQuery } from './paged-query.ts'
import { useSubmission } from './use-submission.ts'
import { workspacesQuery } from './workspaces-query.ts'

export function membersQuery(applicationId: string) {
  return pagedQuery<Member>({ key: ['members'], path: apiPaths.members(), applicationId })
}

export function useInviteMember(applicationId: string) {
  return useSubmission({
    mutationFn: (body: { email: string; role: Role }) =>
      requestJson<CreatedMember>({ method: 'POST', path: apiPaths.members(), applicationId, body }),
    onSettled: useRefreshMembers(applicationId),
  })
}

/** Not a submission: the last of several quick selections counts. */
export function useChangeRole(applicationId: string) {
  return useMutation({
    mutationFn: ({ memberId, role }: { memberId: string; role: Role }) =>
      requestJson<Member>({ method: 'PATCH', path: apiPaths.member(memberId), applicationId, body: { role } }),
    onSettled: useRefreshMembers(applicationId),
  })
}

/** Does not refetch data of the application: a user who has left is denied access. */
export function useLeaveApplication(applicationId: string) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: () => requestNothing({ method: 'DELETE', path: apiPaths.myMembership(), applicationId }),
    // Awaited: the next page lists the applications.
    onSuccess: () => queryClient.invalidateQueries({ ...workspacesQuery, refetchType: 'all' }),
  })
}

export function useRemoveMember(applicationId: string) {
  return useSubmission({
    mutationFn: (memberId: string) =>
      requestNothing({ method: 'DELETE', path: apiPaths.member(memberId), applicationId }),
    onSettled: useRefreshMembers(applicationId),
  })
}

/** Users may change their own role, or leave: permissions and memberships are fetched again, too. */
function useRefreshMembers(applicationId: string) {
  const queryClient = useQueryClient()
  return () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: membersQuery(applicationId).queryKey }),
      queryClient.invalidateQueries(meQuery(applicationId)),
      queryClient.invalidateQueries(workspacesQuery),
    ])
}
