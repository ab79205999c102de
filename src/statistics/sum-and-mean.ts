export function sumOf(values: readonly number[] | Float64Array): number {
  let sum = 0
  for (const value of values) sum += value
  return sum
}

/** Null without values, as on the wire. */
export function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : sumOf(values) / values.length
}
