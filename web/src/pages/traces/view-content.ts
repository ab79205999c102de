import type { View } from '../../api/generated/api.ts'
import type { TraceListSearch } from './trace-list-search.ts'
import { readTraceSort } from './trace-list-search.ts'

/** What a saved view stores of an address. */
export type ViewContent = Pick<View, 'query' | 'sort' | 'columns'>

export function contentOf({ q, sort, cols }: Pick<TraceListSearch, 'q' | 'sort' | 'cols'>): ViewContent {
  return { query: q ?? '', sort: sort ?? null, columns: cols?.split(',') ?? [] }
}

/** The address of a view. It has the whole content, so that it shows the same to members who cannot see the view. */
export function searchOf({ id, query, sort, columns }: View): Partial<TraceListSearch> {
  return { view: id, q: query, sort: readTraceSort(sort), cols: columns.length > 0 ? columns.join(',') : undefined }
}

export function isChanged(view: View, content: ViewContent): boolean {
  return (
    view.query !== content.query ||
    (readTraceSort(view.sort) ?? '-time') !== (content.sort ?? '-time') ||
    view.columns.join(',') !== content.columns.join(',')
  )
}
