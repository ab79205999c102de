import type { ComparedMetric } from '../../api/generated/api.ts'
import type { FormatValue } from '../../ui/charts/estimate.ts'
import { formatCount, formatDuration } from '../../ui/format-number.ts'
import { dollars } from '../overview/trace-estimates.ts'

const DECIMALS_MIN = 2
const DECIMALS_MAX = 6

type Measured = Pick<ComparedMetric, 'name' | 'role' | 'ci' | 'baseline' | 'candidate'>

/** How the values of a metric are written: with the decimals that its interval leaves standing. */
export function valueFormat(metric: Measured): FormatValue {
  const ofTraces = metric.role === 'reported' ? traceFormats[metric.name] : undefined
  if (ofTraces) return ofTraces
  const decimals = decimalsOf(metric)
  return (value) => minusSign(value.toFixed(decimals))
}

/** The same with the sign of a difference, also when it is positive. */
export function differenceFormat(metric: Measured): FormatValue {
  const format = valueFormat(metric)
  return (value) => {
    const amount = format(Math.abs(value))
    return value < 0 ? `−${amount}` : value > 0 ? `+${amount}` : amount
  }
}

const traceFormats: Record<string, FormatValue> = {
  durationMs: formatDuration,
  costUsd: dollars,
  totalTokens: (tokens) => formatCount(Math.round(tokens)),
}

/** One digit of half the interval, so that a difference of 0.004 ± 0.002 is not written as 0.00. */
function decimalsOf({ ci }: Measured): number {
  const [low, high] = ci ?? []
  if (low === undefined || high === undefined || !(high > low)) return DECIMALS_MIN
  const decimals = Math.max(DECIMALS_MIN, -Math.floor(Math.log10((high - low) / 2) + 1e-9))
  return decimalsThatShow([low, high], { hidden: 0, decimals: Math.min(DECIMALS_MAX, decimals) })
}

/** More decimals if an end would be written as the value of no change, which would contradict the verdict. */
export function decimalsThatShow(ends: readonly number[], { hidden, decimals }: { hidden: number; decimals: number }) {
  const isHidden = (end: number, places: number) => end !== hidden && Number(end.toFixed(places)) === hidden
  let shown = decimals
  while (shown < DECIMALS_MAX && ends.some((end) => isHidden(end, shown))) shown += 1
  return shown
}

function minusSign(text: string): string {
  return text.replace('-', '−').replace(/^−(0(?:\.0+)?)$/, '$1')
}

export function formatP(p: number): string {
  return p < 0.001 ? '< 0.001' : p.toFixed(p < 0.1 ? 3 : 2)
}
