import { normalQuantile } from '../distributions.ts'
import { nextRandom, type RandomState } from './seeded-random.ts'

/** A draw from the beta distribution: X/(X + Y) for gamma distributed X and Y. */
export function nextBeta(random: RandomState, a: number, b: number): number {
  const x = nextGamma(random, a)
  const y = nextGamma(random, b)
  return x / (x + y)
}

/**
 * A draw from the gamma distribution of this shape and scale 1.
 *
 * Marsaglia, G. & Tsang, W. W. (2000), A simple method for generating gamma variables, ACM TOMS 26, 363–372; shapes below 1
 * by their remark that Γ(a) is Γ(a + 1) times a uniform number to the power 1/a. Γ(1) is the exponential distribution.
 */
export function nextGamma(random: RandomState, shape: number): number {
  if (shape === 1) return -Math.log(openUniform(random))
  if (shape < 1) return nextGamma(random, shape + 1) * openUniform(random) ** (1 / shape)
  const d = shape - 1 / 3
  const c = 1 / Math.sqrt(9 * d)
  for (;;) {
    const x = normalQuantile(openUniform(random))
    const v = (1 + c * x) ** 3
    if (v > 0 && Math.log(openUniform(random)) < (x * x) / 2 + d * (1 - v + Math.log(v))) return d * v
  }
}

/** Above 0 and below 1. */
function openUniform(random: RandomState): number {
  return nextRandom(random) + 2 ** -33
}
