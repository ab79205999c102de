import { useMediaQuery } from '../use-media-query.ts'
import { CardList } from './card-list.tsx'
import { RowGrid } from './row-grid.tsx'
import type { DataTableProps } from './table-props.ts'
import { useTableModel } from './use-table-model.ts'

const NOTHING_SELECTED: ReadonlySet<string> = new Set()

/**
 * A list of any length. Rows are virtual, the server sorts and pages, and the state (columns, sort, selection, active
 * row) belongs to the caller.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { columns, columnIds, rows, rowId, selection = NOTHING_SELECTED, onSelectionChange } = props
  const isNarrow = useMediaQuery('(max-width: 639px)')
  const model = useTableModel({ columns, columnIds, rows, rowId, selection, onSelectionChange })
  if (rows.length === 0 && props.error) return <>{props.error}</>
  if (rows.length === 0 && !props.isLoading) return <>{props.empty}</>
  return isNarrow ? <CardList {...props} model={model} /> : <RowGrid {...props} model={model} />
}
