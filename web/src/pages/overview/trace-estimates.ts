import type { TraceNumbers } from '../../api/generated/api.ts'
import type { Estimate, FormatValue } from '../../ui/charts/estimate.ts'
import { formatDuration, formatPercent, formatSmallCost } from '../../ui/format-number.ts'

type Numbers = Pick<TraceNumbers, 'errorRate' | 'p95' | 'cost'>

export function errorEstimate({ errorRate: { rate, ci, n } }: Pick<Numbers, 'errorRate'>): Estimate {
  return toEstimate({ mean: rate, ci, n }, 'No traces')
}

export function p95Estimate({ p95: { ms, ci, n } }: Pick<Numbers, 'p95'>): Estimate {
  if (ms === null) return { summary: 'No traces' }
  return toEstimate({ mean: ms, ci, n }, `${formatDuration(ms)}, n ${n}; too few for an interval`)
}

/** `summary` is shown if there is no number or no interval. */
export function toEstimate(
  { mean, ci, n }: { mean: number | null; ci: readonly number[] | null; n: number },
  summary: string,
): Estimate {
  const [low, high] = ci ?? []
  if (mean === null || low === undefined || high === undefined) return { summary }
  return { mean, low, high, n }
}

export const percent: FormatValue = formatPercent
export const duration: FormatValue = formatDuration

export const dollars: FormatValue = formatSmallCost

/** What is known about the costs behind a sum: "all known", "112 unknown". */
export function describeCosts({ known, unknown }: Numbers['cost']): string {
  if (known === 'all') return 'all known'
  if (known === 'none') return 'no price set'
  return unknown === null ? 'some unknown' : `${unknown.toLocaleString('en')} unknown`
}
