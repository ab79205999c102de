/** The standard normal distribution, the t of an interval, the beta distribution and ln Γ. */

/**
 * Φ(x), the probability of a value at or below x, to about 14 digits of the smaller tail. For a small upper tail use
 * `normalCdf(-x)`: 1 − Φ(x) loses its digits.
 *
 * Abramowitz & Stegun (1964), Handbook of Mathematical Functions: the power series 26.2.11 near zero and Laplace's
 * continued fraction 26.2.14 beyond. The shorter Hart approximation (West 2005) has only nine digits at x = −7.
 */
export function normalCdf(x: number): number {
  if (Math.abs(x) < 2) return 0.5 + centralArea(x)
  return x < 0 ? upperTail(-x) : 1 - upperTail(x)
}

/**
 * The x with Φ(x) = p; −∞ at 0 and ∞ at 1.
 *
 * Wichura, M. J. (1988), Algorithm AS 241: the percentage points of the normal distribution, Applied Statistics 37,
 * 477–484, routine PPND16: about 1 part in 10¹⁶.
 */
export function normalQuantile(p: number): number {
  if (!(p >= 0 && p <= 1)) throw new RangeError(`A probability lies between 0 and 1, not at ${p}.`)
  const q = p - 0.5
  if (Math.abs(q) <= 0.425) return q * ratio(quantileCenter, 0.180625 - q * q)
  const tail = Math.min(p, 1 - p)
  if (tail === 0) return p === 0 ? -Infinity : Infinity
  const r = Math.sqrt(-Math.log(tail))
  const distance = r <= 5 ? ratio(quantileTail, r - 1.6) : ratio(quantileFarTail, r - 5)
  return q < 0 ? -distance : distance
}

/** The z that leaves half of 1 − confidence beyond it on either side: 1.96 for 0.95. */
export function twoSidedCriticalValue(confidence: number): number {
  if (!(confidence > 0 && confidence < 1))
    throw new RangeError(`A confidence lies between 0 and 1, not at ${confidence}.`)
  return -normalQuantile((1 - confidence) / 2)
}

/** φ(x) · (x + x³/3 + x⁵/15 + …), the area between 0 and x. All terms have one sign, so that none of the digits cancel. */
function centralArea(x: number): number {
  let term = x
  let sum = x
  for (let odd = 3; Math.abs(term) > Number.EPSILON * Math.abs(sum); odd += 2) {
    term *= (x * x) / odd
    sum += term
  }
  return normalDensity(x) * sum
}

/** φ(x) / (x + 1/(x + 2/(x + 3/(x + …)))). A hundred terms reach the last digit at x = 2 and everywhere above. */
function upperTail(x: number): number {
  let fraction = x
  for (let term = 100; term >= 1; term--) fraction = x + term / fraction
  return normalDensity(x) / fraction
}

/** φ(x) */
export function normalDensity(x: number): number {
  return Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)
}

type Rational = { readonly numerator: readonly number[]; readonly denominator: readonly number[] }

function ratio({ numerator, denominator }: Rational, x: number): number {
  return polynomial(numerator, x) / polynomial(denominator, x)
}

/** Horner's rule. Coefficients run from the highest power down to the constant. */
function polynomial(coefficients: readonly number[], x: number): number {
  let value = 0
  for (const coefficient of coefficients) value = value * x + coefficient
  return value
}

// The three rational functions of AS 241: a/b for |p − ½| ≤ 0.425, c/d for the tails down to e⁻²⁵, e/f beyond.
// Written as the doubles nearest to the paper's twenty digits.
const quantileCenter: Rational = {
  numerator: [
    2509.0809287301227, 33430.57558358813, 67265.7709270087, 45921.95393154987, 13731.69376550946, 1971.5909503065513,
    133.14166789178438, 3.3871328727963665,
  ],
  denominator: [
    5226.495278852854, 28729.085735721943, 39307.89580009271, 21213.794301586597, 5394.196021424751, 687.1870074920579,
    42.31333070160091, 1,
  ],
}

const quantileTail: Rational = {
  numerator: [
    0.0007745450142783414, 0.022723844989269184, 0.2417807251774506, 1.2704582524523684, 3.6478483247632045,
    5.769497221460691, 4.630337846156546, 1.4234371107496835,
  ],
  denominator: [
    1.0507500716444169e-9, 0.0005475938084995345, 0.015198666563616457, 0.14810397642748008, 0.6897673349851,
    1.6763848301838038, 2.053191626637759, 1,
  ],
}

const quantileFarTail: Rational = {
  numerator: [
    2.0103343992922881e-7, 2.7115555687434876e-5, 0.0012426609473880784, 0.026532189526576124, 0.29656057182850487,
    1.7848265399172913, 5.463784911164114, 6.657904643501103,
  ],
  denominator: [
    2.0442631033899397e-15, 1.421511758316446e-7, 1.8463183175100548e-5, 0.0007868691311456133, 0.014875361290850615,
    0.1369298809227358, 0.599832206555888, 1,
  ],
}

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

/** The probability that t with these degrees of freedom exceeds a value. */
export function studentUpperTail(t: number, degrees: number): number {
  const tail = regularizedBeta(degrees / (degrees + t * t), degrees / 2, 0.5) / 2
  return t > 0 ? tail : 1 - tail
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
