import type { ReactNode } from 'react'

export interface Column<Row> {
  title: string
  cell: (row: Row) => ReactNode
  align?: 'right'
  /** The cell that names the row, for screen readers. */
  isRowHeader?: boolean
  /** The title of the column is for screen readers only. */
  isTitleHidden?: boolean
  /** Dropped where the table would be cut off; cards have it. */
  isWideOnly?: boolean
}

interface TableProps<Row> {
  caption: string
  columns: Column<Row>[]
  rows: Row[]
  rowKey: (row: Row) => string
}

/** Below 640 pixels each row is a card, in which every cell has the title of its column. */
export function Table<Row>({ caption, columns, rows, rowKey }: TableProps<Row>) {
  return (
    <section
      aria-label={caption}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs a tab stop (WCAG 2.1.1)
      tabIndex={0}
      // Positioned, so that content for screen readers scrolls with the table and does not widen the page.
      className="relative overflow-x-auto rounded-card border border-line bg-surface shadow-lift"
    >
      <table className="w-full text-left text-data max-sm:block">
        <caption className="sr-only">{caption}</caption>
        <thead className="max-sm:sr-only">
          <tr className="border-b border-line text-meta text-faint">
            {columns.map((column) => (
              <th
                key={column.title}
                scope="col"
                className={`px-4 py-2 font-medium whitespace-nowrap ${columnClass(column)}`}
              >
                {column.isTitleHidden ? <span className="sr-only">{column.title}</span> : column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line max-sm:block">
          {rows.map((row) => (
            <tr
              key={rowKey(row)}
              className="transition-colors hover:bg-hover/50 max-sm:grid max-sm:grid-cols-2 max-sm:gap-x-4 max-sm:gap-y-3 max-sm:px-4 max-sm:py-3.5"
            >
              {columns.map((column) => (
                <Cell key={column.title} column={column} row={row} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const className = `px-4 py-2.5 align-middle max-sm:block max-sm:p-0 ${columnClass(column)}`
  if (!column.isRowHeader)
    return (
      <td data-title={column.isTitleHidden ? undefined : column.title} className={`${className} ${cardTitleClass}`}>
        {column.cell(row)}
      </td>
    )
  return (
    <th scope="row" className={`${className} min-w-48 font-normal wrap-anywhere max-sm:col-span-full`}>
      {column.cell(row)}
    </th>
  )
}

function columnClass<Row>(column: Column<Row>): string {
  const wide = column.isWideOnly ? 'sm:max-wide:hidden' : ''
  return column.align === 'right' ? `text-right max-sm:text-left ${wide}` : wide
}

const cardTitleClass =
  'max-sm:data-title:before:block max-sm:data-title:before:text-meta max-sm:data-title:before:text-faint max-sm:data-title:before:content-[attr(data-title)]'
