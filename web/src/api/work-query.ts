import { apiQuery } from './api-query.ts'

/** The runs with something to rate for the user. Changes while others work, and is counted over all ratings. */
export function workQuery(applicationId: string) {
  return { ...apiQuery('/me/work', { applicationId }), staleTime: 60_000 }
}
