import { useQuery } from '@tanstack/react-query'
import type { TraceRow } from '../../api/generated/api.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import { newestTracesQuery, type TraceFilter } from '../../api/trace-list-query.ts'

/** How many traces have arrived since the list was loaded; at most one page of them is counted. */
export function useNewTraces(applicationId: string, filter: TraceFilter, rows: TraceRow[] | undefined): number {
  const query = newestTracesQuery(applicationId, filter)
  // Not before there is a list to compare with.
  const { data: newest = [] } = useQuery({ ...query, enabled: rows !== undefined })
  useLiveQuery(applicationId, ['traces'], query.queryKey)
  // Ids increase with the time of arrival.
  const lastId =
    rows
      ?.map(({ id }) => id)
      .toSorted()
      .at(-1) ?? ''
  return newest.filter(({ id }) => id > lastId).length
}
