export type Quartiles = { readonly q1: number; readonly median: number; readonly q3: number }

/**
 * The values below which a quarter, a half and three quarters lie; undefined without values.
 *
 * Hyndman, R. J. & Fan, Y. (1996), Sample quantiles in statistical packages, The American Statistician 50, 361–365,
 * definition 7: linear between the two values next to (n − 1)p. It is what R, NumPy and spreadsheets show.
 */
export function quartiles(values: readonly number[]): Quartiles | undefined {
  const sorted = Float64Array.from(values).sort()
  if (sorted.length === 0) return undefined
  // NaN is sorted to the end.
  const suspect = [sorted.at(0), sorted.at(-1)].find((value) => !Number.isFinite(value))
  if (suspect !== undefined) throw new RangeError(`Quartiles need finite values, not ${suspect}.`)
  return { q1: quantile(sorted, 0.25), median: quantile(sorted, 0.5), q3: quantile(sorted, 0.75) }
}

function quantile(sorted: Float64Array, p: number): number {
  const position = (sorted.length - 1) * p
  const below = sorted[Math.floor(position)] ?? NaN
  const above = sorted[Math.ceil(position)] ?? NaN
  return below + (position - Math.floor(position)) * (above - below)
}
