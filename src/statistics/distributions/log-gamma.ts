/**
 * ln Γ(x) for x > 0, to about 14 digits.
 *
 * Stirling's series, Abramowitz & Stegun (1964), 6.1.41, from 10 upwards; smaller arguments are raised by
 * Γ(x + 1) = x Γ(x).
 */
export function logGamma(x: number): number {
  if (!(x > 0)) throw new RangeError(`The logarithm of Γ is for numbers above 0, not ${x}.`)
  let raised = x
  let product = 1
  while (raised < 10) {
    product *= raised
    raised += 1
  }
  const inverse = 1 / raised
  const square = inverse * inverse
  const series =
    inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square * (1 / 1188)))))
  return (raised - 0.5) * Math.log(raised) - raised + 0.5 * Math.log(2 * Math.PI) + series - Math.log(product)
}

/** ln of the number of ways to choose k of n. */
export function logChoose(n: number, k: number): number {
  return logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1)
}
