import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { requestAuth } from './auth-client.ts'
import type { Session, SignInResult } from './session.ts'
import { useSubmission } from './use-submission.ts'

/** Null when no one is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => requestAuth<Session | null>('/get-session', { signal }),
  staleTime: 60_000,
  // A page learns of the end of its session by a 401, and still knows whose it was.
  refetchOnMount: false,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  // Otherwise a 401 of this request would send it again, without end.
  meta: { expects401: true },
})

export interface Credentials {
  email: string
  password: string
}

/** The cache belongs to the user who was signed in before. It is kept if the same user goes on with the same page. */
export type CacheAfterSignIn = 'cleared' | 'kept'

export function useSignIn(cacheAfter: CacheAfterSignIn = 'cleared') {
  const queryClient = useQueryClient()
  return useSubmission({
    // Only these fields: callers pass more than credentials, and the server rejects unknown fields.
    mutationFn: ({ email, password }: Credentials) =>
      requestAuth<SignInResult>('/sign-in/email', { body: { email, password } }),
    onSuccess: () => cacheAfter === 'cleared' && queryClient.removeQueries(),
    meta: { expects401: true },
  })
}

/** Leaves the page for the provider, which sends the browser back to `next`. */
export function useProviderSignIn() {
  return useSubmission({
    mutationFn: (next: string | undefined) =>
      requestAuth<{ url: string }>('/oidc/start', { body: next === undefined ? {} : { next } }),
    onSuccess: ({ url }) => window.location.assign(url),
  })
}

/** The second step of signing in. 401: the code is wrong. 400: the first step has expired. */
export function useVerifyCode(cacheAfter: CacheAfterSignIn) {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: ({ isTrusted, ...entered }: { challenge: string; code: string; isTrusted: boolean }) =>
      requestAuth('/two-factor/verify', { body: { ...entered, trustDevice: String(isTrusted) } }),
    onSuccess: () => cacheAfter === 'cleared' && queryClient.removeQueries(),
    meta: { expects401: true },
  })
}

export function useSignUp() {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: (body: Credentials & { name: string }) => requestAuth('/sign-up/email', { body }),
    onSuccess: () => queryClient.removeQueries(),
    meta: { expects401: true },
  })
}

export function useSignOut() {
  const queryClient = useQueryClient()
  return useSubmission({
    mutationFn: () => requestAuth('/sign-out', { body: {} }),
    onSuccess: () => queryClient.removeQueries(),
  })
}
