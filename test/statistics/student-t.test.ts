import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { regularizedBeta, studentCriticalValue, twoSidedCriticalValue } from '../../src/statistics/distributions.ts'

describe('studentCriticalValue', () => {
  // Student's table as printed by Abramowitz & Stegun (1964), table 26.10, A = 0.95 and 0.99.
  test.each([
    [0.95, 1, 12.706],
    [0.95, 2, 4.303],
    [0.95, 5, 2.571],
    [0.95, 10, 2.228],
    [0.95, 30, 2.042],
    [0.95, 120, 1.98],
    [0.99, 4, 4.604],
    [0.99, 20, 2.845],
  ])('is the printed value for %d and %d degrees', (confidence, degrees, printed) => {
    expect(studentCriticalValue(confidence, degrees)).toBeCloseTo(printed, 3)
  })

  test('approaches that of the normal distribution from above', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), (degrees) => {
        const [less, more] = [studentCriticalValue(0.95, degrees), studentCriticalValue(0.95, degrees + 1)]
        expect(more).toBeLessThan(less)
        expect(more).toBeGreaterThan(twoSidedCriticalValue(0.95))
      }),
    )
    expect(studentCriticalValue(0.95, 1e7)).toBeCloseTo(twoSidedCriticalValue(0.95), 5)
  })

  test('rejects a confidence and degrees of freedom that do not exist', () => {
    expect(() => studentCriticalValue(95, 3)).toThrow(RangeError)
    expect(() => studentCriticalValue(0.95, 0)).toThrow(RangeError)
  })
})

describe('regularizedBeta', () => {
  test('is the binomial tail for whole numbers', () => {
    // P(X ≥ 3) of 5 at 0.3: 10·0.3³·0.7² + 5·0.3⁴·0.7 + 0.3⁵.
    expect(regularizedBeta(0.3, 3, 3)).toBeCloseTo(10 * 0.3 ** 3 * 0.7 ** 2 + 5 * 0.3 ** 4 * 0.7 + 0.3 ** 5, 12)
    expect([regularizedBeta(0, 2, 3), regularizedBeta(1, 2, 3)]).toEqual([0, 1])
  })
})
