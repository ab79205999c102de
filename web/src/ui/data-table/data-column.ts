import type { ReactNode } from 'react'

export interface DataColumn<Row> {
  /** Stable, as it is part of addresses. */
  id: string
  title: string
  cell: (row: Row) => ReactNode
  /** Pixels. The column with `grows` gets what is left, and at least this. */
  width: number
  grows?: boolean
  /** For numbers. */
  align?: 'right'
  /** Below the title: a tiny histogram, or the mean of the column with n. */
  note?: ReactNode
  isSortable?: boolean
  /** Screen readers only; for columns whose cells explain themselves. */
  isTitleHidden?: boolean
}

export interface Sort {
  columnId: string
  direction: 'ascending' | 'descending'
}

/** The id of the row before or after the active one; the first row if none is active. Undefined at the ends. */
export function neighborId(rowIds: string[], activeId: string | undefined, step: 1 | -1): string | undefined {
  const index = activeId === undefined ? -1 : rowIds.indexOf(activeId)
  if (index === -1) return rowIds[0]
  return rowIds[index + step]
}
