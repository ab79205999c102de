import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { casesToSee, unseenShare } from '../../src/statistics/power.ts'

describe('unseenShare', () => {
  test('0 of 14 and 0 of 167 have the limits of Hanley & Lippman-Hand (1983), whose rule of three is 3/n', () => {
    // Their example: no complication in 14 operations, "as high as 21 %" by 3/14; exactly 1 − 0.05^(1/14) = 19.3 %.
    expect(unseenShare(14)).toBeCloseTo(0.1926, 4)
    expect(unseenShare(167)).toBeCloseTo(0.0178, 4)
    expect(Math.abs(unseenShare(1_000) - 3 / 1_000)).toBeLessThan(1e-5)
  })

  test('a larger share is missed by all of n cases in fewer than 5 of 100 samples', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), (n) => {
        expect((1 - unseenShare(n)) ** n).toBeCloseTo(0.05, 6)
        expect(casesToSee(unseenShare(n))).toBe(n)
      }),
    )
  })

  test('no cases may miss everything; counts and shares that are none are rejected', () => {
    expect(unseenShare(0)).toBe(1)
    expect(casesToSee(1)).toBe(1)
    expect(() => unseenShare(1.5)).toThrow(RangeError)
    expect(() => casesToSee(0)).toThrow(RangeError)
  })
})
