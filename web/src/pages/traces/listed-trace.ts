import { parseSearch, stringifySearch } from '../../routes/search-params.ts'
import { readTraceList, type TraceListSearch } from './trace-list-search.ts'

/** A list without a query. */
const WHOLE_LIST = 'all'

/** The parameter with which the page of a trace knows the list that it was opened from. */
export function listParameter({ trace: _shown, cols: _columns, live: _live, ...list }: TraceListSearch): string {
  return stringifySearch(list).slice(1) || WHOLE_LIST
}

export function readListParameter(text: string): TraceListSearch {
  return readTraceList(text === WHOLE_LIST ? {} : parseSearch(text))
}
