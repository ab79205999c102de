import { type ReactNode, useRef } from 'react'
import { classNames } from '../class-names.ts'
import { Skeleton } from '../skeleton.tsx'
import type { DataColumn } from './data-column.ts'
import { isControl } from './is-control.ts'
import { TableEnd } from './table-end.tsx'
import type { DataTableProps } from './table-props.ts'
import { useRowWindow } from './use-row-window.ts'
import type { TableModel } from './use-table-model.ts'

const firstGuess = 116

/** Rows as cards that scroll with the page, for phones. */
export function CardList<Row>(props: DataTableProps<Row> & { model: TableModel<Row> }) {
  const { label, model, rows, card } = props
  const list = useRef<HTMLUListElement>(null)
  const rowWindow = useRowWindow({
    scroll: 'page',
    count: rows.length,
    rowHeight: firstGuess,
    scroller: list,
    list,
    coveredTop: 0,
  })
  if (rows.length === 0) return <Skeleton />
  return (
    <div className="bg-surface">
      <ul ref={list} aria-label={label} style={{ paddingTop: rowWindow.before, paddingBottom: rowWindow.after }}>
        {rowWindow.indexes.map((index) => {
          const row = model.rows[index]
          return (
            row && (
              // The card contains a link or button to the same place for keyboards.
              // biome-ignore lint/a11y/useKeyWithClickEvents: see above
              <li
                key={row.id}
                ref={rowWindow.measure}
                data-index={index}
                data-row-id={row.id}
                aria-setsize={props.totalCount ?? (props.hasMore ? -1 : rows.length)}
                aria-posinset={index + 1}
                aria-current={row.id === props.activeId ? 'true' : undefined}
                onClick={(event) => isControl(event.target) || props.onActiveChange?.(row.id)}
                className={classNames(
                  'border-b border-line px-4 py-3',
                  row.id === props.activeId && 'bg-hover shadow-[inset_3px_0_0_var(--color-gold)]',
                )}
              >
                {card ? card(row.original) : <DefaultCard columns={model.columns} row={row.original} />}
              </li>
            )
          )
        })}
      </ul>
      <TableEnd {...props} lastIndex={rowWindow.indexes.at(-1)} />
    </div>
  )
}

function DefaultCard<Row>({ columns, row }: { columns: DataColumn<Row>[]; row: Row }): ReactNode {
  const [first, ...others] = columns
  return (
    <>
      <div className="text-body font-medium">{first?.cell(row)}</div>
      <dl className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5 text-meta">
        {others.map((column) => (
          <div key={column.id} className="flex min-w-0 gap-1.5">
            <dt className="text-faint">{column.title}</dt>
            <dd className="min-w-0 truncate tabular-nums">{column.cell(row)}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}
