import type { ReactNode } from 'react'
import { classNames } from '../class-names.ts'
import { countOf, formatCount, formatScore } from '../format-number.ts'
import { ChartWithTable } from './chart-with-table.tsx'
import { describeEstimate, type Estimate, formatInterval, hasMean } from './estimate.ts'
import { IntervalGlyph } from './interval-glyph.tsx'
import { IntervalMark } from './interval-mark.tsx'

interface Rater {
  id: string
  name: string
  ratingCount: number
}

export interface RaterPair {
  raterIds: readonly [string, string]
  /** Cohen's kappa of what both rated. */
  estimate: Estimate
}

interface AgreementMatrixProps {
  title: string
  note?: string
  raters: Rater[]
  pairs: RaterPair[]
  /** The pair that other parts of the page show. */
  selected?: RaterPair['raterIds'] | undefined
  /** Without it, pairs cannot be chosen. */
  onSelect?: ((raterIds: RaterPair['raterIds']) => void) | undefined
}

const DOMAIN = [0, 1] as const
/** More do not fit next to each other. */
const MATRIX_RATERS_MAX = 5

/** How far every two raters agree. A narrow column, and many raters, show the pairs as a list. */
export function AgreementMatrix({ title, note, raters, pairs, selected, onSelect }: AgreementMatrixProps) {
  const isMatrix = raters.length <= MATRIX_RATERS_MAX
  const nameOf = (id: string) => raters.find((rater) => rater.id === id)?.name ?? 'a former member'
  const named = pairs.map(({ raterIds: [a, b], estimate }) => ({
    key: `${a} ${b}`,
    choice: {
      isSelected: [a, b].every((id) => selected?.includes(id)),
      onSelect: onSelect && (() => onSelect([a, b])),
    },
    label: `${nameOf(a)} and ${nameOf(b)}`,
    estimate,
  }))
  return (
    <ChartWithTable
      title={title}
      note={note}
      summary={named.map(({ label, estimate }) => `${label}: ${describeEstimate(estimate)}`).join('. ')}
      table={{
        columns: [{ title: 'Raters' }, { title: 'κ, 95\u202f% interval and n' }],
        rows: named.map(({ label, estimate }) => [label, describeEstimate(estimate)]),
      }}
    >
      <ul
        className={classNames(
          'divide-y divide-line border-t border-line',
          isMatrix ? '@xl:hidden' : 'max-h-96 overflow-y-auto',
        )}
      >
        {named.map(({ key, label, estimate, choice }) => (
          <li key={key} className="py-0.5">
            <Choice {...choice} className="px-2 py-2">
              <span className="block text-data">{label}</span>
              <IntervalMark estimate={estimate} domain={DOMAIN} series="baseline" />
            </Choice>
          </li>
        ))}
      </ul>
      <table
        aria-label={title}
        className={classNames(
          'hidden w-full table-fixed border-separate border-spacing-1 text-left',
          isMatrix && '@xl:table',
        )}
      >
        <thead>
          <tr>
            <td className="w-32" />
            {raters.slice(0, -1).map((rater) => (
              <th key={rater.id} scope="col" className="px-3 pb-1 align-bottom">
                <RaterName rater={rater} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {raters.slice(1).map((rater, row) => (
            <tr key={rater.id}>
              <th scope="row" className="pr-2">
                <RaterName rater={rater} />
              </th>
              {raters.slice(0, row + 1).map((other) => {
                const place = pairs.findIndex(({ raterIds }) => isPairOf(raterIds, rater.id, other.id))
                return <Cell key={other.id} pair={named[place]} />
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </ChartWithTable>
  )
}

function RaterName({ rater }: { rater: Rater }) {
  return (
    <>
      <span className="block truncate text-data font-medium">{rater.name}</span>
      <span className="block text-meta font-normal text-faint tabular-nums">
        {countOf(rater.ratingCount, 'rating')}
      </span>
    </>
  )
}

interface NamedPair {
  label: string
  estimate: Estimate
  choice: Omit<ChoiceProps, 'className' | 'children'>
}

function Cell({ pair }: { pair: NamedPair | undefined }) {
  if (!pair) return <td />
  const { label, estimate, choice } = pair
  const name = choice.onSelect && <span className="sr-only">{label}: </span>
  if (!hasMean(estimate)) {
    return (
      <td data-estimate="too-few" className="h-[84px] rounded-control bg-sunken p-0 align-top">
        <Choice {...choice} className="h-[84px] px-3 py-2.5">
          {name}
          <span className="block font-display text-reading font-semibold text-faint">no estimate</span>
          <span className="mt-1.5 block text-meta text-soft">{estimate.summary}</span>
        </Choice>
      </td>
    )
  }
  return (
    <td data-estimate className="relative h-[84px] rounded-control p-0 align-top">
      {/* Agreement by chance is blank; perfect agreement has the strongest wash under which text keeps its contrast. */}
      <span
        aria-hidden
        className="absolute inset-0 rounded-control bg-series-1"
        style={{ opacity: 0.04 + 0.18 * Math.max(0, estimate.mean) }}
      />
      <Choice {...choice} className="relative h-[84px] px-3 py-2.5">
        {name}
        <span data-mean className="font-display text-section font-semibold tabular-nums">
          {formatScore(estimate.mean)}
        </span>
        <IntervalGlyph marks={[{ series: 'baseline', estimate }]} domain={DOMAIN} />
        <span className="mt-0.5 block text-meta whitespace-nowrap text-soft tabular-nums">
          {formatInterval(estimate)} · n {formatCount(estimate.n)}
        </span>
      </Choice>
    </td>
  )
}

interface ChoiceProps {
  isSelected: boolean
  onSelect: (() => void) | undefined
  className: string
  children: ReactNode
}

/** A button if pairs can be chosen. */
function Choice({ isSelected, onSelect, className, children }: ChoiceProps) {
  if (!onSelect) return <div className={className}>{children}</div>
  return (
    <button
      type="button"
      aria-pressed={isSelected}
      onClick={onSelect}
      className={classNames(
        'block w-full rounded-control text-left hover:shadow-[inset_0_0_0_1px_var(--color-edge)]',
        isSelected && 'shadow-[inset_0_0_0_2px_var(--color-gold)]',
        className,
      )}
    >
      {children}
    </button>
  )
}

function isPairOf([first, second]: RaterPair['raterIds'], a: string, b: string): boolean {
  return (first === a && second === b) || (first === b && second === a)
}
