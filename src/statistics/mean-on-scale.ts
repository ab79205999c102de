import type { Interval } from './interval.ts'
import { weightedSumAtMostZero } from './paired/one-more-item.ts'
import { intervalOf } from './paired/p-function.ts'

/** Items, or groups of items that are not independent. `count`: how many there are that are equal. */
type Unit = { sum: number; size: number; count: number }

/**
 * The mean of values on a scale, with its interval. Items that were not seen may lie at either end of the scale: half an
 * item is added at each, or half a group of average size if the items belong to `groups`.
 *
 * The Bayesian bootstrap of Rubin, D. B. (1981), Annals of Statistics 9, 130–134. For values of 0 and 1 it is the interval
 * of Jeffreys. Undefined without values, and if one is not on the scale.
 */
export function meanOnScale(
  values: Float64Array,
  [low, high]: readonly [number, number],
  groups?: readonly string[],
): { mean: number; interval: Interval } | undefined {
  const n = values.length
  if (n === 0 || values.some((value) => value < low || value > high)) return undefined
  const units = groups ? groupsOf(values, groups) : itemsOf(values)
  const mean = values.reduce((sum, value) => sum + value, 0) / n
  let [seen, squares] = [0, 0]
  for (const { sum, size, count } of units) {
    seen += count
    squares += count * (sum / size - mean) ** 2
  }
  for (const end of [low, high]) units.push({ sum: (end * n) / seen, size: n / seen, count: 0.5 })
  const weights = Float64Array.from(units, ({ count }) => count)
  const interval = intervalOf({
    estimate: mean,
    below: (x) =>
      weightedSumAtMostZero(
        Float64Array.from(units, ({ sum, size }) => sum - x * size),
        weights,
      ),
    above: (x) =>
      weightedSumAtMostZero(
        Float64Array.from(units, ({ sum, size }) => x * size - sum),
        weights,
      ),
    bounds: [low, high],
    spread: Math.sqrt((squares / seen + (high - low) ** 2 / (seen + 1)) / (seen + 1)),
  })
  return { mean, interval }
}

/** Equal values are counted: scores have few distinct ones, and every probability reads all of them. */
function itemsOf(values: Float64Array): Unit[] {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return Array.from(counts, ([sum, count]) => ({ sum, size: 1, count }))
}

function groupsOf(values: Float64Array, groups: readonly string[]): Unit[] {
  const found = Map.groupBy(values.keys(), (index) => groups[index])
  return Array.from(found.values(), (indexes) => {
    return { sum: indexes.reduce((sum, index) => sum + (values[index] ?? 0), 0), size: indexes.length, count: 1 }
  })
}
