import { formatCount, formatScore } from '../format-number.ts'
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
}

const DOMAIN = [0, 1] as const

/** How far every two raters agree. A narrow column shows the pairs as a list. */
export function AgreementMatrix({ title, note, raters, pairs }: AgreementMatrixProps) {
  const nameOf = (id: string) => raters.find((rater) => rater.id === id)?.name ?? 'a former member'
  const named = pairs.map(({ raterIds: [a, b], estimate }) => ({
    key: `${a} ${b}`,
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
      <ul className="divide-y divide-line border-t border-line @2xl:hidden">
        {named.map(({ key, label, estimate }) => (
          <li key={key} className="py-2.5">
            <p className="text-data">{label}</p>
            <IntervalMark estimate={estimate} domain={DOMAIN} series="baseline" />
          </li>
        ))}
      </ul>
      <table
        aria-label={title}
        className="hidden w-full table-fixed border-separate border-spacing-1 text-left @2xl:table"
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
              {raters.slice(0, row + 1).map((other) => (
                <Cell key={other.id} estimate={estimateOf(pairs, rater.id, other.id)} />
              ))}
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
        {formatCount(rater.ratingCount)} ratings
      </span>
    </>
  )
}

function Cell({ estimate }: { estimate: Estimate | undefined }) {
  if (!estimate) return <td />
  if (!hasMean(estimate)) {
    return (
      <td data-estimate="too-few" className="h-[84px] rounded-control bg-sunken px-3 py-2.5 align-top">
        <span className="font-display text-reading font-semibold text-faint">too few</span>
        <span className="mt-3 block text-meta text-soft">{estimate.summary}</span>
      </td>
    )
  }
  return (
    <td data-estimate className="relative h-[84px] rounded-control px-3 py-2.5 align-top">
      {/* Agreement by chance is blank; perfect agreement has the strongest wash under which text keeps its contrast. */}
      <span
        aria-hidden
        className="absolute inset-0 rounded-control bg-series-1"
        style={{ opacity: 0.04 + 0.18 * Math.max(0, estimate.mean) }}
      />
      <span className="relative block">
        <span data-mean className="font-display text-section font-semibold tabular-nums">
          {formatScore(estimate.mean)}
        </span>
        <IntervalGlyph marks={[{ series: 'baseline', estimate }]} domain={DOMAIN} />
        <span className="mt-0.5 block text-meta whitespace-nowrap text-soft tabular-nums">
          {formatInterval(estimate)} · n {formatCount(estimate.n)}
        </span>
      </span>
    </td>
  )
}

function estimateOf(pairs: RaterPair[], a: string, b: string): Estimate | undefined {
  return pairs.find(({ raterIds }) => raterIds.includes(a) && raterIds.includes(b))?.estimate
}
