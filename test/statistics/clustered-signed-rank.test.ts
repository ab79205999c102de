import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clusteredSignedRank } from '../../src/statistics/groups/clustered-signed-rank.ts'
import { exactMcNemar, wilcoxonSignedRank } from '../../src/statistics/paired-tests.ts'

function testOf(values: readonly number[], groups: readonly (number | string)[]) {
  return clusteredSignedRank({ values: Float64Array.from(values), groups: groups.map(String) })
}

const alone = (values: readonly unknown[]) => values.map((_, index) => index)

describe('clusteredSignedRank', () => {
  // Hollander & Wolfe (1973), p. 29: depression scale before and after tranquilizers; in R's help of wilcox.test, where
  // the two-sided exact p is 0.0390625.
  test('is Wilcoxon’s exact test with one difference per group', () => {
    const before = [1.83, 0.5, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.3]
    const after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    const differences = before.map((value, index) => value - (after[index] ?? 0))
    expect(testOf(differences, alone(differences))).toMatchObject({ groups: 9, p: 0.0390625, statistic: 40 - 5 })
    expect(wilcoxonSignedRank(differences)).toMatchObject({ statistic: 40, p: 0.0390625 })
  })

  test('is the exact McNemar test if all differences are −1, 0 or 1 and each group has one', () => {
    const counts = fc.integer({ min: 0, max: 30 })
    fc.assert(
      fc.property(counts, counts, counts, (gained, lost, same) => {
        fc.pre(gained + lost > 0)
        const values = [...Array(gained).fill(1), ...Array(lost).fill(-1), ...Array(same).fill(0)]
        expect(testOf(values, alone(values))?.p).toBeCloseTo(exactMcNemar({ gained, lost }).p, 12)
      }),
    )
  })

  test('counts all assignments of signs to groups', () => {
    const difference = fc.integer({ min: -3, max: 3 })
    const observed = fc.array(fc.tuple(difference, fc.integer({ min: 0, max: 7 })), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(observed, (pairs) => {
        const values = pairs.map(([value]) => value)
        const groups = pairs.map(([, group]) => group)
        const result = testOf(values, groups)
        if (values.every((value) => value === 0)) {
          expect(result).toBeUndefined()
          return
        }
        expect(result?.p).toBeCloseTo(enumeratedP(values, groups), 12)
        expect(result?.p).toBeGreaterThanOrEqual((result?.minAttainableP ?? NaN) * (1 - 1e-12))
      }),
    )
  })

  test('differences that all rise in one group are no evidence', () => {
    expect(testOf(Array(50).fill(0.2), Array(50).fill('one document'))).toMatchObject({ groups: 1, p: 1 })
  })

  test('the normal approximation continues the exact distribution', () => {
    const values = (groups: number) => Array.from({ length: groups * 5 }, (_, index) => Math.sin(1.7 * index) + 0.1)
    const groupsOf = (n: number) => Array.from({ length: n }, (_, index) => Math.floor(index / 5))
    const [exact, normal] = [200, 201].map((groups) => testOf(values(groups), groupsOf(groups * 5)))
    expect([exact?.method, normal?.method]).toEqual(['exact', 'normal'])
    expect(exact?.p).toBeCloseTo(normal?.p ?? NaN, 1)
  })

  test('swapping the two sides keeps p and changes the sign', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 1, maxLength: 30 }), (values) => {
        const groups = values.map((_, index) => index % 7)
        const [one, other] = [
          testOf(values, groups),
          testOf(
            values.map((value) => -value),
            groups,
          ),
        ]
        expect(other?.p).toBe(one?.p)
        expect(other?.statistic).toBe(one ? 0 - one.statistic : undefined)
      }),
    )
  })

  test('rejects differences that are not finite', () => {
    expect(() => testOf([1, Number.POSITIVE_INFINITY], ['a', 'b'])).toThrow(RangeError)
  })
})

/** By definition: every assignment of signs to the groups, with mid-ranks. */
function enumeratedP(values: readonly number[], groups: readonly number[]): number {
  const sizes = values.map(Math.abs).filter((size) => size > 0)
  const rankOf = (size: number) =>
    sizes.filter((other) => other < size).length + (sizes.filter((other) => other === size).length + 1) / 2
  const sums = new Map<number, number>()
  for (const [index, value] of values.entries()) {
    const group = groups[index] ?? 0
    if (value !== 0) sums.set(group, (sums.get(group) ?? 0) + Math.sign(value) * rankOf(Math.abs(value)))
  }
  const parts = [...sums.values()]
  const observed = Math.abs(parts.reduce((sum, part) => sum + part, 0))
  let extreme = 0
  for (let signs = 0; signs < 2 ** parts.length; signs++) {
    const sum = parts.reduce((total, part, index) => total + ((signs >> index) & 1 ? part : -part), 0)
    if (Math.abs(sum) >= observed - 1e-9) extreme += 1
  }
  return extreme / 2 ** parts.length
}
