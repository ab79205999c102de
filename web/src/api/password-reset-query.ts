import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { api, dataOf } from './api-client.ts'
import { requestAuth } from './auth-client.ts'
import { useSubmission } from './use-submission.ts'

export function passwordResetQuery(token: string) {
  return queryOptions({
    queryKey: ['password-reset', token],
    queryFn: ({ signal }) => dataOf(api.POST('/password-resets/lookup', { body: { token }, signal })),
    meta: { expects401: true },
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** The response is the same whether or not the address has an account. */
export function useRequestPasswordReset() {
  return useSubmission({
    mutationFn: (email: string) => requestAuth('/request-password-reset', { body: { email } }),
  })
}

export function useResetPassword() {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: (body: { token: string; password: string; revokeGrants: boolean }) =>
      dataOf(api.POST('/password-resets', { body })),
    // All sessions were revoked, including that of this browser.
    onSuccess: () => queryClient.removeQueries({ queryKey: ['session'] }),
  })
}
