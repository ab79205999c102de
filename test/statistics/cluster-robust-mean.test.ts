import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { studentCriticalValue } from '../../src/statistics/distributions.ts'
import { clusterRobustInterval, clusterRobustMean } from '../../src/statistics/groups/cluster-robust-mean.ts'

function robust(values: readonly number[], groups: readonly (number | string)[]) {
  const result = clusterRobustMean({ values: Float64Array.from(values), groups: groups.map(String) })
  return { ...result, interval: result && clusterRobustInterval(result) }
}

const values = fc.array(fc.double({ min: -100, max: 100, noNaN: true }), { minLength: 3, maxLength: 40 })

describe('clusterRobustMean', () => {
  // Computed with statsmodels 0.14: OLS on a constant, cov_type 'cluster'. With groups of one size CR2 is the same.
  test('equals the clustered standard error of statsmodels for groups of one size', () => {
    const scores = [0.2, 0.4, 0.3, 0.9, 0.8, 1.0, 0.5, 0.6, 0.4, 0.7, 0.1, 0.3]
    const result = robust(scores, [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3])
    expect(result.standardError).toBeCloseTo(0.13437096247164254, 14)
    expect(result).toMatchObject({ n: 12, groups: 4, effectiveGroups: 4 })
    expect(result.degreesOfFreedom).toBeCloseTo(3, 12)
    expect(result.designEffect).toBeCloseTo(2.657992565055764, 12)
    expect(result.interval?.[0]).toBeCloseTo(0.08903829361137194, 12)
    expect(result.interval?.[1]).toBeCloseTo(0.9442950397219615, 12)
  })

  // Computed with NumPy from the matrices of Bell & McCaffrey (2002): (I − H)^(−½) by eigenvalues, Satterthwaite's df.
  test('equals CR2 and its degrees of freedom by matrices for groups of different sizes', () => {
    const scores = [0.2, 0.4, 0.3, 0.9, 0.8, 1.0, 0.5, 0.6, 0.7, 0.1]
    const result = robust(scores, [0, 0, 0, 0, 1, 1, 2, 3, 3, 3])
    expect(result.mean).toBeCloseTo(0.55, 14)
    expect(result.standardError).toBeCloseTo(0.09855101007753084, 14)
    expect(result.degreesOfFreedom).toBeCloseTo(2.392405063291141, 12)
    expect(result.designEffect).toBeCloseTo(1.0595238095238093, 12)
    expect(result.interval?.[0]).toBeCloseTo(0.18611596502232824, 10)
    expect(result.interval?.[1]).toBeCloseTo(0.9138840349776718, 10)
  })

  test('a group per value gives the ordinary t interval and a design effect of 1', () => {
    fc.assert(
      fc.property(values, (scores) => {
        const n = scores.length
        const mean = scores.reduce((sum, value) => sum + value, 0) / n
        const squares = scores.reduce((sum, value) => sum + (value - mean) ** 2, 0)
        fc.pre(squares > 1e-9)
        const result = robust(
          scores,
          scores.map((_, index) => index),
        )
        expect(result.standardError).toBeCloseTo(Math.sqrt(squares / (n - 1) / n), 9)
        expect(result.degreesOfFreedom).toBeCloseTo(n - 1, 6)
        expect(result.designEffect).toBeCloseTo(1, 9)
        const reach = studentCriticalValue(0.95, n - 1) * Math.sqrt(squares / (n - 1) / n)
        expect(result.interval?.[1]).toBeCloseTo(mean + reach, 6)
      }),
    )
  })

  test('values that are repeated within their group have the interval of the groups', () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 2, max: 5 }), (scores, times) => {
        const single = robust(
          scores,
          scores.map((_, index) => index),
        )
        fc.pre(single.standardError !== undefined && single.standardError > 1e-6)
        const repeated = robust(
          scores.flatMap((value) => Array.from({ length: times }, () => value)),
          scores.flatMap((_, index) => Array.from({ length: times }, () => index)),
        )
        expect(repeated.standardError).toBeCloseTo(single.standardError ?? NaN, 9)
        expect(repeated.degreesOfFreedom).toBeCloseTo(single.degreesOfFreedom ?? NaN, 6)
        expect(repeated.effectiveGroups).toBeCloseTo(scores.length, 9)
      }),
    )
  })

  test('one group, equal values and no values have no interval', () => {
    expect(robust([0.1, 0.9, 0.4], ['a', 'a', 'a'])).toMatchObject({ groups: 1, standardError: undefined })
    expect(robust([0.3, 0.3, 0.3], ['a', 'b', 'c'])).toMatchObject({ mean: 0.3, standardError: undefined })
    expect(clusterRobustMean({ values: new Float64Array(), groups: [] })).toBeUndefined()
  })

  test('very large and very small values keep their digits', () => {
    const ordinary = robust([1, 2, 4, 8], ['a', 'a', 'b', 'c'])
    const large = robust([1e300, 2e300, 4e300, 8e300], ['a', 'a', 'b', 'c'])
    expect(large.mean).toBeCloseTo(1e300 * (ordinary.mean ?? NaN), -290)
    expect((large.standardError ?? NaN) / 1e300).toBeCloseTo(ordinary.standardError ?? NaN, 12)
    expect(() => robust([1, Number.NaN], ['a', 'b'])).toThrow(RangeError)
  })
})
