import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey } from './api-query.ts'
import type { DirectoryEntry } from './generated/api.ts'

const PAGE_SIZE = 50
const DIRECTORY_PAGE_SIZE = 100

export interface AuditFilter {
  /** Actions or families of them, separated by commas. */
  action?: string
  actor_id?: string
  created_after?: string
  created_before?: string
}

/** Pages continue after the last event that is shown, so that new events do not repeat others. */
export function auditQuery(applicationId: string, filter: AuditFilter) {
  return infiniteQueryOptions({
    queryKey: [...apiKey('/audit-log', applicationId), filter, 'pages'],
    queryFn: ({ pageParam: cursor, signal }) => {
      const query = { ...filter, limit: PAGE_SIZE, ...(cursor && { cursor }) }
      return dataOf(api.GET('/audit-log', { ...inApplication(applicationId), params: { query }, signal }))
    },
    initialPageParam: '',
    getNextPageParam: ({ data }) => (data.length === PAGE_SIZE ? data.at(-1)?.id : undefined),
    select: ({ pages }) => pages.flatMap(({ data }) => data),
  })
}

/** Everyone who may have done something in the application: members, former members and authors of example data. */
export function auditPeopleQuery(applicationId: string) {
  return queryOptions({
    queryKey: apiKey('/members/directory', applicationId),
    queryFn: ({ signal }) => readDirectory(applicationId, signal),
    staleTime: 60_000,
  })
}

async function readDirectory(applicationId: string, signal: AbortSignal): Promise<DirectoryEntry[]> {
  const people: DirectoryEntry[] = []
  while (true) {
    const params = { query: { limit: DIRECTORY_PAGE_SIZE, offset: people.length } }
    const { data } = await dataOf(api.GET('/members/directory', { ...inApplication(applicationId), params, signal }))
    people.push(...data)
    if (data.length < DIRECTORY_PAGE_SIZE) return people
  }
}
