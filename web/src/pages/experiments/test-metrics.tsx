import type { ComparedMetric, Comparison } from '../../api/generated/api.ts'
import { formatInterval } from '../../ui/charts/estimate.ts'
import { IntervalGlyph } from '../../ui/charts/interval-glyph.tsx'
import { centeredDomain } from '../../ui/charts/percent-scale.ts'
import { formatCount } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { isIdle } from '../compare/deciding-metric.ts'
import { changeFormat, changeOf, correctionOf } from '../compare/metric-change.ts'
import { valueFormat } from '../compare/metric-format.ts'
import { VerdictMark, verdictRank } from '../compare/verdict-mark.tsx'

interface TestMetricsProps {
  comparison: Comparison
  /** Of the finalist. */
  name: string
  shown: string | undefined
  onShow: (metric: string) => void
}

const cell = 'px-3 py-2.5 align-middle max-sm:block max-sm:p-0'

/** Every metric of the test in one narrow table, what got worse first. */
export function TestMetrics({ comparison, name, shown, onShow }: TestMetricsProps) {
  const metrics = comparison.metrics
    .filter((metric) => metric.n > 0 && !isIdle(metric))
    .toSorted((a, b) => verdictRank(a.verdict) - verdictRank(b.verdict))
  return (
    <section aria-labelledby="every-metric" className="mt-8">
      <div className="mb-3 flex flex-wrap items-baseline gap-x-3">
        <h2 id="every-metric" className="font-display text-section font-semibold">
          Every metric
        </h2>
        <span className="text-data text-soft">on the test items, what got worse first</span>
      </div>
      <div className="overflow-clip rounded-card border border-line bg-surface shadow-lift">
        <table className="w-full text-left text-data max-sm:block">
          <thead className="border-b border-line text-meta text-soft max-sm:sr-only">
            <tr>
              <th scope="col" className="px-3 py-2 font-medium sm:pl-4">
                Metric
              </th>
              <th scope="col" className="px-3 py-2 font-medium">
                Verdict
              </th>
              <th scope="col" className="px-3 py-2 text-right font-medium">
                Start → {name}
              </th>
              <th scope="col" className="px-3 py-2 font-medium">
                Change, 95 % CI · right is better
              </th>
              <th scope="col" className="px-3 py-2 text-right font-medium sm:pr-4">
                n
              </th>
            </tr>
          </thead>
          <tbody className="divide-y divide-line max-sm:block">
            {metrics.map((metric) => (
              <MetricRow
                key={metric.name}
                metric={metric}
                isShown={metric.name === shown}
                onShow={() => onShow(metric.name)}
              />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

interface MetricRowProps {
  metric: ComparedMetric
  isShown: boolean
  onShow: () => void
}

function MetricRow({ metric, isShown, onShow }: MetricRowProps) {
  const format = valueFormat(metric)
  const { kind, value, ci } = changeOf(metric)
  const [low, high] = ci ?? []
  const isKnown = low !== undefined && high !== undefined && value !== null
  const gain = isKnown ? gainOf(metric, { low, mean: value, high }) : undefined
  const correction = correctionOf(metric)
  const described = [metric.measuredAs, metric.higherIsBetter ? '' : 'less is better', correction]
    .filter(Boolean)
    .join(', ')
  return (
    <tr
      data-estimate=""
      className={`max-sm:grid max-sm:grid-cols-2 max-sm:gap-x-4 max-sm:gap-y-1.5 max-sm:px-4 max-sm:py-3 ${isShown ? 'bg-selected shadow-[inset_3px_0_0_var(--color-gold)]' : ''}`}
    >
      <th scope="row" className={`${cell} font-normal sm:pl-4`}>
        <button
          type="button"
          aria-pressed={isShown}
          onClick={onShow}
          className="rounded-sm text-left font-semibold wrap-anywhere underline-offset-4 hover:underline touch:min-h-11 touch:min-w-11"
        >
          <bdi>{metricTitle(metric.name)}</bdi>
        </button>
        {described && <span className="block text-meta text-soft">{described}</span>}
      </th>
      <td className={`${cell} max-sm:self-center max-sm:text-right`}>
        <VerdictMark verdict={metric.verdict} />
      </td>
      <td className={`${cell} text-right whitespace-nowrap tabular-nums max-sm:text-left`}>
        <span data-mean="">{metric.baseline.mean === null ? '–' : format(metric.baseline.mean)}</span> →{' '}
        <span data-mean="">{metric.candidate.mean === null ? '–' : format(metric.candidate.mean)}</span>
      </td>
      <td className={`${cell} tabular-nums max-sm:order-2 max-sm:col-span-2`}>
        {isKnown && gain ? (
          <span className="grid grid-cols-[minmax(3.5rem,auto)_64px] items-center justify-start gap-x-3">
            <b data-mean="" className="font-semibold whitespace-nowrap">
              {changeFormat(metric)(value)}
            </b>
            <IntervalGlyph
              marks={[
                {
                  series: 'candidate',
                  estimate: { ...gain, n: metric.n },
                  isUnclear: metric.verdict === 'noClearDifference' || metric.verdict === 'tooFewCases',
                },
              ]}
              domain={centeredDomain([gain.low, gain.high], kind)}
              change={kind}
            />
            <span className="col-span-2 text-meta whitespace-nowrap text-soft">
              {formatInterval({ low, high }, changeFormat(metric))}
            </span>
          </span>
        ) : (
          <span className="text-faint">no interval</span>
        )}
      </td>
      <td className={`${cell} text-right tabular-nums max-sm:order-1 sm:pr-4`}>
        <span className="text-faint sm:hidden">n </span>
        {formatCount(metric.n)}
      </td>
    </tr>
  )
}

interface Ends {
  low: number
  mean: number
  high: number
}

/** Right is better, also for a cost or a duration, of which less is better. */
function gainOf(metric: ComparedMetric, { low, mean, high }: Ends): Ends {
  if (metric.higherIsBetter) return { low, mean, high }
  if (changeOf(metric).kind === 'ratio') return { low: 1 / high, mean: 1 / mean, high: 1 / low }
  return { low: -high, mean: -mean, high: -low }
}
