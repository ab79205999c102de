import type { ComparedMetric, Comparison } from '../../api/generated/api.ts'
import { formatInterval } from '../../ui/charts/estimate.ts'
import { IntervalGlyph } from '../../ui/charts/interval-glyph.tsx'
import { SeriesIcon } from '../../ui/charts/series-mark.tsx'
import { formatCount, formatRatio } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { changeFormat, changeOf, correctionOf, describeAlone } from './metric-change.ts'
import { valueFormat } from './metric-format.ts'
import { OutcomeBar } from './outcome-bar.tsx'
import { VerdictMark, verdictRank } from './verdict-mark.tsx'

interface MetricTableProps {
  comparison: Comparison
  /** The metric of the plots and the items. */
  shown: string | undefined
  onShow: (name: string) => void
}

/**
 * Every metric, what got worse first. Right is better: differences are drawn in shares of each metric's scale, ratios on
 * a log axis.
 */
export function MetricTable({ comparison, shown, onShow }: MetricTableProps) {
  const byVerdict = comparison.metrics.toSorted((a, b) => verdictRank(a.verdict) - verdictRank(b.verdict))
  const quality = byVerdict.filter(({ role }) => role === 'quality')
  const reported = byVerdict.filter(({ role, n }) => role === 'reported' && n > 0)
  const unmeasured = byVerdict.filter(({ role, n }) => role === 'reported' && n === 0)
  const reachOf = (metrics: ComparedMetric[]) =>
    Math.max(0.01, ...metrics.flatMap((metric) => gainsOf(metric)?.map(Math.abs) ?? []))
  const reach = { quality: reachOf(quality), reported: reachOf(reported) }
  const row = (metric: ComparedMetric) => (
    <MetricRow
      key={metric.name}
      metric={metric}
      reach={reach[metric.role]}
      isShown={metric.name === shown}
      onShow={() => onShow(metric.name)}
    />
  )
  return (
    <section aria-labelledby="every-metric" className="mt-8">
      <div className="mb-3 flex flex-wrap items-baseline gap-x-3">
        <h2 id="every-metric" className="font-display text-section font-semibold">
          Every metric
        </h2>
        <span className="text-data text-soft">what got worse first</span>
        <span className="ml-auto text-meta text-faint max-lg:ml-0">
          differences as shares of each metric’s scale, ratios on a log axis · right is better
        </span>
      </div>
      <div className="overflow-clip rounded-card border border-line bg-surface shadow-lift">
        <table className="w-full text-left text-data max-lg:block">
          <thead className="border-b border-line text-meta text-soft max-lg:sr-only">
            <tr>
              <th scope="col" className="px-4 py-2 font-medium">
                Metric
              </th>
              <th scope="col" className="px-3 py-2 font-medium">
                Verdict
              </th>
              <th scope="col" className="px-3 py-2 text-right font-medium">
                Baseline → candidate
              </th>
              <th scope="col" className="px-3 py-2 text-right font-medium">
                Change, 95 % CI
              </th>
              <th scope="col" className="w-[18%] px-3 py-2 font-medium">
                <span className="flex justify-between">
                  <span>← worse</span>
                  <span>better →</span>
                </span>
              </th>
              <th scope="col" className="px-3 py-2 text-right font-medium">
                n
              </th>
              <th scope="col" className="w-[15%] px-4 py-2 font-medium">
                Better, same, worse
              </th>
            </tr>
          </thead>
          <tbody className="max-lg:block">
            {quality.map(row)}
            {reported.length > 0 && (
              <tr className="border-t border-line max-lg:block">
                <th scope="rowgroup" colSpan={7} className="px-4 py-2 text-meta font-normal text-soft max-lg:block">
                  Reported, not part of the verdict
                </th>
              </tr>
            )}
            {reported.map(row)}
          </tbody>
        </table>
      </div>
      {unmeasured.length > 0 && (
        <p className="mt-2 text-meta text-soft">
          Not measured in both runs: {unmeasured.map(({ name }) => metricTitle(name)).join(', ')}.
        </p>
      )}
    </section>
  )
}

interface MetricRowProps {
  metric: ComparedMetric
  reach: number
  isShown: boolean
  onShow: () => void
}

const cell = 'px-3 py-2.5 align-middle max-lg:block max-lg:min-w-0 max-lg:px-0 max-lg:py-0'

function MetricRow({ metric, reach, isShown, onShow }: MetricRowProps) {
  const { verdict, baseline, candidate, n, wins, ties, losses } = metric
  const format = valueFormat(metric)
  const gains = gainsOf(metric)
  return (
    <tr
      data-estimate=""
      className={`border-t border-line first:border-t-0 max-lg:grid max-lg:grid-cols-2 max-lg:gap-x-4 max-lg:gap-y-1.5 max-lg:px-4 max-lg:py-3 ${isShown ? 'bg-selected shadow-[inset_3px_0_0_var(--color-gold)]' : ''}`}
    >
      <th scope="row" className={`${cell} font-normal lg:pl-4`}>
        <button
          type="button"
          aria-pressed={isShown}
          onClick={onShow}
          className="rounded-sm text-left font-semibold break-words underline-offset-4 wrap-anywhere hover:underline touch:min-h-11 touch:min-w-11"
        >
          <bdi>{metricTitle(metric.name)}</bdi>
        </button>
        <span className="block text-meta text-soft">{describeMetric(metric)}</span>
      </th>
      <td className={`${cell} max-lg:text-right`}>
        <VerdictMark verdict={verdict} />
      </td>
      <td className={`${cell} text-right whitespace-nowrap tabular-nums max-lg:text-left`}>
        <SeriesIcon series="baseline" />
        <span data-mean="">{baseline.mean === null ? '–' : format(baseline.mean)}</span> →{' '}
        <SeriesIcon series="candidate" />
        <span data-mean="">{candidate.mean === null ? '–' : format(candidate.mean)}</span>
      </td>
      <td className={`${cell} text-right tabular-nums`}>
        <ChangeText metric={metric} />
      </td>
      <td className={`${cell} max-lg:col-span-2`}>
        {gains && (
          <IntervalGlyph
            marks={[
              {
                series: 'candidate',
                estimate: { mean: gains[1], low: gains[0], high: gains[2], n },
                isUnclear: verdict === 'noClearDifference' || verdict === 'tooFewCases',
              },
            ]}
            domain={[-reach, reach]}
            change="difference"
          />
        )}
      </td>
      <td className={`${cell} text-right whitespace-nowrap tabular-nums max-lg:text-left max-lg:self-end`}>
        {' '}
        <span className="text-faint">n </span>
        {formatCount(n)}
      </td>
      <td className={`${cell} lg:pr-4`}>
        <OutcomeBar wins={wins} ties={ties} losses={losses} />
      </td>
    </tr>
  )
}

/** The change with the interval that decides; below it what the metric would be alone, and the total. */
function ChangeText({ metric }: { metric: ComparedMetric }) {
  const { value, ci } = changeOf(metric)
  const format = changeFormat(metric)
  const [low, high] = ci ?? []
  const [correction, alone] = [correctionOf(metric), describeAlone(metric)]
  return (
    <>
      <b data-mean="" className="block font-semibold whitespace-nowrap">
        {value === null ? 'unknown' : format(value)}
      </b>
      <span className="block text-meta whitespace-nowrap text-soft">
        {low !== undefined && high !== undefined ? formatInterval({ low, high }, format) : 'no interval'}
      </span>
      {correction && (
        <span className="block text-meta text-soft wide:whitespace-nowrap">{`95\u202f%, ${correction}`}</span>
      )}
      {alone && <span className="block text-meta text-pretty text-faint wide:whitespace-nowrap">{alone}</span>}
      {metric.totalRatio !== null && (
        <span className="block text-meta text-faint">{`total: ${formatRatio(metric.totalRatio)}`}</span>
      )}
    </>
  )
}

/**
 * Low, middle and high end of the gain: of a difference in shares of the scale, of a ratio as a logarithm. Undefined
 * without a scale or an interval.
 */
function gainsOf(metric: ComparedMetric): [number, number, number] | undefined {
  const { kind, value, ci } = changeOf(metric)
  const [from, to] = metric.scale ?? []
  const [low, high] = ci ?? []
  const length = from === undefined || to === undefined ? 0 : to - from
  if (low === undefined || high === undefined || value === null) return undefined
  if (kind === 'difference' && length <= 0) return undefined
  const gain = (end: number) => (kind === 'ratio' ? Math.log(end) : end / length)
  return metric.higherIsBetter ? [gain(low), gain(value), gain(high)] : [-gain(high), -gain(value), -gain(low)]
}

function describeMetric({ kind, scale, higherIsBetter, role, measuredAs }: ComparedMetric): string {
  const [from, to] = scale ?? []
  const range = kind === 'binary' ? 'yes or no' : from === undefined || to === undefined ? '' : `${from} to ${to}`
  const direction = higherIsBetter ? '' : 'less is better'
  return [measuredAs, range, role === 'quality' || direction ? direction : ''].filter(Boolean).join(', ')
}
