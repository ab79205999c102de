import { queryOptions, useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey } from './api-query.ts'
import type { DirectoryEntry } from './generated/api.ts'

const PAGE_SIZE = 100

/** Everyone who may have done something in the application: members, former members and authors of example data. */
export function directoryQuery(applicationId: string) {
  return queryOptions({
    queryKey: apiKey('/members/directory', applicationId),
    queryFn: ({ signal }) => readDirectory(applicationId, signal),
    // Names change rarely, and every list of authors needs them.
    staleTime: 60_000,
  })
}

/**
 * Returns a function from a user id to a name. Ids are never shown: a user who is not in the directory has deleted the
 * account. Until the directory is loaded, or if it cannot be, the name is "…".
 */
export function usePersonName(applicationId: string): (userId: string) => string {
  const { data: names } = useQuery({ ...directoryQuery(applicationId), select: namesById })
  return useCallback((userId) => (names ? (names.get(userId) ?? 'Deleted account') : '…'), [names])
}

function namesById(people: DirectoryEntry[]): Map<string, string> {
  return new Map(people.map(({ userId, name }) => [userId, name]))
}

async function readDirectory(applicationId: string, signal: AbortSignal): Promise<DirectoryEntry[]> {
  const people: DirectoryEntry[] = []
  while (true) {
    const params = { query: { limit: PAGE_SIZE, offset: people.length } }
    const { data } = await dataOf(api.GET('/members/directory', { ...inApplication(applicationId), params, signal }))
    people.push(...data)
    if (data.length < PAGE_SIZE) return people
  }
}
