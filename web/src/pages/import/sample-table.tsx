import type { Sample } from './read-sample.ts'

const LENGTH_MAX = 120

/** The first rows as they are in the file. */
export function SampleTable({ sample }: { sample: Sample }) {
  const { columns, rows } = sample
  return (
    <section
      aria-label="First rows of the file"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs a tab stop (WCAG 2.1.1)
      tabIndex={0}
      className="relative max-h-72 overflow-auto rounded-control border border-line"
    >
      <table className="min-w-full text-left text-data">
        <caption className="sr-only">First rows of the file</caption>
        <thead className="sticky top-0 bg-surface text-meta text-faint">
          <tr>
            <th scope="col" className="px-3 py-2 font-medium">
              Row
            </th>
            {columns.map((column) => (
              <th key={column} scope="col" className="px-3 py-2 font-mono text-code font-medium whitespace-nowrap">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map((row, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a file have no other name and never move
            <tr key={place}>
              <td className="px-3 py-1.5 text-faint tabular-nums">
                {sample.mediaType === 'text/csv' ? place + 2 : place + 1}
              </td>
              {columns.map((column, index) => (
                <td key={column} className="max-w-80 truncate px-3 py-1.5">
                  {row[index] === null ? <span className="text-faint">nothing</span> : shorten(row[index] ?? '')}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function shorten(text: string): string {
  return text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX)}…` : text
}
