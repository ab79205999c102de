import { type ReactNode, useId, useState } from 'react'

interface ChartTable {
  columns: { title: string; align?: 'right' }[]
  rows: ReactNode[][]
}

interface ChartWithTableProps {
  title: string
  /** What the marks mean, in a few words. */
  note?: ReactNode
  /** The content of the chart in one or two sentences, for screen readers. */
  summary: string
  /** The same numbers as the chart. */
  table: ChartTable
  /** Controls of the chart, at the right of its title. */
  actions?: ReactNode
  children: ReactNode
}

/** Every chart has a table twin: for screen readers, for copying, and for those who want the numbers. */
export function ChartWithTable({ title, note, summary, table, actions, children }: ChartWithTableProps) {
  const titleId = useId()
  const [shown, setShown] = useState<'chart' | 'table'>('chart')
  return (
    <figure aria-labelledby={titleId} className="@container min-w-0">
      {/* Without controls of its own, a narrow chart has the button next to its title. */}
      <figcaption className={`mb-2 flex items-baseline gap-x-3 ${actions ? '@max-2xl:flex-wrap' : ''}`}>
        <span className="flex min-w-0 grow flex-wrap items-baseline gap-x-3">
          <span id={titleId} className="text-body font-semibold">
            {title}
          </span>
          {note && <span className="text-meta text-faint">{note}</span>}
        </span>
        <span className={`flex flex-wrap items-center gap-x-3 gap-y-1 ${actions ? 'min-w-0' : 'shrink-0'}`}>
          {actions}
          <button
            type="button"
            onClick={() => setShown(shown === 'chart' ? 'table' : 'chart')}
            className="rounded-sm text-meta whitespace-nowrap text-soft underline decoration-edge underline-offset-3 hover:text-ink touch-link"
          >
            Show as {shown === 'chart' ? 'table' : 'chart'}
            <span className="sr-only">: {title}</span>
          </button>
        </span>
      </figcaption>
      {shown === 'chart' ? (
        <>
          <p className="sr-only">{summary}</p>
          {children}
        </>
      ) : (
        <TableTwin label={title} table={table} />
      )}
    </figure>
  )
}

function TableTwin({ label, table }: { label: string; table: ChartTable }) {
  return (
    <section
      aria-label={`${label}, as a table`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs a tab stop (WCAG 2.1.1)
      tabIndex={0}
      className="relative max-h-80 overflow-auto rounded-control border border-line"
    >
      <table className="w-full text-left text-data">
        <thead className="sticky top-0 bg-surface text-meta text-faint">
          <tr>
            {table.columns.map(({ title, align }) => (
              <th
                key={title}
                scope="col"
                className={`px-3 py-1.5 font-medium whitespace-nowrap ${align === 'right' ? 'text-right' : ''}`}
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line border-t border-line tabular-nums">
          {table.rows.map((row, rowIndex) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows are those of the chart and have no state
            <tr key={rowIndex}>
              {row.map((cell, index) => (
                <td
                  key={table.columns[index]?.title}
                  className={`px-3 py-1.5 ${table.columns[index]?.align === 'right' ? 'text-right' : ''}`}
                >
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
