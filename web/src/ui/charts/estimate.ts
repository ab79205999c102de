import { formatCount, formatScore } from '../format-number.ts'

/**
 * What a sample says about a mean, a rate or a difference. The type has no mean without n and interval; below the
 * server's minimum it has the server's summary instead of a number.
 */
export type Estimate = MeanEstimate | TooFew

export interface MeanEstimate {
  mean: number
  low: number
  high: number
  n: number
  /** What the interval is corrected for, such as "corrected for 4 metrics". */
  note?: string | undefined
}

interface TooFew {
  summary: string
}

export type FormatValue = (value: number) => string

/** How a change is measured. Ratios have a log axis, on which half and double are equally far from 1. */
export type Change = 'difference' | 'ratio'

/** The value of a change that is none. */
export const NO_CHANGE: Record<Change, number> = { difference: 0, ratio: 1 }

export function hasMean(estimate: Estimate): estimate is MeanEstimate {
  return 'mean' in estimate
}

/** "0.81 to 0.91", "6.4 to 7.3 s", "1.36 to 1.47 ×", "$0.12 to 0.13": a unit that both ends have is printed once. */
export function formatInterval(
  { low, high }: Pick<MeanEstimate, 'low' | 'high'>,
  format: FormatValue = formatScore,
): string {
  const [from, to] = [format(low), format(high)]
  const unit = /\s(?:%|ms|s|×)$/.exec(to)?.[0]
  if (unit && from.endsWith(unit)) return `${from.slice(0, -unit.length)} to ${to}`
  return `${from} to ${from.startsWith('$') ? to.replace(/^\$/, '') : to}`
}

/** For screen readers and table cells: "0.86, 95 % interval 0.81 to 0.91, n 184". */
export function describeEstimate(estimate: Estimate, format: FormatValue = formatScore): string {
  if (!hasMean(estimate)) return estimate.summary
  const note = estimate.note === undefined ? '' : `, ${estimate.note}`
  return `${format(estimate.mean)}, 95\u202f% interval ${formatInterval(estimate, format)}${note}, n ${formatCount(estimate.n)}`
}
