import type { Interval } from './interval.ts'
import { weightedSumAtMostZero } from './paired/one-more-item.ts'
import { intervalOf } from './paired/p-function.ts'

/**
 * The mean of values on a scale, with its interval. Items that were not seen may lie at either end of the scale: half an
 * item is added at each.
 *
 * The Bayesian bootstrap of Rubin, D. B. (1981), Annals of Statistics 9, 130–134. For values of 0 and 1 it is the interval
 * of Jeffreys. Undefined without values.
 */
export function meanOnScale(
  values: Float64Array,
  [low, high]: readonly [number, number],
): { mean: number; interval: Interval } | undefined {
  const n = values.length
  if (n === 0) return undefined
  const counts = new Map<number, number>([
    [low, 0.5],
    [high, 0.5],
  ])
  let [sum, squares] = [0, 0]
  for (const value of values) {
    counts.set(value, (counts.get(value) ?? 0) + 1)
    sum += value
  }
  const mean = sum / n
  for (const value of values) squares += (value - mean) ** 2
  const weights = Float64Array.from(counts.values())
  const known = Float64Array.from(counts.keys())
  const interval = intervalOf({
    estimate: mean,
    below: (x) =>
      weightedSumAtMostZero(
        known.map((value) => value - x),
        weights,
      ),
    above: (x) =>
      weightedSumAtMostZero(
        known.map((value) => x - value),
        weights,
      ),
    bounds: [low, high],
    spread: Math.sqrt((squares / n + (high - low) ** 2 / (n + 1)) / (n + 1)),
  })
  return { mean, interval }
}
