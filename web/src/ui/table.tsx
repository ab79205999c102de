import type { ReactNode } from 'react'

export interface Column<Row> {
  title: string
  cell: (row: Row) => ReactNode
  align?: 'right'
  /** The cell that names the row, for screen readers. */
  isRowHeader?: boolean
  /** The title of the column is for screen readers only. */
  isTitleHidden?: boolean
}

interface TableProps<Row> {
  caption: string
  columns: Column<Row>[]
  rows: Row[]
  rowKey: (row: Row) => string
}

export function Table<Row>({ caption, columns, rows, rowKey }: TableProps<Row>) {
  return (
    <section
      aria-label={caption}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs a tab stop (WCAG 2.1.1)
      tabIndex={0}
      // Positioned, so that content for screen readers scrolls with the table and does not widen the page.
      className="relative overflow-x-auto rounded-card border border-line bg-surface shadow-lift"
    >
      <table className="w-full text-left text-data">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b border-line text-meta text-faint">
            {columns.map((column) => (
              <th
                key={column.title}
                scope="col"
                className={`px-4 py-2 font-medium whitespace-nowrap ${alignClass(column)}`}
              >
                {column.isTitleHidden ? <span className="sr-only">{column.title}</span> : column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map((row) => (
            <tr key={rowKey(row)} className="transition-colors hover:bg-hover/50">
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
  const className = `px-4 py-2.5 align-middle ${alignClass(column)}`
  if (!column.isRowHeader) return <td className={className}>{column.cell(row)}</td>
  return (
    <th scope="row" className={`${className} min-w-48 font-normal wrap-anywhere`}>
      {column.cell(row)}
    </th>
  )
}

function alignClass<Row>(column: Column<Row>): string {
  return column.align === 'right' ? 'text-right' : ''
}
