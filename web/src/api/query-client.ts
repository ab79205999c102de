import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError, hasStatus } from './api-error.ts'

/** As long as the pauses between the attempts. */
const RETRY_AFTER_SECONDS_MAX = 1

/**
 * `onUnauthorized` is called for every 401, except for those that a form expects and shows itself (`meta.expects401`).
 */
export function createQueryClient(onUnauthorized: () => void): QueryClient {
  const listen = (error: Error, meta: Record<string, unknown> | undefined) => {
    if (hasStatus(error, 401) && meta?.['expects401'] !== true) onUnauthorized()
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError: (error, query) => listen(error, query.meta) }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, mutation) => listen(error, mutation.meta),
    }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: shouldRetry,
        // By default, a browser that is offline sends nothing, and the page would load forever instead of showing the reason.
        networkMode: 'always',
        refetchOnReconnect: true,
      },
      mutations: { networkMode: 'always' },
    },
  })
}

/** Retries only transient errors: no response, or a failing server. A rejected request would be rejected again. */
function shouldRetry(failureCount: number, error: Error): boolean {
  if (failureCount >= 2 || !(error instanceof ApiError)) return false
  // The user sees how long it takes, and decides.
  if ((error.retryAfterSeconds ?? 0) > RETRY_AFTER_SECONDS_MAX) return false
  return error.status === 0 || error.status >= 500
}
