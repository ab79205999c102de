import { apiQuery } from './api-query.ts'

/** The caller in one application, with the role. */
export function meQuery(applicationId: string) {
  return { ...apiQuery('/me', { applicationId }), staleTime: 60_000 }
}
