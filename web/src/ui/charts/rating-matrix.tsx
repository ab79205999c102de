import { classNames } from '../class-names.ts'
import { countOf, formatCount } from '../format-number.ts'
import { type RatingColor, RatingMark } from '../rating-mark.tsx'
import { ChartWithTable } from './chart-with-table.tsx'

type Words = readonly [string, string]

interface RatingMatrixProps {
  title: string
  /** The names of the rater of the rows, and of the one of the columns. */
  raters: readonly [string, string]
  /** In their order. */
  words: readonly { value: string; label: string; color: RatingColor | null }[]
  /** How often the first gave `a` where the second gave `b`. */
  counts: readonly { a: string; b: string; count: number }[]
  /** The combination that a list next to the chart shows. */
  selected: Words | undefined
  /** Undefined if the selected combination is chosen again. */
  onSelect: (words: Words | undefined) => void
}

/** Which ratings two raters gave to the same traces. Combinations of different ratings can be chosen. */
export function RatingMatrix({ title, raters, words, counts, selected, onSelect }: RatingMatrixProps) {
  const [first, second] = raters
  const labelOf = (value: string) => words.find((word) => word.value === value)?.label ?? value
  const pairCount = (a: string, b: string) => counts.find((one) => one.a === a && one.b === b)?.count ?? 0
  const most = Math.max(1, ...counts.map(({ count }) => count))
  return (
    <ChartWithTable
      title={title}
      note={`${first} in rows, ${second} in columns`}
      summary={describeCounts(counts)}
      table={{
        columns: [{ title: `${first} (rows)` }, { title: `${second} (columns)` }, { title: 'Traces', align: 'right' }],
        rows: counts.map(({ a, b, count }) => [labelOf(a), labelOf(b), formatCount(count)]),
      }}
    >
      <section
        aria-label={`${title}, matrix`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs a tab stop (WCAG 2.1.1)
        tabIndex={0}
        className="relative overflow-x-auto"
      >
        <table aria-label={title} className="w-full border-separate border-spacing-1 text-data">
          <thead>
            <tr>
              <td />
              {words.map((word) => (
                <th key={word.value} scope="col" className="min-w-12 px-0.5 pb-1 text-center font-medium">
                  <Word {...word} layout="stack" />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {words.map((row) => (
              <tr key={row.value}>
                <th scope="row" className="max-w-32 pr-1 text-left font-medium @max-md:max-w-20">
                  <Word {...row} />
                </th>
                {words.map((column) => (
                  <Cell
                    key={column.value}
                    label={`${first}: ${row.label}, ${second}: ${column.label}`}
                    count={pairCount(row.value, column.value)}
                    most={most}
                    isSame={row.value === column.value}
                    isSelected={selected?.[0] === row.value && selected[1] === column.value}
                    onSelect={(isOn) => onSelect(isOn ? [row.value, column.value] : undefined)}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </ChartWithTable>
  )
}

interface WordProps {
  label: string
  color: RatingColor | null
  /** In narrow columns, the color is above the word. */
  layout?: 'stack'
}

function Word({ label, color, layout }: WordProps) {
  return (
    <span
      className={classNames(
        'inline-flex max-w-full items-center gap-1.5',
        layout === 'stack' && '@max-md:flex-col @max-md:gap-0.5',
      )}
    >
      <RatingMark color={color} />
      <bdi className="truncate">{label}</bdi>
    </span>
  )
}

interface CellProps {
  label: string
  count: number
  /** The largest count of the matrix. */
  most: number
  isSame: boolean
  isSelected: boolean
  onSelect: (isSelected: boolean) => void
}

function Cell({ label, count, most, isSame, isSelected, onSelect }: CellProps) {
  if (count === 0) {
    return <td className="h-11 rounded-control bg-sunken text-center text-faint tabular-nums">0</td>
  }
  return (
    <td className="relative h-11 rounded-control text-center tabular-nums">
      {/* The strongest wash keeps the contrast of the number. Equal ratings and different ones have different colors. */}
      <span
        aria-hidden
        className={classNames('absolute inset-0 rounded-control', isSame ? 'bg-series-1' : 'bg-series-2')}
        style={{ opacity: 0.06 + 0.18 * (count / most) }}
      />
      {isSame ? (
        <span className="relative font-semibold">{formatCount(count)}</span>
      ) : (
        <button
          type="button"
          aria-label={`${label}: ${formatCount(count)}`}
          aria-pressed={isSelected}
          onClick={() => onSelect(!isSelected)}
          className={classNames(
            'relative h-full w-full rounded-control font-semibold underline decoration-edge underline-offset-4 hover:decoration-ink',
            isSelected && 'shadow-[inset_0_0_0_2px_var(--color-gold)]',
          )}
        >
          {formatCount(count)}
        </button>
      )}
    </td>
  )
}

function describeCounts(counts: RatingMatrixProps['counts']): string {
  const all = counts.reduce((sum, { count }) => sum + count, 0)
  const same = counts.reduce((sum, { a, b, count }) => (a === b ? sum + count : sum), 0)
  return `Both rated ${countOf(all, 'trace')}, ${formatCount(same)} of them the same.`
}
