import type { MouseEvent } from 'react'
import { Checkbox } from '../checkbox.tsx'
import { classNames } from '../class-names.ts'
import type { DataColumn } from './data-column.ts'
import { isControl } from './is-control.ts'
import { checkboxWidth } from './table-sizes.ts'
import type { TableRow } from './use-table-model.ts'

interface GridRowProps<Row> {
  row: TableRow<Row>
  index: number
  columns: DataColumn<Row>[]
  height: number
  isSelected: boolean
  isSelectable: boolean
  isActive: boolean
  isTabStop: boolean
  onActivate: ((rowId: string) => void) | undefined
  onToggle: (rowId: string, shiftKey: boolean) => void
}

export function GridRow<Row>({ row, index, columns, height, ...props }: GridRowProps<Row>) {
  const { isSelected, isSelectable, isActive, isTabStop, onActivate, onToggle } = props
  const activate = (event: MouseEvent) => {
    if (!isControl(event.target)) onActivate?.(row.id)
  }
  return (
    // The grid handles the keys of its rows.
    <tr
      data-row-id={row.id}
      tabIndex={isTabStop ? 0 : -1}
      aria-rowindex={index + 2}
      aria-selected={isSelectable ? isSelected : undefined}
      aria-current={isActive ? 'true' : undefined}
      onClick={activate}
      className={classNames(
        'group/row focus-visible:-outline-offset-2',
        onActivate && 'cursor-default',
        isActive ? 'bg-hover' : isSelected ? 'bg-selected' : 'bg-surface hover:bg-hover',
      )}
    >
      {isSelectable && (
        <td
          className={classNames(cellClass, 'sticky left-0 z-10 bg-inherit pr-0 pl-4', isActive && activeClass)}
          style={{ height }}
        >
          <Checkbox
            aria-label={`Select row ${index + 1}`}
            tabIndex={isActive ? 0 : -1}
            state={isSelected ? 'on' : 'off'}
            onClick={(event) => onToggle(row.id, event.shiftKey)}
            // The click decides, because the change event does not know whether shift was pressed.
            onChange={() => undefined}
          />
        </td>
      )}
      {columns.map((column, position) => (
        <td
          key={column.id}
          className={classNames(
            cellClass,
            position === 0 && 'sticky z-10 bg-inherit',
            position === 0 && !isSelectable && 'pl-4',
            position === 0 && !isSelectable && isActive && activeClass,
            column.align === 'right' && 'text-right tabular-nums',
          )}
          style={position === 0 ? { height, left: isSelectable ? checkboxWidth : 0 } : { height }}
        >
          {column.cell(row.original)}
        </td>
      ))}
    </tr>
  )
}

const cellClass = 'overflow-hidden border-b border-line px-2 py-0 text-ellipsis whitespace-nowrap'

/** The gold bar means "here". */
const activeClass = 'shadow-[inset_3px_0_0_var(--color-gold)]'
