import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { effectiveSize, effectiveSizeOf } from '../../src/statistics/groups/effective-size.ts'

const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 40 })

describe('effectiveSize', () => {
  test('clusters of one size count as one each', () => {
    expect(effectiveSize([3, 3, 3, 3])).toBe(4)
    expect(effectiveSize([1, 1, 1])).toBe(3)
    expect(effectiveSize([])).toBe(0)
  })

  test('four clusters of twenty and 36 single ones are hardly more than eight, by hand', () => {
    // 116² / (4 · 20² + 36) = 13,456 / 1,636
    expect(effectiveSize([20, 20, 20, 20, ...new Array<number>(36).fill(1)])).toBeCloseTo(13_456 / 1_636, 12)
  })

  test('is between one and the number of clusters', () => {
    fc.assert(
      fc.property(sizes, (sizes) => {
        expect(effectiveSize(sizes)).toBeGreaterThanOrEqual(1 - 1e-12)
        expect(effectiveSize(sizes)).toBeLessThanOrEqual(sizes.length + 1e-9)
      }),
    )
  })

  test('a value without a cluster is its own cluster', () => {
    expect(effectiveSizeOf(['a', undefined, 'a', undefined, 'b'])).toBe(effectiveSize([2, 1, 1, 1]))
  })
})
