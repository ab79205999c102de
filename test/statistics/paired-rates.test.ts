import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { logChoose } from '../../src/statistics/distributions.ts'
import { intervalOf, pValue } from '../../src/statistics/paired/p-function.ts'
import { pairedRates } from '../../src/statistics/paired/paired-rates.ts'

describe('pairedRates', () => {
  test.each([
    { gained: 5, lost: 0, items: 30, ci: ['0.016', '0.327'], p: 0.03125 },
    { gained: 10, lost: 2, items: 50, ci: ['0.023', '0.296'], p: 0.02246 },
  ])('has the reference values for $gained gained and $lost lost of $items', ({ ci, p, ...rates }) => {
    const found = pairedRates(rates)
    expect(intervalOf(found).map((end) => end.toFixed(3))).toEqual(ci)
    expect(pValue(found)).toBeCloseTo(p, 5)
  })

  test('is the mid-p McNemar test at 0, as in the airway example of Fagerland, Lydersen & Laake (2013)', () => {
    // Table 1: 21 children, 1 and 7 discordant; the exact conditional p is 0.070 and the mid-p is 0.039.
    expect(pValue(pairedRates({ gained: 7, lost: 1, items: 21 }))).toBeCloseTo(0.0391, 4)
  })

  test('equals the mid-p of the binomial distribution for all small tables in which up to four of five items differ', () => {
    for (let gained = 0; gained <= 12; gained += 1) {
      for (let lost = 0; lost <= 12; lost += 1) {
        const items = Math.ceil((gained + lost) / 0.8) + 1
        expect(pValue(pairedRates({ gained, lost, items }))).toBeCloseTo(midP(gained, lost), 10)
      }
    }
  })

  test('is the exact test if more items differ, whose false verdicts the mid-p would exceed', () => {
    expect(pValue(pairedRates({ gained: 9, lost: 1, items: 10 }))).toBeCloseTo((2 * 11) / 2 ** 10, 10)
  })

  test('has the rule of three as its interval if nothing differs', () => {
    const [low, high] = intervalOf(pairedRates({ gained: 0, lost: 0, items: 59 }))
    expect(high).toBeCloseTo(1 - 0.05 ** (1 / 59), 10)
    expect(low).toBe(-high)
    expect(high).toBeLessThan(0.05)
  })

  test('is mirrored to the last digit if gains and losses are swapped', () => {
    fc.assert(
      fc.property(tables, ({ gained, lost, items }) => {
        const one = pairedRates({ gained, lost, items })
        const other = pairedRates({ gained: lost, lost: gained, items })
        const [low, high] = intervalOf(one)
        expect(intervalOf(other)).toEqual([0 - high, 0 - low])
        expect(pValue(other)).toBe(pValue(one))
      }),
    )
  })

  test('excludes 0 exactly if p is below alpha', () => {
    fc.assert(
      fc.property(tables, fc.double({ min: 1e-4, max: 0.3, noNaN: true }), (rates, alpha) => {
        const found = pairedRates(rates)
        const [low, high] = intervalOf(found, alpha)
        expect(low > 0 || high < 0).toBe(pValue(found) < alpha)
        expect(low).toBeGreaterThanOrEqual(-1)
        expect(high).toBeLessThanOrEqual(1)
      }),
    )
  })
})

const tables = fc
  .tuple(fc.nat(60), fc.nat(60), fc.nat(100))
  .map(([gained, lost, same]) => ({ gained, lost, items: gained + lost + same + 1 }))

function midP(gained: number, lost: number): number {
  const differing = gained + lost
  const least = Math.max(gained, lost)
  let tail = 0
  for (let k = least; k <= differing; k += 1) {
    tail += Math.exp(logChoose(differing, k) - differing * Math.LN2) * (k === least ? 0.5 : 1)
  }
  return Math.min(1, 2 * tail)
}
