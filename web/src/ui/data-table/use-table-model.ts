import { useMemo, useRef } from 'react'
import type { DataColumn } from './data-column.ts'

export interface TableRow<Row> {
  id: string
  original: Row
}

interface TableModelOptions<Row> {
  columns: DataColumn<Row>[]
  /** Visible columns in their order. */
  columnIds: string[]
  rows: Row[]
  rowId: (row: Row) => string
  selection: ReadonlySet<string>
  onSelectionChange: ((selection: ReadonlySet<string>) => void) | undefined
}

export interface TableModel<Row> {
  rows: TableRow<Row>[]
  columns: DataColumn<Row>[]
  /** -1 for a row that is not loaded. */
  indexOf: (id: string) => number
  selectedState: 'on' | 'off' | 'mixed'
  isSelected: (id: string) => boolean
  /** One row, or with shift the range from the row that was toggled last. */
  toggle: (id: string, shiftKey: boolean) => void
  toggleAll: (isSelected: boolean) => void
}

/** The server sorts, filters and pages; the table only selects rows, and orders columns. */
export function useTableModel<Row>(options: TableModelOptions<Row>): TableModel<Row> {
  const { columns, columnIds, rows: originals, rowId, selection, onSelectionChange } = options
  const lastToggled = useRef<string>(undefined)
  const rows = useMemo(() => originals.map((original) => ({ id: rowId(original), original })), [originals, rowId])
  const indexes = useMemo(() => new Map(rows.map(({ id }, index) => [id, index])), [rows])
  const visible = useMemo(() => {
    // The first column names the row: it is always there, first, and pinned by the styles.
    const [first, ...others] = columns
    const chosen = columnIds.flatMap((id) => others.find((column) => column.id === id) ?? [])
    return first ? [first, ...chosen] : []
  }, [columns, columnIds])

  const change = (ids: Iterable<string>, isSelected: boolean) => {
    const next = new Set(selection)
    for (const id of ids) {
      if (isSelected) next.add(id)
      else next.delete(id)
    }
    onSelectionChange?.(next)
  }
  const toggle = (id: string, shiftKey: boolean) => {
    const [from, to] = [lastToggled.current, id].map((one) => indexes.get(one ?? '') ?? -1).sort((a, b) => a - b)
    const range = shiftKey && from !== undefined && from >= 0 ? rows.slice(from, (to ?? from) + 1) : [{ id }]
    lastToggled.current = id
    change(
      range.map((row) => row.id),
      !selection.has(id),
    )
  }
  return {
    rows,
    columns: visible,
    indexOf: (id) => indexes.get(id) ?? -1,
    selectedState: selectedState(rows, selection),
    isSelected: (id) => selection.has(id),
    toggle,
    toggleAll: (isSelected) =>
      change(
        rows.map(({ id }) => id),
        isSelected,
      ),
  }
}

/** Reads all rows only if as many are selected: a table may have 100,000. */
function selectedState(rows: readonly { id: string }[], selection: ReadonlySet<string>): 'on' | 'off' | 'mixed' {
  if (selection.size === 0) return 'off'
  return selection.size >= rows.length && rows.every(({ id }) => selection.has(id)) ? 'on' : 'mixed'
}
