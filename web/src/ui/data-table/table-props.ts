import type { ReactNode } from 'react'
import type { DataColumn, Sort } from './data-column.ts'
import type { Scroll } from './use-row-window.ts'

export interface DataTableProps<Row> {
  /** The accessible name: "Traces". */
  label: string
  /** Stable between renders. The first is pinned. */
  columns: DataColumn<Row>[]
  /** Visible columns in their order; kept by the caller, in the address. */
  columnIds: string[]
  rows: Row[]
  /** Stable between renders. */
  rowId: (row: Row) => string
  /** Of all pages, if the server counts them. */
  totalCount?: number | undefined
  sort?: Sort | undefined
  onSortChange?: (sort: Sort) => void
  selection?: ReadonlySet<string>
  onSelectionChange?: (selection: ReadonlySet<string>) => void
  /** The row of the peek panel, or under the keyboard. */
  activeId?: string | undefined
  onActiveChange?: (rowId: string) => void
  /** Enter on the active row. */
  onOpen?: (rowId: string) => void
  /** Unless the user has chosen another one for all tables. */
  density?: 'compact' | 'normal'
  scroll?: Scroll
  /** Below 640 px; without it a card lists the columns. */
  card?: (row: Row) => ReactNode
  /** What is shown instead of rows. */
  empty: ReactNode
  isLoading?: boolean
  error?: ReactNode
  hasMore?: boolean
  isLoadingMore?: boolean
  onLoadMore?: () => void
  /** In place of the next page. */
  moreError?: ReactNode
}
