import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { twoSidedCriticalValue } from '../../src/statistics/distributions.ts'
import { wilsonInterval } from '../../src/statistics/rate-intervals.ts'

const rate = fc
  .integer({ min: 1, max: 100_000 })
  .chain((n) => fc.record({ n: fc.constant(n), successes: fc.integer({ min: 0, max: n }) }))
const confidence = fc.double({ min: 0.01, max: 0.9999, noNaN: true })

describe('wilsonInterval', () => {
  // Newcombe, R. G. (1998), Two-sided confidence intervals for the single proportion, Statistics in Medicine 17, 857–872,
  // table I, method 3 (score, without continuity correction).
  test.each([
    { successes: 81, n: 263, published: [0.2553, 0.3662] },
    { successes: 15, n: 148, published: [0.0624, 0.1605] },
    { successes: 0, n: 20, published: [0, 0.1611] },
    { successes: 1, n: 29, published: [0.0061, 0.1718] },
  ])('$successes of $n has the interval published by Newcombe', ({ successes, n, published }) => {
    expect(wilsonInterval({ successes, n })?.map((end) => Number(end.toFixed(4)))).toEqual(published)
  })

  test('nothing counted has no interval', () => {
    expect(wilsonInterval({ successes: 0, n: 0 })).toBeUndefined()
  })

  test('none of n starts at exactly 0 and all of n ends at exactly 1', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), confidence, (n, confidence) => {
        expect(wilsonInterval({ successes: 0, n, confidence })?.[0]).toBe(0)
        expect(wilsonInterval({ successes: n, n, confidence })?.[1]).toBe(1)
      }),
    )
  })

  test('the interval contains the rate and stays within 0 and 1', () => {
    fc.assert(
      fc.property(rate, confidence, ({ successes, n }, confidence) => {
        const [low, high] = wilsonInterval({ successes, n, confidence }) ?? []
        expect(low).toBeGreaterThanOrEqual(0)
        expect(low).toBeLessThanOrEqual(successes / n)
        expect(high).toBeGreaterThanOrEqual(successes / n)
        expect(high).toBeLessThanOrEqual(1)
      }),
    )
  })

  test('both ends solve the score equation that defines them', () => {
    fc.assert(
      fc.property(rate, confidence, ({ successes, n }, confidence) => {
        const z = twoSidedCriticalValue(confidence)
        for (const end of wilsonInterval({ successes, n, confidence }) ?? []) {
          expect((successes / n - end) ** 2).toBeCloseTo((z * z * end * (1 - end)) / n, 12)
        }
      }),
    )
  })

  test('counting failures instead of successes mirrors the interval', () => {
    fc.assert(
      fc.property(rate, ({ successes, n }) => {
        const [low = NaN, high = NaN] = wilsonInterval({ successes, n }) ?? []
        const [mirroredLow, mirroredHigh] = wilsonInterval({ successes: n - successes, n }) ?? []
        expect(mirroredLow).toBeCloseTo(1 - high, 14)
        expect(mirroredHigh).toBeCloseTo(1 - low, 14)
      }),
    )
  })

  test('more confidence never gives a narrower interval', () => {
    fc.assert(
      fc.property(rate, confidence, confidence, (counted, a, b) => {
        const [low = NaN, high = NaN] = wilsonInterval({ ...counted, confidence: Math.min(a, b) }) ?? []
        const [lower, higher] = wilsonInterval({ ...counted, confidence: Math.max(a, b) }) ?? []
        expect(lower).toBeLessThanOrEqual(low)
        expect(higher).toBeGreaterThanOrEqual(high)
      }),
    )
  })

  test.each([
    { successes: 3, n: 2 },
    { successes: -1, n: 2 },
    { successes: 0.5, n: 2 },
    { successes: NaN, n: 2 },
    { successes: 1, n: 2, units: 3 },
    { successes: 1, n: 2, units: 0 },
    { successes: 1, n: 2, confidence: 1 },
    { successes: 1, n: 2, confidence: 95 },
    { successes: 0, n: 0, confidence: 95 },
  ])('rejects $successes of $n at confidence $confidence', (impossible) => {
    expect(() => wilsonInterval(impossible)).toThrow(RangeError)
  })
})
