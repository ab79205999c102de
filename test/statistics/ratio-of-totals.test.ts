import { describe, expect, test } from 'vitest'
import { studentCriticalValue } from '../../src/statistics/distributions.ts'
import { intervalOf, pValue } from '../../src/statistics/paired/p-function.ts'
import { ratioOfTotals } from '../../src/statistics/paired/ratio-of-totals.ts'

const baseline = [4, 5, 6, 3, 8, 5, 7, 4]
const candidate = [6, 0, 8, 5, 9, 8, 0, 7]

describe('ratioOfTotals', () => {
  test('has the limits of Fieller’s quadratic equation', () => {
    const found = ratioOfTotals({ baseline, candidate })
    const n = baseline.length
    const [x, y] = [sum(baseline) / n, sum(candidate) / n]
    const t2 = studentCriticalValue(0.95, n - 1) ** 2 / n
    const a = x * x - t2 * covariance(baseline, baseline)
    const b = x * y - t2 * covariance(baseline, candidate)
    const c = y * y - t2 * covariance(candidate, candidate)
    const root = Math.sqrt(b * b - a * c)
    const interval = found && intervalOf(found).map(Math.exp)
    expect(interval?.[0]).toBeCloseTo((b - root) / a, 6)
    expect(interval?.[1]).toBeCloseTo((b + root) / a, 6)
    expect(Math.exp(found?.estimate ?? NaN)).toBeCloseTo(43 / 42, 12)
  })

  test('has a p-value at 1 that agrees with the interval', () => {
    const found = ratioOfTotals({ baseline, candidate })
    expect(found && pValue(found)).toBeGreaterThan(0.05)
    const doubled = ratioOfTotals({ baseline, candidate: baseline.map((value, index) => 2 * value + (index % 2)) })
    expect(doubled && pValue(doubled)).toBeLessThan(0.001)
    expect(doubled && intervalOf(doubled)[0]).toBeGreaterThan(0)
  })

  test.each([
    [
      [8, 8, 0, 2, 7, 2, 0, 4, 5, 6, 4, 7],
      [3, 4, 8, 0, 5, 10, 1, 9, 10, 2, 4, 9],
    ],
    [
      [10, 1, 8, 0, 8, 5, 0, 2, 9, 1, 6, 6],
      [8, 4, 6, 7, 1, 4, 0, 5, 3, 2, 10, 1],
    ],
  ])(
    'agrees also where a total could be 0, so that its test alone rejects 1 and not a ratio beyond',
    (before, after) => {
      const groups = Array.from(before, (_, index) => (index < 10 ? 'a' : 'b'))
      const found = ratioOfTotals({ baseline: before, candidate: after, groups })
      for (const alpha of [0.05, 0.01, 0.001]) {
        const [low = NaN, high = NaN] = found ? intervalOf(found, alpha) : []
        expect(low > 0 || high < 0).toBe((found ? pValue(found) : NaN) < alpha)
      }
    },
  )

  test('is undefined if a total is 0', () => {
    expect(ratioOfTotals({ baseline: [0, 0], candidate: [1, 2] })).toBeUndefined()
  })
})

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function covariance(a: readonly number[], b: readonly number[]): number {
  const [meanA, meanB] = [sum(a) / a.length, sum(b) / b.length]
  return sum(a.map((value, index) => (value - meanA) * ((b[index] ?? NaN) - meanB))) / (a.length - 1)
}
