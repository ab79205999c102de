import type { ComparedMetric } from '../../api/generated/api.ts'
import { IntervalPlot } from '../../ui/charts/interval-plot.tsx'
import { countOf, formatCount } from '../../ui/format-number.ts'
import { toEstimate } from '../overview/trace-estimates.ts'
import { MarginEditor } from './margin-editor.tsx'
import { differenceFormat, formatP, metricTitle, valueFormat } from './metric-format.ts'
import type { ChangeSearch } from './use-compare-search.ts'

interface ComparisonPlotsProps {
  metric: ComparedMetric
  names: { baseline: string; candidate: string }
  margin: string | undefined
  change: ChangeSearch
  /** Whether the headline has the summary of the metric. */
  isSummarized: boolean
}

/** Both runs on one axis, and the difference item by item with zero and the margin. */
export function ComparisonPlots({ metric, names, margin, change, isSummarized }: ComparisonPlotsProps) {
  const { higherIsBetter } = metric
  const limit = margin === undefined ? undefined : Number(margin) * (higherIsBetter ? -1 : 1)
  return (
    <section
      aria-label={`Numbers of ${metric.name}`}
      className="rounded-card border border-line bg-surface shadow-lift"
    >
      <div className="grid grid-cols-1 max-lg:divide-y max-lg:divide-line lg:grid-cols-[minmax(0,9fr)_minmax(0,11fr)] lg:divide-x lg:divide-line">
        <div className="p-5 max-sm:p-4">
          <IntervalPlot
            title={metricTitle(metric)}
            note={metric.measuredAs ?? (metric.kind === 'binary' ? 'share of answers that pass' : 'mean')}
            rows={(['baseline', 'candidate'] as const).map((side) => ({
              label: names[side],
              series: side,
              estimate: toEstimate({ ...metric[side], n: metric.n }, `${names[side]}: no interval, n ${metric.n}`),
            }))}
            format={valueFormat(metric)}
          />
        </div>
        <div className="p-5 max-sm:p-4">
          <IntervalPlot
            title="Difference, item by item"
            note={higherIsBetter ? '← worse · better →' : '← better · worse →'}
            rows={[
              {
                label: 'Difference',
                series: 'candidate',
                estimate: toEstimate(
                  { mean: metric.difference, ci: metric.ci, n: metric.items },
                  `No interval of the difference, n ${formatCount(metric.items)}`,
                ),
              },
              ...correctedRow(metric),
            ]}
            format={differenceFormat(metric)}
            zero="line"
            worse={higherIsBetter ? 'left' : 'right'}
            {...(limit !== undefined && { margin: limit })}
          />
        </div>
      </div>
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 border-t border-line px-5 py-3.5 text-data text-soft max-sm:px-4">
        <div className="max-w-[90ch] min-w-0 flex-1 basis-80">
          {!isSummarized && <p className="mb-1 break-words text-ink">{metric.summary}</p>}
          <p className="tabular-nums">{describeEvidence(metric)}</p>
        </div>
        <MarginEditor key={margin} margin={margin} change={change} />
      </div>
    </section>
  )
}

/** Hollow, because it was not measured: the difference that people would see. */
function correctedRow({ corrected }: ComparedMetric) {
  if (!corrected || corrected.difference === null || !corrected.ci) return []
  const estimate = toEstimate({ mean: corrected.difference, ci: corrected.ci, n: corrected.labels }, corrected.summary)
  return [{ label: 'corrected by people', series: 'corrected' as const, estimate }]
}

function describeEvidence(metric: ComparedMetric): string {
  const { flips, test, power, notWorseThanMargin, warning, method } = metric
  const format = valueFormat(metric)
  const parts = [
    flips &&
      `${countOf(flips.toFailCount, 'item')} turned from pass to fail, ${formatCount(flips.toPassCount)} from fail to pass.`,
    notWorseThanMargin === true && 'Not worse than the margin.',
    test
      ? `Test: ${test.method}, p ${formatP(test.pAdjusted)} after correction (${formatP(test.p)} before). Interval: ${method}.`
      : `No test. Interval: ${method}.`,
    power.detectableDifference !== null &&
      `As many items as these show a difference of ${format(power.detectableDifference)} in 80 of 100 tries.`,
    power.casesFor &&
      `A difference of ${format(power.casesFor.difference)} needs ${countOf(power.casesFor.cases, 'item')}.`,
    metric.corrected?.summary,
    warning,
  ]
  return parts.filter(Boolean).join(' ')
}
