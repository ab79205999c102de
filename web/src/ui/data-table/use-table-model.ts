import {
  columnOrderingFeature,
  columnVisibilityFeature,
  type Row as ModelRow,
  type RowData,
  rowSelectionFeature,
  tableFeatures,
  type Updater,
  useTable,
} from '@tanstack/react-table'
import { useMemo } from 'react'
import type { DataColumn } from './data-column.ts'

/** The server sorts, filters and pages; the table only selects, and orders columns. */
const features = tableFeatures({
  columnVisibilityFeature,
  columnOrderingFeature,
  rowSelectionFeature,
})

export type TableRow<Row extends RowData> = ModelRow<typeof features, Row>

interface TableModelOptions<Row> {
  columns: DataColumn<Row>[]
  /** Visible columns in their order. */
  columnIds: string[]
  rows: Row[]
  rowId: (row: Row) => string
  selection: ReadonlySet<string>
  onSelectionChange: ((selection: ReadonlySet<string>) => void) | undefined
}

export function useTableModel<Row extends RowData>(options: TableModelOptions<Row>) {
  const { columns, columnIds, rows, rowId, selection, onSelectionChange } = options
  const definitions = useMemo(() => columns.map(({ id, title }) => ({ id, header: title })), [columns])
  const firstId = columns[0]?.id
  const state = useMemo(
    () => ({
      columnVisibility: Object.fromEntries(
        columns.map(({ id }) => [id, id === firstId || columnIds.includes(id)] as const),
      ),
      // The first column names the row: it is always there, first, and pinned by the styles.
      columnOrder: firstId === undefined ? [] : [firstId, ...columnIds.filter((id) => id !== firstId)],
    }),
    [columns, columnIds, firstId],
  )
  const rowSelection = useMemo(() => toRecord(selection), [selection])
  const table = useTable({
    features,
    columns: definitions,
    data: rows,
    getRowId: rowId,
    enableRowSelection: onSelectionChange !== undefined,
    state: { ...state, rowSelection },
    onRowSelectionChange: (updater: Updater<Record<string, true>>) => {
      const next = typeof updater === 'function' ? updater(rowSelection) : updater
      onSelectionChange?.(new Set(Object.keys(next)))
    },
  })
  const visible = table.getVisibleLeafColumns().flatMap(({ id }) => columns.find((column) => column.id === id) ?? [])
  const model = table.getRowModel()
  const indexOf = (id: string) => model.rowsById[id]?.index ?? -1
  return { rows: model.rows, indexOf, columns: visible, selectedState: selectedState(rows, rowId, selection), table }
}

/** Reads all rows only if as many are selected: a table may have 100,000. */
function selectedState<Row>(
  rows: Row[],
  rowId: (row: Row) => string,
  selection: ReadonlySet<string>,
): 'on' | 'off' | 'mixed' {
  if (selection.size === 0) return 'off'
  return selection.size >= rows.length && rows.every((row) => selection.has(rowId(row))) ? 'on' : 'mixed'
}

function toRecord(selection: ReadonlySet<string>): Record<string, true> {
  return Object.fromEntries([...selection].map((id) => [id, true] as const))
}

/** Selects or deselects one row, or with shift the range from the row that was toggled last. */
export function toggleRow<Row extends RowData>(row: TableRow<Row>, shiftKey: boolean): void {
  row.getToggleSelectedHandler()({ target: { checked: !row.getIsSelected() }, shiftKey })
}

export type TableModel<Row extends RowData> = ReturnType<typeof useTableModel<Row>>
