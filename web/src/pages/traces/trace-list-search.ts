import type { TraceListSort } from '../../api/trace-list-query.ts'
import { readText, type Search } from '../../routes/search-params.ts'
import { type RangeSearch, readRangePreset } from './time-range.ts'

export interface TraceListSearch extends RangeSearch {
  /** Empty if it was removed from a saved view. */
  q: string | undefined
  sort: TraceListSort | undefined
  /** Names of the visible columns, separated by commas. */
  cols: string | undefined
  /** The id of the saved view that was opened. */
  view: string | undefined
  /** New traces are shown as they arrive. */
  live: true | undefined
  /** The trace in the panel next to the list. */
  trace: string | undefined
}

/** The whole view of the list of traces, so that an address shows others the same. */
export function readTraceList(search: Search): TraceListSearch {
  return {
    q: readText(search['view']) && search['q'] === '' ? '' : readText(search['q']),
    sort: readTraceSort(search['sort']),
    cols: readText(search['cols']),
    view: readText(search['view']),
    range: readRangePreset(search['range']),
    from: readText(search['from']),
    to: readText(search['to']),
    live: search['live'] === 'true' || search['live'] === true ? true : undefined,
    trace: readText(search['trace']),
  }
}

export function readTraceSort(text: unknown): TraceListSort | undefined {
  return traceSorts.find((sort) => sort === text)
}

const traceSorts: TraceListSort[] = (['time', 'arrival', 'duration', 'cost', 'tokens'] as const).flatMap((field) => [
  field,
  `-${field}` as const,
])
