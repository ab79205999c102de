import { describe, expect, it } from 'vitest'
import { bestAssignment } from '../../src/evaluators/json/best-assignment.ts'
import { workBudget } from '../../src/evaluators/work-budget.ts'
import { verdictOf } from './verdict-of.ts'

describe('bestAssignment', () => {
  it('finds the assignment of the example of scipy.optimize.linear_sum_assignment, with either side longer', () => {
    // Costs [[4, 1, 3], [2, 0, 5], [3, 2, 2]], whose smallest sum is 5; as gains, 5 minus the cost.
    const gains = [
      [1, 4, 2],
      [3, 5, 0],
      [2, 3, 3],
    ]
    expect(bestAssignment(gains, workBudget())).toBe(3 * 5 - 5)
    expect(bestAssignment([[1, 9, 3]], workBudget())).toBe(9)
    expect(bestAssignment([[1], [9], [3]], workBudget())).toBe(9)
    expect(bestAssignment([], workBudget())).toBe(0)
  })

  it('is as good as the best of all permutations', () => {
    const gains = Array.from({ length: 5 }, (_, row) =>
      Array.from({ length: 6 }, (_, column) => (row * 7 + column * 5) ** 2 % 11),
    )
    const best = (row: number, used: readonly number[]): number =>
      row === gains.length
        ? 0
        : Math.max(
            ...(gains[row] ?? []).map((gain, column) =>
              used.includes(column) ? Number.NEGATIVE_INFINITY : gain + best(row + 1, [...used, column]),
            ),
          )
    expect(bestAssignment(gains, workBudget())).toBe(best(0, []))
  })
})

describe('structuredOutput', () => {
  const score = (expected: unknown, output: unknown, options = {}) => {
    const texts = { output: JSON.stringify(output), expected: JSON.stringify(expected) }
    const verdict = verdictOf({ type: 'structuredOutput', ...options }, texts)
    if (verdict.state !== 'scored') throw new Error(verdict.reason)
    return verdict.score
  }

  it.each([
    // The distance of the example of Levenshtein's metric is 3 of 7 characters.
    [{ a: 'kitten' }, { a: 'sitting' }, 4 / 7],
    [{ a: 3, b: true }, { a: 4, b: true }, 1 / 2],
    [{ a: 100.5 }, { a: 101 }, 1],
    [{ a: 100.5 }, { a: 110 }, 0],
    [{ a: 1, b: 2 }, { a: 1 }, 1 / 2],
    [{ a: 1 }, { a: 1, b: 2 }, 1 / 2],
    [{ a: { b: null } }, { a: { b: null } }, 1],
    // Two of three are found, and one of three is wrong: F1 of 2 / 3.
    [{ a: [1, 2, 3] }, { a: [3, 2, 5] }, 2 / 3],
    [
      [
        { n: 'x', k: 1 },
        { n: 'y', k: 2 },
      ],
      [{ n: 'y', k: 2 }],
      2 / 3,
    ],
    [[], [], 1],
    [[1], [], 0],
    ['text', 5, 0],
  ])('scores the fields of %j in %j', (expected, output, wanted) => {
    expect(score(expected, output)).toBeCloseTo(wanted, 12)
  })

  it('weighs, excludes and compares fields as they are configured, also in arrays', () => {
    const expected = { name: 'kitten', items: [{ price: 2, note: 'a' }] }
    const output = { name: 'sitting', items: [{ price: 2, note: 'b' }] }
    const fields = { name: { strategy: 'exact', weight: 3 }, 'items[].note': { include: false } }
    expect(score(expected, output, { fields })).toBeCloseTo(1 / 4, 12)
    const ordered = { a: { arrays: 'ordered' } }
    expect(score({ a: [1, 2, 3] }, { a: [3, 2, 1] }, { fields: ordered })).toBeCloseTo(1 / 3, 12)
    expect(score({ a: 10 }, { a: 10.05 }, { fields: { a: { strategy: 'number' } } })).toBe(1)
    expect(score({ a: 9.9 }, { a: 10 }, { tolerance: 0 })).toBe(0)
  })

  it('names the worst field, passes with passAt, and counts an output that is no JSON as wrong', () => {
    const texts = { output: '{"a":1,"b":"x"}', expected: '{"a":1,"b":"y"}' }
    expect(verdictOf({ type: 'structuredOutput', passAt: 0.5 }, texts)).toMatchObject({
      score: 0.5,
      passed: true,
      reason: 'b has the lowest score, 0',
    })
    const noJson = { output: 'none', expected: '{"a":1}' }
    expect(verdictOf({ type: 'structuredOutput' }, noJson)).toMatchObject({ score: 0 })
    expect(verdictOf({ type: 'structuredOutput' }, { output: '{}', expected: 'none' })).toMatchObject({
      state: 'skipped',
    })
  })
})
