/**
 * Lists traces in order of their start times, and those that started together in order of their ids, by one index. A running older server
 * sees no difference. Writers of traces wait while the index is built: about a second for a million traces.
 */
export function orderOfStarts(): string[] {
  return ['drop index traces_by_start', 'create index traces_by_start on traces (workspace_id, start_ns, id)']
}
