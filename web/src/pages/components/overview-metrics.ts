import type { ComponentOverview, OverviewMetric } from '../../api/generated/api.ts'
import type { Estimate } from '../../ui/charts/estimate.ts'
import { toEstimate } from '../overview/trace-estimates.ts'

type Evaluated = NonNullable<ComponentOverview['good']['evaluation']>

/** The summary of the server replaces a mean that it finds too uncertain. */
export function metricEstimate({ mean, ci, n, summary }: OverviewMetric): Estimate {
  return summary === null ? toEstimate({ mean, ci, n }, '') : { summary }
}

/** The metric that the overview shows large comes first. */
export function sortHeadline({ metrics, headline }: Evaluated): OverviewMetric[] {
  return metrics.toSorted((a, b) => Number(b.name === headline) - Number(a.name === headline))
}
