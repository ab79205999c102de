import type { ComparedMetric, Comparison } from '../../api/generated/api.ts'
import { verdictRank } from './verdict-mark.tsx'

/**
 * The metric that a page shows first: the wanted one, otherwise a quality metric with the overall verdict. Without a
 * quality metric that says anything it is one that is only reported.
 */
export function decidingMetric(
  { metrics, verdict }: Pick<Comparison, 'metrics' | 'verdict'>,
  wanted: string | undefined,
): ComparedMetric | undefined {
  const sorted = metrics
    .filter((metric) => !isIdle(metric))
    .toSorted((a, b) => verdictRank(a.verdict) - verdictRank(b.verdict))
  const quality = sorted.filter(({ role }) => role === 'quality')
  return (
    metrics.find(({ name }) => name === wanted) ??
    quality.find((metric) => metric.verdict === verdict) ??
    quality[0] ??
    sorted.find(({ items }) => items > 0)
  )
}

/** Nothing failed in either run: every comparison has this metric, and it says nothing about the change. */
export function isIdle({ name, baseline, candidate }: ComparedMetric): boolean {
  return name === 'error' && !baseline.mean && !candidate.mean
}
