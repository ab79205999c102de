const ordinaryMin = 2 ** -300
const ordinaryMax = 2 ** 300
const exponentMax = 1_023

/**
 * The factor by which numbers up to this magnitude are multiplied before they are squared or cubed. The square of
 * 1e-162 loses nearly all digits and its cube is 0; the square of 1e162 is infinite. The factor is a power of two, so
 * no digit changes, and it is 1 for numbers of ordinary magnitude.
 */
export function overflowSafeScale(greatest: number): number {
  if (greatest === 0 || (greatest > ordinaryMin && greatest < ordinaryMax)) return 1
  const exponent = -Math.floor(Math.log2(greatest))
  return 2 ** Math.min(exponentMax, Math.max(-exponentMax, exponent))
}

export function maxMagnitude(values: Float64Array | readonly number[]): number {
  let greatest = 0
  for (let index = 0; index < values.length; index++) greatest = Math.max(greatest, Math.abs(values[index] ?? 0))
  return greatest
}

export function sumOf(values: readonly number[] | Float64Array): number {
  let sum = 0
  for (const value of values) sum += value
  return sum
}

/** Null without values, as on the wire. */
export function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : sumOf(values) / values.length
}
