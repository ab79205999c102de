import { apiQuery } from './api-query.ts'

/** Followed while it is on the screen; reading it costs the server little. */
export function healthQuery(applicationId: string) {
  return { ...apiQuery('/instance/health', { applicationId }), refetchInterval: 10_000 }
}

export function usageQuery(applicationId: string) {
  return { ...apiQuery('/workspace/usage', { applicationId }), refetchInterval: 10_000 }
}
