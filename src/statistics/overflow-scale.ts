const ordinaryMin = 2 ** -300
const ordinaryMax = 2 ** 300
const exponentMax = 1_023

/**
 * What to multiply numbers up to this magnitude with before they are squared or cubed. Of 1e-162 the square has hardly a digit left and
 * the cube is 0, and a ratio of such sums is not a number; of 1e162 the square is infinite. A power of two changes no digit, and
 * ordinary numbers are multiplied with 1, so that nothing changes for them.
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
