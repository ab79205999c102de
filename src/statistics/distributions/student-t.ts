import { logGamma } from './log-gamma.ts'

/**
 * The t of a two-sided interval: 2.228 for 95 % and 10 degrees of freedom. The number of degrees may be a fraction.
 *
 * Student (1908), The probable error of a mean, Biometrika 6, 1–25. With x = ν/(ν + t²), both tails together are the
 * regularized incomplete beta function Iₓ(ν/2, ½) (Abramowitz & Stegun 1964, 26.7.1), which is inverted by bisection.
 */
export function studentCriticalValue(confidence: number, degrees: number): number {
  if (!(confidence > 0 && confidence < 1)) {
    throw new RangeError(`A confidence lies between 0 and 1, not at ${confidence}.`)
  }
  if (!(degrees > 0)) throw new RangeError(`Degrees of freedom are above 0, not ${degrees}.`)
  const tails = 1 - confidence
  let [low, high] = [0, 1]
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = (low + high) / 2
    if (regularizedBeta(middle, degrees / 2, 0.5) < tails) low = middle
    else high = middle
  }
  const x = (low + high) / 2
  return Math.sqrt((degrees * (1 - x)) / x)
}

const BISECTIONS = 60
const TERMS_MAX = 1_000
const PRECISION = 1e-15

/**
 * Iₓ(a, b), the distribution function of Beta(a, b) at x, by the continued fraction 26.5.8 of Abramowitz & Stegun
 * (1964), evaluated by the method of Lentz (1976).
 */
export function regularizedBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  // The fraction converges fast below the mean of the distribution; beyond it the other tail is computed.
  if (x > (a + 1) / (a + b + 2)) return 1 - regularizedBeta(1 - x, b, a)
  const logFront = a * Math.log(x) + b * Math.log1p(-x) + logGamma(a + b) - logGamma(a) - logGamma(b)
  return (Math.exp(logFront) / a) * betaFraction(x, a, b)
}

function betaFraction(x: number, a: number, b: number): number {
  let c = 1
  let d = 1 / awayFromZero(1 - ((a + b) * x) / (a + 1))
  let fraction = d
  for (let m = 1; m <= TERMS_MAX; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / awayFromZero(1 + even * d)
    c = awayFromZero(1 + even / c)
    fraction *= c * d
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / awayFromZero(1 + odd * d)
    c = awayFromZero(1 + odd / c)
    fraction *= c * d
    if (Math.abs(c * d - 1) < PRECISION) break
  }
  return fraction
}

function awayFromZero(value: number): number {
  return Math.abs(value) < 1e-300 ? 1e-300 : value
}
