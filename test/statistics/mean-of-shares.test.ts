import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { meanOfShares as meanOfSharesSlices } from '../../src/statistics/bootstrap/mean-of-shares.ts'
import { inOneGo } from './in-one-go.ts'

const meanOfShares = inOneGo(meanOfSharesSlices)

const share = fc.integer({ min: 0, max: 20 }).map((twentieths) => twentieths / 20)
const shares = fc.array(share, { minLength: 1, maxLength: 60 })

describe('meanOfShares', () => {
  test('of values that are all 0 or 1 has the interval of Jeffreys, as printed by Brown, Cai & DasGupta', () => {
    // Statistical Science 16 (2001), table 5, for n = 15: x = 0: 0 to 0.152; x = 3: 0.060 to 0.448; x = 7: 0.243 to 0.712.
    for (const [successes, low, high] of [
      [0, 0, 0.152],
      [3, 0.06, 0.448],
      [7, 0.243, 0.712],
    ] as const) {
      const values = Array.from({ length: 15 }, (_, index) => (index < successes ? 1 : 0))
      const { mean, interval } = meanOfShares(values, { seed: 'a' }) ?? fail()
      expect(mean).toBeCloseTo(successes / 15, 12)
      expect(Math.abs(interval[0] - low)).toBeLessThan(0.02)
      expect(Math.abs(interval[1] - high)).toBeLessThan(0.02)
    }
  })

  test('has an interval that includes failures that few items may not show', () => {
    const values = [...Array.from({ length: 49 }, () => 1), 0.9]
    const { mean, interval } = meanOfShares(values, { seed: 'a' }) ?? fail()
    expect(mean).toBeCloseTo(0.998, 12)
    expect(interval[0]).toBeLessThan(0.97)
    expect(interval[0]).toBeGreaterThan(0.92)
  })

  test('has its mean in the interval and both in 0 to 1, for any order of the values', () => {
    fc.assert(
      fc.property(shares, (values) => {
        const { mean, interval } = meanOfShares(values, { seed: 'a' }) ?? fail()
        expect(interval[0]).toBeGreaterThanOrEqual(0)
        expect(interval[0]).toBeLessThanOrEqual(mean)
        expect(interval[1]).toBeGreaterThanOrEqual(mean)
        expect(interval[1]).toBeLessThanOrEqual(1)
        const reversed = meanOfShares(values.toReversed(), { seed: 'a' }) ?? fail()
        expect(reversed.interval[0]).toBeCloseTo(interval[0], 12)
      }),
      { numRuns: 20 },
    )
  })

  test('is undefined without values, and rejects values outside of [0, 1]', () => {
    expect(meanOfShares([], { seed: 'a' })).toBeUndefined()
    expect(() => meanOfShares([1.1], { seed: 'a' })).toThrow(RangeError)
    expect(() => meanOfShares([NaN], { seed: 'a' })).toThrow(RangeError)
  })
})

function fail(): never {
  throw new Error('there is no mean')
}
