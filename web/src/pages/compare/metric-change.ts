import type { ComparedMetric } from '../../api/generated/api.ts'
import type { Change, Estimate, FormatValue } from '../../ui/charts/estimate.ts'
import { formatInterval } from '../../ui/charts/estimate.ts'
import { formatRatio } from '../../ui/format-number.ts'
import { toEstimate } from '../overview/trace-estimates.ts'
import { decimalsThatShow, differenceFormat, formatP } from './metric-format.ts'

/** Comparisons that older versions have stored lack ratios and corrections. */
type Changed = Pick<ComparedMetric, 'difference' | 'ci'> & Partial<Pick<ComparedMetric, 'ratio' | 'ratioCi'>>
type Compared = Changed &
  Pick<ComparedMetric, 'name' | 'role' | 'items' | 'summary' | 'baseline' | 'candidate'> &
  Partial<Pick<ComparedMetric, 'alone' | 'correction'>>

/** What is said about the change of a metric: its difference, or its ratio for durations, costs and tokens. */
export interface MetricChange {
  kind: Change
  value: number | null
  ci: readonly number[] | null
}

export function changeOf({ difference, ci, ratio = null, ratioCi = null }: Changed): MetricChange {
  if (ratio === null) return { kind: 'difference', value: difference, ci }
  return { kind: 'ratio', value: ratio, ci: ratioCi }
}

export function changeFormat(metric: Compared): FormatValue {
  const { kind, ci } = changeOf(metric)
  return kind === 'ratio' ? ratioFormat(ci) : differenceFormat(metric)
}

/** Two decimals, or as many as show that an end is not 1. */
function ratioFormat(ci: readonly number[] | null): FormatValue {
  const decimals = decimalsThatShow(ci ?? [], { hidden: 1, decimals: 2 })
  return (value) => formatRatio(value, decimals)
}

/** The change with the interval that decides. `summary` is shown if there is none. */
export function changeEstimate(metric: Compared, summary: string): Estimate {
  const { value, ci } = changeOf(metric)
  const estimate = toEstimate({ mean: value, ci, n: metric.items }, summary)
  const note = correctionOf(metric)
  return note === undefined ? estimate : { ...estimate, note }
}

/** "corrected for 4 metrics"; undefined without a correction. */
export function correctionOf({ correction, alone }: Pick<Compared, 'alone' | 'correction'>): string | undefined {
  return correction ?? (alone ? 'corrected' : undefined)
}

/** "alone: 95 % −0.15 to −0.05, p 0.003": what the metric would say without the others. Undefined if that is what is shown. */
export function describeAlone(metric: Compared): string | undefined {
  const { alone } = metric
  if (!alone) return undefined
  const [low, high] = alone.ci ?? []
  const isKnown = low !== undefined && high !== undefined
  const interval = isKnown ? formatInterval({ low, high }, changeFormat(metric)) : 'no interval'
  return `alone: 95 % ${interval}, p ${formatP(alone.p)}`
}

/** A greater number is meant as an amount, such as 200 milliseconds. The server ignores it, too. */
const RATIO_MARGIN_MAX = 10

export function isRatioMargin(margin: number): boolean {
  return margin > 1 && margin <= RATIO_MARGIN_MAX
}

/** The change at which the margin lies. Undefined without a margin, or if it cannot be one of this metric. */
export function marginLimit(
  { kind, higherIsBetter }: { kind: Change; higherIsBetter: boolean },
  margin: number | undefined,
): number | undefined {
  if (margin === undefined) return undefined
  if (kind === 'difference') return higherIsBetter ? -margin : margin
  if (!isRatioMargin(margin)) return undefined
  return higherIsBetter ? 1 / margin : margin
}

export function betterSide(higherIsBetter: boolean) {
  return higherIsBetter
    ? ({ note: '← worse · better →', worse: 'left' } as const)
    : ({ note: '← better · worse →', worse: 'right' } as const)
}
