import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { meanOnScale } from '../../src/statistics/mean-on-scale.ts'

describe('meanOnScale', () => {
  test('of values that are all 0 or 1 has the interval of Jeffreys, as printed by Brown, Cai & DasGupta', () => {
    // Statistical Science 16 (2001), table 5, for n = 15: x = 3: 0.060 to 0.448; x = 7: 0.243 to 0.712.
    for (const [successes, low, high] of [
      [3, 0.06, 0.448],
      [7, 0.243, 0.712],
    ] as const) {
      const values = Float64Array.from({ length: 15 }, (_, index) => (index < successes ? 1 : 0))
      const found = meanOnScale(values, [0, 1])
      expect(found?.mean).toBeCloseTo(successes / 15, 12)
      expect(Math.abs((found?.interval[0] ?? NaN) - low)).toBeLessThan(0.006)
      expect(Math.abs((found?.interval[1] ?? NaN) - high)).toBeLessThan(0.006)
    }
  })

  test('leaves space for the failures that few items may not show', () => {
    const values = Float64Array.from({ length: 50 }, (_, index) => (index === 0 ? 0.9 : 1))
    const found = meanOnScale(values, [0, 1])
    expect(found?.interval[0]).toBeLessThan(0.97)
    expect(found?.interval[0]).toBeGreaterThan(0.92)
  })

  test('has its mean in the interval and both on the scale, in any unit', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 60 }), (twentieths) => {
        const shares = Float64Array.from(twentieths, (value) => value / 20)
        const { mean = NaN, interval: [low, high] = [NaN, NaN] } = meanOnScale(shares, [0, 1]) ?? {}
        expect(low).toBeGreaterThanOrEqual(0)
        expect(low).toBeLessThanOrEqual(mean)
        expect(high).toBeGreaterThanOrEqual(mean)
        expect(high).toBeLessThanOrEqual(1)
        const stars = meanOnScale(
          shares.map((value) => 1 + 4 * value),
          [1, 5],
        )
        expect(stars?.interval[0]).toBeCloseTo(1 + 4 * low, 6)
      }),
    )
  })

  test('is the same for groups of one item, and wider for groups whose items are equal', () => {
    const values = Float64Array.of(0.9, 0.9, 1, 1, 0.4, 0.4, 1, 1)
    const groups = Array.from(values, (_, index) => String(index))
    const pairs = groups.map((_, index) => String(Math.floor(index / 2)))
    const [alone, grouped] = [meanOnScale(values, [0, 1]), meanOnScale(values, [0, 1], groups)]
    expect(grouped?.interval).toEqual(alone?.interval.map((end) => expect.closeTo(end, 9)))
    const ofPairs = meanOnScale(values, [0, 1], pairs)
    // Four groups of two equal items are four items.
    const four = meanOnScale(Float64Array.of(0.9, 1, 0.4, 1), [0, 1])
    expect(ofPairs?.interval).toEqual(four?.interval.map((end) => expect.closeTo(end, 9)))
  })

  test('is undefined without values', () => {
    expect(meanOnScale(new Float64Array(), [0, 1])).toBeUndefined()
  })
})
