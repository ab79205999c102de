import type { ItemMetric, ItemResult, OverviewMetric, RunColumn } from '../../api/generated/api.ts'
import { formatInterval, hasMean } from '../../ui/charts/estimate.ts'
import { classNames } from '../../ui/class-names.ts'
import { formatCount, formatMetric, formatScore } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { metricEstimate } from '../components/overview-metrics.ts'

/** The first two metrics of a run for one item, by their names, and whether the first one has turned. */
export function ItemResultMark({ result, column }: { result: ItemResult | undefined; column: RunColumn }) {
  const [first, second] = ordered(result?.metrics ?? [], column.headline)
  if (!first) {
    return (
      <span className="text-faint">
        <span aria-hidden>·</span>
        <span className="sr-only">not measured</span>
      </span>
    )
  }
  return (
    <span className="flex min-w-0 flex-col leading-4 tabular-nums">
      <span className="flex min-w-0 items-center gap-1.5">
        <NamedMetric metric={first} />
        <Turn turned={result?.turned ?? null} />
      </span>
      {second && <NamedMetric metric={second} />}
    </span>
  )
}

function NamedMetric({ metric }: { metric: ItemMetric }) {
  const name = metricTitle(metric.name)
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5 whitespace-nowrap">
      <MetricMark metric={metric} />
      <span title={name} className="truncate text-meta text-soft">
        {name}
      </span>
    </span>
  )
}

/** ✓ or ✗ if the metric decides, else its value; failed scores say so. */
export function MetricMark({ metric }: { metric: ItemMetric }) {
  if (metric.state !== 'scored') {
    return <span className={metric.state === 'failed' ? 'text-warn' : 'text-faint'}>{metric.state}</span>
  }
  if (metric.passed === null) return <MetricValue metric={metric} />
  return (
    <span className={classNames('font-semibold', metric.passed ? 'text-good' : 'text-danger')}>
      <span aria-hidden>{metric.passed ? '✓' : '✗'}</span>
      <span className="sr-only">{metric.passed ? 'passed' : 'failed the check'}</span>
    </span>
  )
}

export function MetricValue({ metric: { score, label } }: { metric: ItemMetric }) {
  if (score === null) return <span className="max-w-24 truncate">{label ?? 'no score'}</span>
  return <b className="font-semibold">{Number.isInteger(score) ? formatCount(score) : formatScore(score)}</b>
}

export function Turn({ turned }: Pick<ItemResult, 'turned'>) {
  if (turned === null) return null
  return (
    <span className="text-meta text-soft">
      <span aria-hidden>{turned === 'to_fail' ? '▼' : '▲'}</span>
      <span className="sr-only">, {turned === 'to_fail' ? 'turned to fail' : 'turned to pass'} in this run</span>
    </span>
  )
}

/** Under the name of a run: the mean of its first metric with interval and n. */
export function RunNote({ column }: { column: RunColumn }) {
  const metric = column.metrics.find(({ name }) => name === column.headline)
  if (!metric) return <span>no metric</span>
  return <MetricNote metric={metric} />
}

function MetricNote({ metric }: { metric: OverviewMetric }) {
  const estimate = metricEstimate(metric)
  if (!hasMean(estimate)) {
    return (
      <span data-estimate="too-few" className="block whitespace-normal">
        {estimate.summary}
      </span>
    )
  }
  return (
    <span data-estimate className="block">
      <b data-mean className="block text-data font-semibold text-ink">
        {formatMetric(estimate.mean)}
      </b>
      <span className="sr-only">95 % interval </span>
      {formatInterval(estimate, formatMetric)} <span className="block">n {formatCount(estimate.n)}</span>
    </span>
  )
}

/** The metric that decides comes first. */
function ordered(metrics: readonly ItemMetric[], headline: string | null): ItemMetric[] {
  return metrics.toSorted((a, b) => Number(b.name === headline) - Number(a.name === headline))
}
