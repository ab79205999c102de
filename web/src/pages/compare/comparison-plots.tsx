import type { ComparedMetric } from '../../api/generated/api.ts'
import { IntervalPlot } from '../../ui/charts/interval-plot.tsx'
import { countOf, formatCount, formatRatio } from '../../ui/format-number.ts'
import { metricTitle, withMetricTitles } from '../../ui/metric-words.ts'
import { toEstimate } from '../overview/trace-estimates.ts'
import { MarginEditor } from './margin-editor.tsx'
import {
  betterSide,
  changeEstimate,
  changeFormat,
  changeOf,
  correctionOf,
  describeAlone,
  marginLimit,
} from './metric-change.ts'
import { formatP, valueFormat } from './metric-format.ts'
import type { ChangeSearch } from './use-compare-search.ts'

interface ComparisonPlotsProps {
  metric: ComparedMetric
  names: { baseline: string; candidate: string }
  margin: string | undefined
  change: ChangeSearch
  /** Whether the headline has the summary of the metric. */
  isSummarized: boolean
}

/** Both runs on one axis, and the change item by item with the line of no change and the margin. */
export function ComparisonPlots({ metric, names, margin, change, isSummarized }: ComparisonPlotsProps) {
  const { higherIsBetter } = metric
  const { kind } = changeOf(metric)
  const limit = marginLimit({ kind, higherIsBetter }, margin === undefined ? undefined : Number(margin))
  const { note, worse } = betterSide(higherIsBetter)
  return (
    <section
      aria-label={`Numbers of ${metricTitle(metric.name)}`}
      className="rounded-card border border-line bg-surface shadow-lift"
    >
      <div className="grid grid-cols-1 max-lg:divide-y max-lg:divide-line lg:grid-cols-[minmax(0,9fr)_minmax(0,11fr)] lg:divide-x lg:divide-line">
        <div className="p-5 max-sm:p-4">
          <IntervalPlot
            title={metricTitle(metric.name)}
            note={metric.measuredAs ?? (metric.kind === 'binary' ? 'share of answers that pass' : 'mean')}
            rows={(['baseline', 'candidate'] as const).map((side) => ({
              label: names[side],
              series: side,
              estimate: toEstimate({ ...metric[side], n: metric.n }, withoutInterval(metric, names[side])),
            }))}
            format={valueFormat(metric)}
          />
        </div>
        <div className="p-5 max-sm:p-4">
          <IntervalPlot
            title={kind === 'ratio' ? 'Ratio, item by item' : 'Difference, item by item'}
            note={note}
            rows={[
              {
                label: kind === 'ratio' ? 'Typical item' : 'Difference',
                series: 'candidate',
                estimate: changeEstimate(metric, `No interval of the ${kind}, n ${formatCount(metric.items)}`),
              },
              ...(limit === undefined ? [] : marginRow(metric)),
              ...correctedRow(metric),
            ]}
            format={changeFormat(metric)}
            change={kind}
            worse={worse}
            {...(limit !== undefined && { margin: limit })}
          />
        </div>
      </div>
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 border-t border-line px-5 py-3.5 text-data text-soft max-sm:px-4">
        <div className="max-w-[90ch] min-w-0 flex-1 basis-80">
          {!isSummarized && <p className="mb-1 break-words text-ink">{withMetricTitles(metric.summary)}</p>}
          <p className="tabular-nums">{describeEvidence(metric)}</p>
        </div>
        <MarginEditor key={`${margin} ${kind}`} margin={margin} kind={kind} change={change} />
      </div>
    </section>
  )
}

/** Of a preference, the baseline is not measured: it is the line that the share of the candidate is compared with. */
function withoutInterval({ orderFlips, n }: ComparedMetric, name: string): string {
  return orderFlips === null ? `${name}: no interval, n ${n}` : `${name}: 0.50 if neither is preferred`
}

/** Wider than the interval above: it allows for a breakage that this number of items can hide. */
function marginRow(metric: ComparedMetric) {
  const { marginCi, alone } = metric
  const { value, ci } = changeOf(metric)
  const [low, high] = marginCi ?? []
  const [from, to] = alone?.ci ?? ci ?? []
  if (low === undefined || (low === from && high === to)) return []
  const estimate = toEstimate({ mean: value, ci: marginCi, n: metric.items }, '')
  return [{ label: 'For the margin', series: 'candidate' as const, estimate }]
}

/** Hollow, because it was not measured: the difference that people would see. */
function correctedRow({ corrected }: ComparedMetric) {
  if (!corrected || corrected.difference === null || !corrected.ci) return []
  const estimate = toEstimate({ mean: corrected.difference, ci: corrected.ci, n: corrected.labels }, corrected.summary)
  return [{ label: 'corrected by people', series: 'corrected' as const, estimate }]
}

function describeEvidence(metric: ComparedMetric): string {
  const { flips, test, power, warning, method, totalRatio } = metric
  const { kind } = changeOf(metric)
  const format = kind === 'ratio' ? (share: number) => formatRatio(1 + share) : valueFormat(metric)
  const [correction, alone] = [correctionOf(metric), describeAlone(metric)]
  const parts = [
    flips &&
      `${countOf(flips.toFailCount, 'item')} turned from pass to fail, ${formatCount(flips.toPassCount)} from fail to pass.`,
    totalRatio !== null && `The totals have a ratio of ${formatRatio(totalRatio)}.`,
    test
      ? `Test: ${test.method}, p ${formatP(test.pAdjusted)}${correction ? ` ${correction}` : ''}. Interval: ${method}.`
      : `No test. Interval: ${method}.`,
    alone && `${alone[0]?.toUpperCase()}${alone.slice(1)}.`,
    power.detectableDifference !== null &&
      `As many items as these show a ${kind} of ${format(power.detectableDifference)} in 80 of 100 tries.`,
    power.casesFor &&
      `A ${kind} of ${format(power.casesFor.difference)} needs ${countOf(power.casesFor.cases, 'item')}.`,
    metric.corrected?.summary,
    warning,
  ]
  return parts.filter(Boolean).join(' ')
}
