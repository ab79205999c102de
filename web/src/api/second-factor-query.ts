import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { sessionListQuery } from './account-query.ts'
import { requestAuth } from './auth-client.ts'
import type { SecondFactor, SecondFactorSetup } from './session.ts'
import { useSubmission } from './use-submission.ts'

export const secondFactorQuery = queryOptions({
  queryKey: ['second-factor'],
  queryFn: ({ signal }) => requestAuth<SecondFactor>('/two-factor', { signal }),
})

/** The second factor is on only after the first code (`useConfirmSecondFactor`). */
export function useSetUpSecondFactor() {
  return useSubmission({
    mutationFn: (password: string) => requestAuth<SecondFactorSetup>('/two-factor/enable', { body: { password } }),
    // The response has the secret: it must not outlive the dialog that shows it.
    gcTime: 0,
  })
}

export function useConfirmSecondFactor() {
  return useSubmission({
    mutationFn: (code: string) => requestAuth('/two-factor/confirm', { body: { code } }),
    onSuccess: useRefresh(),
  })
}

export function useDisableSecondFactor() {
  return useSubmission({
    mutationFn: (password: string) => requestAuth('/two-factor/disable', { body: { password } }),
    onSuccess: useRefresh(),
    gcTime: 0,
  })
}

export function useRenewRecoveryCodes() {
  return useSubmission({
    mutationFn: (password: string) =>
      requestAuth<Pick<SecondFactorSetup, 'recoveryCodes'>>('/two-factor/recovery-codes', { body: { password } }),
    onSuccess: useRefresh(),
    gcTime: 0,
  })
}

/** Other sessions end with both changes. */
function useRefresh() {
  const queryClient = useQueryClient()
  return () =>
    Promise.all([queryClient.invalidateQueries(secondFactorQuery), queryClient.invalidateQueries(sessionListQuery)])
}
