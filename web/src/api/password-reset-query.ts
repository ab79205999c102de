import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { apiPaths } from '../path-builder.ts'
import { requestJson } from './api-client.ts'
import { useSubmission } from './use-submission.ts'

export function passwordResetQuery(token: string) {
  return queryOptions({
    queryKey: ['password-reset', token],
    queryFn: ({ signal }) =>
      requestJson<{ email: string }>({ method: 'POST', path: apiPaths.lookUpPasswordReset(), body: { token }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function useResetPassword() {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: (body: { token: string; password: string }) =>
      requestJson<{ email: string }>({ method: 'POST', path: apiPaths.passwordResets(), body }),
    // All sessions were revoked, including that of this browser.
    onSuccess: () => queryClient.removeQueries({ queryKey: ['session'] }),
  })
}
