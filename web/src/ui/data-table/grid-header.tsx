import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react'
import type { Ref } from 'react'
import { Checkbox } from '../checkbox.tsx'
import { classNames } from '../class-names.ts'
import type { DataColumn, Sort } from './data-column.ts'
import type { DataTableProps } from './table-props.ts'
import { checkboxWidth } from './table-sizes.ts'
import type { TableModel } from './use-table-model.ts'

type GridHeaderProps<Row> = DataTableProps<Row> & {
  model: TableModel<Row>
  ref: Ref<HTMLTableSectionElement>
}

export function GridHeader<Row>({ model, ref, onSelectionChange, ...props }: GridHeaderProps<Row>) {
  const { sort, onSortChange } = props
  return (
    // The z-index of the corner is above that of pinned cells, which is above the one of cells.
    // With the page it stays below the top row of the page.
    <thead
      ref={ref}
      className={classNames('sticky z-20 text-meta text-faint', props.scroll === 'page' ? 'top-12' : 'top-0')}
    >
      <tr aria-rowindex={1}>
        {onSelectionChange && (
          <th scope="col" className={`${headClass} sticky left-0 z-10 pr-0 pl-4`}>
            <Checkbox
              aria-label="Select all loaded rows"
              state={model.selectedState}
              onChange={(event) => model.toggleAll(event.target.checked)}
            />
          </th>
        )}
        {model.columns.map((column, index) => (
          <th
            key={column.id}
            scope="col"
            aria-sort={sort?.columnId === column.id ? sort.direction : undefined}
            className={classNames(
              headClass,
              index === 0 && 'sticky z-10',
              index === 0 && !onSelectionChange && 'pl-4',
              column.align === 'right' && 'text-right',
            )}
            style={index === 0 ? { left: onSelectionChange ? checkboxWidth : 0 } : undefined}
          >
            <HeaderTitle column={column} sort={sort} onSortChange={onSortChange} />
            {column.note && (
              <span className="mt-0.5 block text-[11px] leading-4 font-normal tabular-nums">{column.note}</span>
            )}
          </th>
        ))}
      </tr>
    </thead>
  )
}

const headClass = 'border-b border-line bg-surface px-2 py-1.5 align-top font-medium whitespace-nowrap'

interface HeaderTitleProps<Row> {
  column: DataColumn<Row>
  sort: Sort | undefined
  onSortChange: ((sort: Sort) => void) | undefined
}

function HeaderTitle<Row>({ column, sort, onSortChange }: HeaderTitleProps<Row>) {
  if (column.isTitleHidden) return <span className="sr-only">{column.title}</span>
  if (!column.isSortable || !onSortChange) return column.title
  const current = sort?.columnId === column.id ? sort.direction : undefined
  const Icon = current === undefined ? ArrowUpDown : current === 'ascending' ? ArrowUp : ArrowDown
  return (
    <button
      type="button"
      // The first press shows the largest or newest, as these are looked for most.
      onClick={() =>
        onSortChange({ columnId: column.id, direction: current === 'descending' ? 'ascending' : 'descending' })
      }
      className={classNames(
        'group/sort inline-flex items-center gap-1 rounded-sm hover:text-ink',
        column.align === 'right' && 'flex-row-reverse',
        current && 'text-ink',
      )}
    >
      {column.title}
      <Icon
        aria-hidden
        className={classNames(
          'size-3',
          !current && 'opacity-0 group-hover/sort:opacity-100 group-focus-visible/sort:opacity-100',
        )}
      />
    </button>
  )
}
