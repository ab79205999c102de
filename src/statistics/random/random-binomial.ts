import { nextRandom, type RandomState } from './seeded-random.ts'

/**
 * How many of n trials succeed, each with probability p: a draw from the binomial distribution, exact but for the rounding
 * of doubles, in a time that does not grow with n.
 *
 * Below ten expected successes by inversion (adding up the probabilities of 0, 1, 2 … until they exceed a random number),
 * above by the transformed rejection BTRS of Hörmann, W. (1993), The generation of binomial random variates, Journal of
 * Statistical Computation and Simulation 46, 101–110.
 */
export function nextBinomial(random: RandomState, n: number, p: number): number {
  if (n === 0 || p <= 0) return 0
  if (p >= 1) return n
  if (p > 0.5) return n - nextBinomial(random, n, 1 - p)
  return n * p < 10 ? byInversion(random, n, p) : byTransformedRejection(random, n, p)
}

/**
 * Draws with replacement from a population with these counts per kind, as many as they add up to, and writes the drawn
 * count of each kind. Equivalent to drawing one by one, but the cost is per kind.
 */
export function resampleCounts(random: RandomState, counts: Float64Array, drawn: Float64Array): void {
  let bag = 0
  for (const count of counts) bag += count
  let left = bag
  for (let kind = 0; kind < counts.length; kind++) {
    const count = counts[kind] ?? 0
    const successes = left === 0 ? 0 : nextBinomial(random, left, count / bag)
    drawn[kind] = successes
    left -= successes
    bag -= count
  }
}

function byInversion(random: RandomState, n: number, p: number): number {
  const odds = p / (1 - p)
  let probability = Math.exp(n * Math.log1p(-p))
  let rest = nextRandom(random)
  for (let successes = 0; successes < n; successes++) {
    if (rest < probability) return successes
    rest -= probability
    probability *= (odds * (n - successes)) / (successes + 1)
  }
  return n
}

/** The constants are Hörmann's. */
function byTransformedRejection(random: RandomState, n: number, p: number): number {
  const deviation = Math.sqrt(n * p * (1 - p))
  const b = 1.15 + 2.53 * deviation
  const a = -0.0873 + 0.0248 * b + 0.01 * p
  const quickly = 0.92 - 4.2 / b
  for (;;) {
    const u = nextRandom(random) - 0.5
    const v = nextRandom(random)
    const distance = 0.5 - Math.abs(u)
    const successes = Math.floor(((2 * a) / distance + b) * u + n * p + 0.5)
    if (distance >= 0.07 && v <= quickly) return successes
    if (successes < 0 || successes > n) continue
    const scaled = (v * (2.83 + 5.1 / b) * deviation) / (a / (distance * distance) + b)
    if (Math.log(scaled) <= logRatioToMode(n, p, successes)) return successes
  }
}

/** The logarithm of P(successes) / P(mode). */
function logRatioToMode(n: number, p: number, successes: number): number {
  const odds = p / (1 - p)
  const mode = Math.floor((n + 1) * p)
  return (
    (mode + 0.5) * Math.log((mode + 1) / (odds * (n - mode + 1))) +
    (n + 1) * Math.log((n - mode + 1) / (n - successes + 1)) +
    (successes + 0.5) * Math.log((odds * (n - successes + 1)) / (successes + 1)) +
    stirlingTail(mode) +
    stirlingTail(n - mode) -
    stirlingTail(successes) -
    stirlingTail(n - successes)
  )
}

/** ln k! − (½ ln 2π + (k + ½) ln(k + 1) − (k + 1)), by the series of Hörmann's equation for the tail of Stirling's formula. */
function stirlingTail(k: number): number {
  const exact = stirlingTails[k]
  if (exact !== undefined) return exact
  const square = (k + 1) ** 2
  return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
}

/** The first ten are computed from the definition because the series is not accurate enough there. */
const stirlingTails = Array.from({ length: 10 }, (_, k) => {
  let factorial = 1
  for (let factor = 2; factor <= k; factor++) factorial *= factor
  return Math.log(factorial) - (0.5 * Math.log(2 * Math.PI) + (k + 0.5) * Math.log(k + 1) - (k + 1))
})
