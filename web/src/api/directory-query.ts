import { queryOptions, useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey } from './api-query.ts'

const PAGE_SIZE = 100

/** The names of all authors in the application by user id, including former members. */
function directoryQuery(applicationId: string) {
  return queryOptions({
    queryKey: [...apiKey('/members/directory', applicationId), 'names'],
    queryFn: ({ signal }) => readNames(applicationId, signal),
    // Names change rarely, and every list of authors needs them.
    staleTime: 300_000,
  })
}

/**
 * Returns a function from a user id to a name. Ids are never shown: a user who is not in the directory has deleted the
 * account. Until the directory is loaded, or if it cannot be, the name is "…".
 */
export function usePersonName(applicationId: string): (userId: string) => string {
  const { data: names } = useQuery(directoryQuery(applicationId))
  return useCallback((userId) => (names ? (names.get(userId) ?? 'Deleted account') : '…'), [names])
}

async function readNames(applicationId: string, signal: AbortSignal): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for (let offset = 0; ; offset += PAGE_SIZE) {
    const params = { query: { limit: PAGE_SIZE, offset } }
    const page = await dataOf(api.GET('/members/directory', { ...inApplication(applicationId), params, signal }))
    for (const { userId, name } of page.data) names.set(userId, name)
    if (page.data.length < PAGE_SIZE) return names
  }
}
