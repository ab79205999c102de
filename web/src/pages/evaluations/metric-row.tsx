import { TriangleAlert } from 'lucide-react'
import type { ScoreGroup } from '../../api/generated/api.ts'
import { AxisLabels } from '../../ui/charts/axis-labels.tsx'
import { type Estimate, formatInterval, hasMean } from '../../ui/charts/estimate.ts'
import { niceDomain, percentScale } from '../../ui/charts/percent-scale.ts'
import { intervalClass, type Series, SeriesMark } from '../../ui/charts/series-mark.tsx'
import { formatCount, formatMetric } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import type { ResultMetric } from './evaluation-results.ts'
import { MetricDetails } from './metric-details.tsx'
import { MetricDistribution } from './metric-distribution.tsx'
import { knownEstimates, type MetricEstimates, shareOf } from './metric-estimates.ts'
import type { OpenCases } from './use-evaluation-search.ts'

interface MetricRowProps {
  metric: ResultMetric
  /** What the evaluator does, in a few words. */
  about: string | undefined
  estimates: MetricEstimates
  /** Its scores by value; undefined while they load. */
  groups: ScoreGroup[] | undefined
  domain: readonly [number, number]
  onOpenCases: OpenCases
}

export function MetricRow({ metric, about, estimates, groups, domain, onOpenCases }: MetricRowProps) {
  const { name, missing, failed } = metric
  return (
    <li className="py-4 first:pt-2 last:pb-1">
      <div className="grid items-center gap-x-5 gap-y-2 text-data grid-cols-[minmax(0,1fr)_10.5rem] @4xl:grid-cols-[minmax(9rem,1.1fr)_10.5rem_minmax(0,3fr)_6rem_9rem]">
        <div className="min-w-0">
          <h3 className="font-semibold wrap-anywhere">{metricTitle(name)}</h3>
          {about && <p className="text-meta text-soft wrap-anywhere">{about}</p>}
        </div>
        <Value estimates={estimates} />
        <div className="@max-4xl:col-span-2 min-w-0">
          <MetricPlot estimates={estimates} domain={domain} higherIsBetter={metric.higherIsBetter} />
        </div>
        <p className="text-meta text-soft tabular-nums">
          {formatCount(missing)} missing
          <br />
          {failed > 0 ? (
            <button
              type="button"
              onClick={() => onOpenCases({ metric: name, state: 'failed' })}
              className="touch-link inline-flex items-center gap-1 font-medium text-warn underline underline-offset-3"
            >
              <TriangleAlert aria-hidden className="size-3.5" />
              {formatCount(failed)} failed
              <span className="sr-only">: open the cases of {metricTitle(name)}</span>
            </button>
          ) : (
            '0 failed'
          )}
        </p>
        <MetricDistribution metric={metric} groups={groups} />
      </div>
      <MetricDetails metric={metric} />
    </li>
  )
}

function Value({ estimates: { main, unit, mean } }: { estimates: MetricEstimates }) {
  if (!hasMean(main)) {
    return (
      <p data-estimate="too-few" className="text-soft">
        {main.summary}
      </p>
    )
  }
  return (
    <p data-estimate className="tabular-nums @max-4xl:text-right">
      <b data-mean className="block font-display text-section font-semibold">
        {formatMetric(main.mean)}
      </b>
      <span className="block text-meta text-soft">
        <span className="sr-only">95 % interval </span>
        {formatInterval(main, formatMetric)} {unit} · n {formatCount(main.n)}
      </span>
      {mean && hasMean(mean) && (
        <span className="block text-meta text-soft">
          mean {formatMetric(mean.mean)} ({formatInterval(mean, formatMetric)})
        </span>
      )}
    </p>
  )
}

interface MetricPlotProps {
  estimates: MetricEstimates
  domain: readonly [number, number]
  higherIsBetter: boolean
}

const markHeight = 16

/** On the common axis; a metric without a scale has one of its own. */
function MetricPlot({ estimates: { main, baseline, corrected, scale }, domain, higherIsBetter }: MetricPlotProps) {
  const marks: { series: Series; estimate: Estimate | undefined }[] = [
    { series: 'baseline', estimate: baseline },
    { series: 'candidate', estimate: main },
    { series: 'corrected', estimate: scale ? corrected : undefined },
  ]
  const drawn = marks.flatMap(({ series, estimate }) => {
    const placed = estimate && scale ? shareOf(estimate, scale, higherIsBetter) : estimate
    return placed && hasMean(placed) ? [{ series, estimate: placed }] : []
  })
  if (drawn.length === 0) return null
  const own = niceDomain(knownEstimates(drawn.map(({ estimate }) => estimate)).flatMap(({ low, high }) => [low, high]))
  const axis = percentScale(scale ? domain : own)
  const height = drawn.length * markHeight + 8
  return (
    <>
      <svg aria-hidden height={height} className="block w-full overflow-visible">
        {axis.ticks(5).map((tick) => (
          <line key={tick} x1={axis.x(tick)} x2={axis.x(tick)} y1="0" y2={height} className="stroke-line" />
        ))}
        {drawn.map(({ series, estimate }, index) => {
          const y = (index + 0.5) * markHeight + 4
          return (
            <g key={series}>
              <line
                x1={axis.x(estimate.low)}
                x2={axis.x(estimate.high)}
                y1={y}
                y2={y}
                strokeWidth={series === 'corrected' ? 2 : 2.5}
                strokeLinecap={series === 'corrected' ? 'butt' : 'round'}
                strokeDasharray={series === 'corrected' ? '3 3' : undefined}
                className={intervalClass[series]}
              />
              <SeriesMark series={series} x={axis.x(estimate.mean)} y={y} radius={4.5} />
            </g>
          )
        })}
      </svg>
      <AxisLabels
        // All rows have the axis of the table where there is room for columns.
        className={scale ? '@4xl:hidden' : ''}
        labels={axis.ticks(5).map((tick) => ({ at: axis.at(tick), text: formatMetric(tick), key: String(tick) }))}
      />
      {!scale && (
        <p aria-hidden className="text-[11px] text-faint">
          a scale of its own{!higherIsBetter && ', left is better'}
        </p>
      )}
    </>
  )
}
