import type { Comparison, ComponentOverview, OverviewMetric } from '../../api/generated/api.ts'
import type { Estimate } from '../../ui/charts/estimate.ts'
import { hasMean } from '../../ui/charts/estimate.ts'
import { niceDomain } from '../../ui/charts/percent-scale.ts'
import { SeriesIcon } from '../../ui/charts/series-mark.tsx'
import { formatMetric } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { evaluationTitle, runTitle } from '../runs/run-title.ts'
import { QuestionCard } from './card.tsx'
import { EstimateRow, EstimateRows } from './estimate-row.tsx'
import { metricEstimate, sortHeadline } from './overview-metrics.ts'

type Good = ComponentOverview['good']

const METRICS_SHOWN = 5

export function GoodCard({ good, comparison }: { good: Good; comparison: Comparison | undefined }) {
  const { evaluation, previous } = good
  if (!evaluation) {
    return (
      <QuestionCard question="Is it good?" answer="Not evaluated yet">
        <p className="text-data text-soft">
          An evaluation scores the answers of a run with rules, a model or the ratings of people.
        </p>
      </QuestionCard>
    )
  }
  const before = new Map(previous?.metrics.map((metric) => [metric.name, metric]))
  const shown = sortHeadline(evaluation).slice(0, METRICS_SHOWN)
  // Scores on the same scale can be compared only on one axis.
  const scores = shown.filter(isScore).flatMap((metric) => estimatesOf(metric, before.get(metric.name)))
  return (
    <QuestionCard
      question="Is it good?"
      answer={describe(good, comparison)}
      footer={
        <>
          <p>
            {evaluationTitle(evaluation)} on {evaluation.dataset.name},{' '}
            <RelativeTime time={evaluation.completedAt ?? evaluation.createdAt} />
            {evaluation.metrics.length > shown.length && `; ${evaluation.metrics.length - shown.length} more metrics`}
          </p>
          {previous?.run && evaluation.run && (
            <p className="mt-1">
              <SeriesIcon series="candidate" />
              {runTitle(evaluation.run)} against <SeriesIcon series="baseline" />
              {runTitle(previous.run)}
            </p>
          )}
        </>
      }
    >
      <EstimateRows>
        {shown.map((metric) => (
          <MetricRow
            key={metric.name}
            metric={metric}
            before={before.get(metric.name)}
            domain={domainOf(isScore(metric) ? scores : estimatesOf(metric, before.get(metric.name)))}
          />
        ))}
      </EstimateRows>
    </QuestionCard>
  )
}

interface MetricRowProps {
  metric: OverviewMetric
  before: OverviewMetric | undefined
  domain: readonly [number, number]
}

function MetricRow({ metric, before, domain }: MetricRowProps) {
  return (
    <EstimateRow
      name={metricTitle(metric.name)}
      estimate={metricEstimate(metric)}
      baseline={before && metricEstimate(before)}
      domain={domain}
      format={formatMetric}
    />
  )
}

/** From 0 to 1. */
function isScore({ scale }: OverviewMetric): boolean {
  return scale?.[0] === 0 && scale[1] === 1
}

function estimatesOf(metric: OverviewMetric, before: OverviewMetric | undefined): Estimate[] {
  return [metric, ...(before ? [before] : [])].map(metricEstimate)
}

function domainOf(estimates: Estimate[]): readonly [number, number] {
  const known = estimates.flatMap((estimate) => (hasMean(estimate) ? [estimate.low, estimate.high] : []))
  return known.length === 0 ? [0, 1] : niceDomain(known)
}

function describe({ evaluation, previous }: Good, comparison: Comparison | undefined): string {
  if (!comparison) return previous ? 'Evaluated' : 'Evaluated, nothing to compare with'
  const name = comparison.baseline.name ?? (previous?.run ? runTitle(previous.run) : 'the run before')
  switch (comparison.verdict) {
    case 'improved':
      return `Better than ${name}`
    case 'regressed':
      return `Worse than ${name}`
    case 'equivalent':
      return `Equivalent to ${name}`
    case 'noClearDifference':
      return `No clear difference from ${name}`
    default:
      return evaluation ? `Too few cases to compare with ${name}` : ''
  }
}
