import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Attempts, passAtK, passHatK } from '../../src/statistics/pass-at-k.ts'

const attempts = fc
  .integer({ min: 1, max: 12 })
  .chain((n) => fc.record({ n: fc.constant(n), c: fc.integer({ min: 0, max: n }), k: fc.integer({ min: 1, max: n }) }))

describe('passAtK and passHatK', () => {
  test('are the shares of all choices of k attempts in which one passes, and in which all pass', () => {
    fc.assert(
      fc.property(attempts, (given) => {
        expect(passAtK(given)).toBeCloseTo(
          shareOfChoices(given, (passed) => passed > 0),
          12,
        )
        expect(passHatK(given)).toBeCloseTo(
          shareOfChoices(given, (passed) => passed === given.k),
          12,
        )
      }),
      { numRuns: 60 },
    )
  })

  test('for one attempt both are the pass rate', () => {
    fc.assert(
      fc.property(attempts, ({ n, c }) => {
        expect(passAtK({ n, c, k: 1 })).toBeCloseTo(c / n, 12)
        expect(passHatK({ n, c, k: 1 })).toBeCloseTo(c / n, 12)
      }),
    )
  })

  test('more attempts never make one pass less likely, nor all of them more likely', () => {
    fc.assert(
      fc.property(attempts, ({ n, c, k }) => {
        if (k === n) return
        expect(passAtK({ n, c, k: k + 1 })).toBeGreaterThanOrEqual((passAtK({ n, c, k }) ?? NaN) - 1e-12)
        expect(passHatK({ n, c, k: k + 1 })).toBeLessThanOrEqual((passHatK({ n, c, k }) ?? NaN) + 1e-12)
      }),
    )
  })

  test('100 of 200 attempts, the size of the paper: no overflow, and not the biased shortcut', () => {
    // C(180, 100) / C(200, 100) as a product, by hand: Π (1 − 100/i) for i = 181 … 200, the form printed by Chen et al. (2021).
    let product = 1
    for (let i = 181; i <= 200; i++) product *= 1 - 100 / i
    expect(passAtK({ n: 200, c: 20, k: 100 })).toBeCloseTo(1 - product, 14)
    expect(passAtK({ n: 100_000, c: 10, k: 5_000 })).toBeCloseTo(1 - 0.95 ** 10, 3)
  })

  test('is undefined for more attempts than were made', () => {
    expect(passAtK({ n: 3, c: 2, k: 4 })).toBeUndefined()
    expect(passHatK({ n: 3, c: 2, k: 4 })).toBeUndefined()
    expect(passAtK({ n: 0, c: 0, k: 1 })).toBeUndefined()
  })

  test.each([
    { n: 3, c: 4, k: 1 },
    { n: 3, c: -1, k: 1 },
    { n: 3, c: 1, k: 0 },
    { n: 3.5, c: 1, k: 1 },
  ])('n $n, c $c, k $k is rejected', (impossible) => {
    expect(() => passAtK(impossible)).toThrow(RangeError)
    expect(() => passHatK(impossible)).toThrow(RangeError)
  })
})

/** Goes through all subsets of the attempts, of which the first c passed. */
function shareOfChoices({ n, c, k }: Attempts, isCounted: (passed: number) => boolean): number {
  let all = 0
  let counted = 0
  for (let subset = 0; subset < 2 ** n; subset++) {
    const chosen = Array.from({ length: n }, (_, attempt) => attempt).filter((attempt) => subset & (1 << attempt))
    if (chosen.length !== k) continue
    all += 1
    if (isCounted(chosen.filter((attempt) => attempt < c).length)) counted += 1
  }
  return counted / all
}
