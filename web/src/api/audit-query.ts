import { infiniteQueryOptions } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey } from './api-query.ts'

const PAGE_SIZE = 50

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
