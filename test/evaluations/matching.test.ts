import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { commonSubsequence, matchingSize } from '../../src/evaluators/match-lists.ts'
import { type WorkBudget, workBudget } from '../../src/evaluators/work-budget.ts'

type Fits = (left: number, right: number) => boolean
type Pairs = { left: number; right: number; fits: Fits }

function unbounded(find: (pairs: Pairs, budget: WorkBudget) => number) {
  return (left: number, right: number, fits: Fits) => find({ left, right, fits }, workBudget(Number.MAX_SAFE_INTEGER))
}

/** By trying everything: the first thing gets none, or any that fits it and is free. */
function bestByTrying(left: number, right: readonly number[], fits: Fits): number {
  if (left === 0) return 0
  const withIt = right
    .filter((other) => fits(left - 1, other))
    .map(
      (taken) =>
        1 +
        bestByTrying(
          left - 1,
          right.filter((other) => other !== taken),
          fits,
        ),
    )
  return Math.max(bestByTrying(left - 1, right, fits), ...withIt)
}

/** The same in order: what comes after a pair comes after it on both sides. */
function longestByTrying(left: number, right: number, fits: Fits): number {
  if (left === 0 || right === 0) return 0
  const without = Math.max(longestByTrying(left - 1, right, fits), longestByTrying(left, right - 1, fits))
  return fits(left - 1, right - 1) ? Math.max(without, 1 + longestByTrying(left - 1, right - 1, fits)) : without
}

/** Few things fit, so that one often has to give up what another needs. */
const fitting = fc.integer({ min: 0, max: 2 }).map((number) => number === 0)
const table = fc.array(fc.array(fitting, { minLength: 5, maxLength: 5 }), { minLength: 3, maxLength: 6 })

describe.each([
  ['matchingSize', unbounded(matchingSize), (left: number, fits: Fits) => bestByTrying(left, [0, 1, 2, 3, 4], fits)],
  ['commonSubsequence', unbounded(commonSubsequence), (left: number, fits: Fits) => longestByTrying(left, 5, fits)],
] as const)('%s', (_, find, tryEverything) => {
  it('finds the maximum number of pairs, for any graph', () => {
    fc.assert(
      fc.property(table, (rows) => {
        const fits: Fits = (left, right) => rows[left]?.[right] ?? false
        expect(find(rows.length, 5, fits)).toBe(tryEverything(rows.length, fits))
      }),
      { numRuns: 1_000 },
    )
  })
})
