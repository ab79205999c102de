import type { EvaluationDetail, EvaluationSummary, ScoreGroup } from '../../api/generated/api.ts'
import { ChartWithTable } from '../../ui/charts/chart-with-table.tsx'
import { describeEstimate, hasMean } from '../../ui/charts/estimate.ts'
import { niceDomain, percentScale } from '../../ui/charts/percent-scale.ts'
import { SeriesIcon } from '../../ui/charts/series-mark.tsx'
import { formatCount, formatMetric, formatScore } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { describeEvaluator, type EvaluationResults } from './evaluation-results.ts'
import { estimatesOf, knownEstimates, shareOf } from './metric-estimates.ts'
import { MetricRow } from './metric-row.tsx'
import type { OpenCases } from './use-evaluation-search.ts'

interface MetricSectionProps {
  evaluation: EvaluationDetail
  results: EvaluationResults
  summary: EvaluationSummary | null | undefined
  /** All scores by value; undefined while they load. */
  groups: ScoreGroup[] | undefined
  names: { candidate: string; baseline: string | undefined }
  onOpenCases: OpenCases
}

/** Every metric on one scale: value, interval, what it is compared with, what is missing, and how the scores are spread. */
export function MetricSection({ evaluation, results, summary, groups, names, onOpenCases }: MetricSectionProps) {
  const rows = results.metrics.map((metric) => ({
    metric,
    groups: groups?.filter(({ evaluator }) => evaluator === metric.name),
    about: describeEvaluator(evaluation, metric.name),
    estimates: estimatesOf(metric, {
      shown: summary?.metrics.find(({ name }) => name === metric.name),
      compared: results.comparison?.metrics.find(({ name }) => name === metric.name),
    }),
  }))
  const shares = rows.flatMap(({ metric, estimates: { main, baseline, corrected, scale } }) =>
    scale
      ? knownEstimates([main, baseline, corrected].map((one) => one && shareOf(one, scale, metric.higherIsBetter)))
      : [],
  )
  const ends = shares.flatMap(({ low, high }) => [low, high])
  const [low, high] = ends.length === 0 ? [0, 1] : niceDomain(ends)
  const domain = [Math.max(0, low), Math.min(1, high)] as const
  const scale = percentScale(domain)
  const hasBaseline = rows.some(({ estimates }) => estimates.baseline && hasMean(estimates.baseline))
  const hasCorrected = rows.some(({ estimates }) => estimates.corrected && hasMean(estimates.corrected))
  return (
    <section aria-labelledby="metrics-title" className="mt-8">
      <div className="mb-3 flex flex-wrap items-baseline gap-x-6 gap-y-1">
        <h2 id="metrics-title" className="font-display text-section font-semibold">
          Metrics
        </h2>
        <p className="ml-auto flex min-w-0 flex-wrap gap-x-4 text-meta text-soft max-sm:ml-0">
          {hasBaseline && (
            <span className="max-w-72 truncate">
              <SeriesIcon series="baseline" />
              {names.baseline}
            </span>
          )}
          <span className="max-w-72 truncate">
            <SeriesIcon series="candidate" />
            {names.candidate}
          </span>
          {hasCorrected && (
            <span>
              <SeriesIcon series="corrected" />
              as people would say
            </span>
          )}
          <span>line: 95 % interval</span>
        </p>
      </div>
      <div className="rounded-card border border-line bg-surface px-5 py-4 shadow-lift max-sm:px-4">
        <ChartWithTable
          title="All metrics on one scale"
          note="shares of each scale, right is better"
          summary={rows
            .map(
              ({ metric, estimates: { main, unit } }) =>
                `${metricTitle(metric.name)}: ${describeEstimate(main)} ${unit}`,
            )
            .join('. ')}
          table={{
            columns: [
              { title: 'Metric' },
              { title: 'Value, 95\u202f% interval and n' },
              { title: 'Compared with' },
              { title: 'As people would say' },
              { title: 'Missing', align: 'right' },
              { title: 'Failed', align: 'right' },
            ],
            rows: rows.map(({ metric, estimates: { main, unit, baseline, corrected } }) => [
              metricTitle(metric.name),
              `${describeEstimate(main, formatMetric)} ${hasMean(main) ? unit : ''}`,
              baseline ? describeEstimate(baseline, formatMetric) : '–',
              corrected ? describeEstimate(corrected, formatMetric) : '–',
              formatCount(metric.missing),
              formatCount(metric.failed),
            ]),
          }}
        >
          <div
            aria-hidden
            className="hidden text-[11px] text-faint tabular-nums @4xl:grid @4xl:grid-cols-[minmax(9rem,1.1fr)_10.5rem_minmax(0,3fr)_6rem_9rem] @4xl:gap-x-5"
          >
            <span className="relative col-start-3 h-4">
              {scale.ticks(5).map((tick) => (
                <span key={tick} className="absolute -translate-x-1/2" style={{ left: scale.x(tick) }}>
                  {formatScore(tick)}
                </span>
              ))}
            </span>
          </div>
          <ul className="divide-y divide-line">
            {rows.map((row) => (
              <MetricRow key={row.metric.name} {...row} domain={domain} onOpenCases={onOpenCases} />
            ))}
          </ul>
        </ChartWithTable>
      </div>
      <p className="mt-2 text-meta text-faint tabular-nums">
        {formatCount(evaluation.progress.total)} scores: {formatCount(evaluation.progress.done)} made,{' '}
        {formatCount(evaluation.progress.skipped)} skipped, {formatCount(evaluation.progress.failed)} failed.
        {results.groupBy && ` Items are grouped by ${results.groupBy}.`}
        {results.duplicates ? ` ${formatCount(results.duplicates)} items repeat another one and count with it.` : ''}
      </p>
    </section>
  )
}
