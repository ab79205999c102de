/** A confidence interval, both ends included. */
export type Interval = readonly [low: number, high: number]

/** A fixed number of decimals, with the minus sign U+2212, and never −0: how numbers are written in summaries. */
export function formatFixed(value: number, digits: number): string {
  const text = value.toFixed(digits)
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', '−')
}
