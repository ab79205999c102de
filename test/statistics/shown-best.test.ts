import { describe, expect, test } from 'vitest'
import { nextRandom, seededRandom } from '../../src/statistics/random/seeded-random.ts'
import { shownBest } from '../../src/statistics/sequential/shown-best.ts'
import { unplannedLooks } from '../../src/statistics/sequential/unplanned-looks.ts'

/** Variants with these rates in the same items. */
function variants(seed: string, rates: readonly number[], items = 200): Float64Array[] {
  const random = seededRandom(seed)
  return rates.map((rate) => Float64Array.from({ length: items }, () => Number(nextRandom(random) < rate)))
}

describe('shownBest', () => {
  test('has the least evidence of the leader against the others', () => {
    const [low = new Float64Array(), high = new Float64Array(), middle = new Float64Array()] = variants(
      'clear',
      [0.3, 0.9, 0.6],
    )
    const found = shownBest([low, high, middle])
    const againstMiddle = unplannedLooks(high.map((value, item) => value - (middle[item] ?? 0))).eValue(0)
    expect(found).toEqual({ index: 1, evidence: againstMiddle, isShown: true })
  })

  test('shows none of two equal ones, however much better than the others they are', () => {
    let shown = 0
    for (let trial = 0; trial < 200; trial += 1)
      if (shownBest(variants(`equal ${trial}`, [0.3, 0.8, 0.8]))?.isShown) shown += 1
    expect(shown / 200).toBeLessThanOrEqual(0.05)
  })

  test('without items or with one variant there is no leader', () => {
    expect(shownBest([new Float64Array(5)])).toBeUndefined()
    expect(shownBest([new Float64Array(), new Float64Array()])).toBeUndefined()
  })
})
