import { useMutation, useQueryClient } from '@tanstack/react-query'
import { apiPaths } from '../path-builder.ts'
import { requestJson, requestNothing } from './api-client.ts'
import type { CreatedMember, Member, Role } from './generated/resources.ts'
import { meQuery } from './me-query.ts'
import { pagedQuery } from './paged-query.ts'
import { workspacesQuery } from './workspaces-query.ts'

export function membersQuery(applicationId: string) {
  return pagedQuery<Member>({ key: ['members'], path: apiPaths.members(), applicationId })
}

export function useInviteMember(applicationId: string) {
  return useMemberChange(applicationId, (body: { email: string; role: Role }) =>
    requestJson<CreatedMember>({ method: 'POST', path: apiPaths.members(), applicationId, body }),
  )
}

export function useChangeRole(applicationId: string) {
  return useMemberChange(applicationId, ({ memberId, role }: { memberId: string; role: Role }) =>
    requestJson<Member>({ method: 'PATCH', path: apiPaths.member(memberId), applicationId, body: { role } }),
  )
}

/** Does not refetch data of the application: a user who has left is denied access. */
export function useLeaveApplication(applicationId: string) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () => requestNothing({ method: 'DELETE', path: apiPaths.myMembership(), applicationId }),
    // Awaited: the next page lists the applications.
    onSuccess: () => queryClient.invalidateQueries({ ...workspacesQuery, refetchType: 'all' }),
  })
}

export function useRemoveMember(applicationId: string) {
  return useMemberChange(applicationId, (memberId: string) =>
    requestNothing({ method: 'DELETE', path: apiPaths.member(memberId), applicationId }),
  )
}

function useMemberChange<Input, Result>(applicationId: string, change: (input: Input) => Promise<Result>) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: change,
    // Users may change their own role, or leave: permissions and memberships are fetched again, too.
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: membersQuery(applicationId).queryKey }),
        queryClient.invalidateQueries(meQuery(applicationId)),
        queryClient.invalidateQueries(workspacesQuery),
      ]),
  })
}
