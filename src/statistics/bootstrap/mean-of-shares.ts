import type { Interval } from '../interval.ts'
import { nextGamma } from '../random/random-beta.ts'
import { seededRandom } from '../random/seeded-random.ts'
import type { Slices } from '../slices.ts'
import { lowerQuantile, upperQuantile } from './bca-interval.ts'

export type MeanOfShares = { readonly mean: number; readonly interval: Interval }

/**
 * The mean of values between 0 and 1 with an interval that also holds where almost all values are equal: of fifty items
 * that always pass, and one that passes sometimes, resampling sees next to nothing of the items that fail.
 *
 * Rubin, D. B. (1981), The Bayesian bootstrap, Annals of Statistics 9, 130–134: each value gets a random weight, drawn
 * 4,000 times. Half an observation of 0 and half of 1 are added, the prior of Jeffreys' interval: for values that are
 * all 0 or 1 this is Jeffreys' interval of a rate (Brown, Cai & DasGupta 2001). Undefined without values.
 */
export function* meanOfShares(values: readonly number[], { seed }: { seed: string }): Slices<MeanOfShares | undefined> {
  if (values.length === 0) return undefined
  const invalid = values.find((value) => !(value >= 0 && value <= 1))
  if (invalid !== undefined) throw new RangeError(`A share is between 0 and 1, not ${invalid}.`)
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  for (const end of [0, 1]) counts.set(end, (counts.get(end) ?? 0) + 0.5)
  // Sorted, so that the draws do not depend on the order of the values.
  const groups = [...counts].sort(([a], [b]) => a - b)
  const random = seededRandom(seed)
  const draws = new Float64Array(DRAWS)
  const drawsPerSlice = Math.ceil(VALUES_PER_SLICE / groups.length)
  for (let draw = 0; draw < DRAWS; draw++) {
    if (draw > 0 && draw % drawsPerSlice === 0) yield
    let total = 0
    let sum = 0
    for (const [value, count] of groups) {
      const weight = nextGamma(random, count)
      total += weight
      sum += weight * value
    }
    draws[draw] = sum / total
  }
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  draws.sort()
  return { mean, interval: [Math.min(mean, lowerQuantile(draws, 0.025)), Math.max(mean, upperQuantile(draws, 0.975))] }
}

const DRAWS = 4_000
const VALUES_PER_SLICE = 50_000
