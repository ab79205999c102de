import { useQuery } from '@tanstack/react-query'
import type { TraceRow } from '../../api/generated/api.ts'
import { newestTracesQuery, type TraceFilter } from '../../api/trace-list-query.ts'

const POLL_MS = 2_000

/** How many traces have arrived since the list was loaded; at most one page of them is counted. */
export function useNewTraces(applicationId: string, filter: TraceFilter, rows: TraceRow[] | undefined): number {
  const { data: newest = [] } = useQuery({
    ...newestTracesQuery(applicationId, filter),
    // Only while the page is visible, and not before there is a list to compare with.
    enabled: rows !== undefined,
    refetchInterval: POLL_MS,
  })
  // Ids increase with the time of arrival.
  const lastId =
    rows
      ?.map(({ id }) => id)
      .toSorted()
      .at(-1) ?? ''
  return newest.filter(({ id }) => id > lastId).length
}
