import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { api, dataOf } from './api-client.ts'
import { requestAuth } from './auth-client.ts'
import type { SessionEntry } from './session.ts'
import { sessionQuery } from './session-query.ts'
import { useSubmission } from './use-submission.ts'

/** The name is in the response of the session, and in `/me` of every application. */
export function useRename() {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: (name: string) => dataOf(api.PATCH('/me', { body: { name } })),
    onSuccess: () =>
      Promise.all([
        queryClient.invalidateQueries({ ...sessionQuery, refetchType: 'all' }),
        queryClient.invalidateQueries({ queryKey: ['application'], refetchType: 'none' }),
      ]),
  })
}

export function useChangePassword() {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: (body: { currentPassword: string; newPassword: string }) => requestAuth('/change-password', { body }),
    onSuccess: () => queryClient.invalidateQueries(sessionListQuery),
    // The request has both passwords: they must not stay in memory.
    gcTime: 0,
  })
}

/** Where the user is signed in, the newest first. */
export const sessionListQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => (await requestAuth<{ data: SessionEntry[] }>('/list-sessions', { signal })).data,
})

export function useEndSession() {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: (id: string) => requestAuth('/revoke-session', { body: { id } }),
    onSettled: () => queryClient.invalidateQueries(sessionListQuery),
  })
}

export function useEndOtherSessions() {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: () => requestAuth('/revoke-other-sessions', { body: {} }),
    onSettled: () => queryClient.invalidateQueries(sessionListQuery),
  })
}
