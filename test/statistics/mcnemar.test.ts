import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exactMcNemar } from '../../src/statistics/paired-tests.ts'

const count = fc.integer({ min: 0, max: 400 })

describe('exactMcNemar', () => {
  test('airway reactivity before and after transplantation has the published p of 0.070', () => {
    // Fagerland, Lydersen & Laake (2013), BMC Medical Research Methodology 13, 91: 1 and 7 discordant pairs.
    const result = exactMcNemar({ gained: 1, lost: 7 })
    expect(result.statistic).toBe(1)
    expect(result.p).toBeCloseTo(0.07, 3)
    expect(result.p).toBeCloseTo((2 * (1 + 8)) / 256, 12)
  })

  test('p is the share of all ways to split the discordant pairs that are as uneven, counted in whole numbers', () => {
    fc.assert(
      fc.property(count, count, (gained, lost) => {
        const expected = countedP(gained, lost)
        expect(Math.abs(exactMcNemar({ gained, lost }).p / expected - 1)).toBeLessThan(1e-10)
      }),
    )
  })

  // Agresti (2002), Categorical Data Analysis, table 10.1: 150 approve first only, 86 second only; and tens of thousands.
  test.each([
    { gained: 86, lost: 150 },
    { gained: 700, lost: 800 },
    { gained: 24_800, lost: 25_200 },
  ])('$gained gained and $lost lost: still correct if 2ⁿ overflows', ({ gained, lost }) => {
    expect(Math.abs(exactMcNemar({ gained, lost }).p / countedP(gained, lost) - 1)).toBeLessThan(1e-8)
  })

  test('swapping the sides changes nothing, and p lies above 0 and at most at 1', () => {
    const large = fc.integer({ min: 0, max: 100_000 })
    fc.assert(
      fc.property(large, large, (gained, lost) => {
        const result = exactMcNemar({ gained, lost })
        expect(exactMcNemar({ gained: lost, lost: gained })).toEqual(result)
        expect(result.p).toBeGreaterThan(0)
        expect(result.p).toBeLessThanOrEqual(1)
      }),
    )
  })

  test('a more uneven split never has a larger p', () => {
    fc.assert(
      fc.property(count, count, (gained, more) => {
        const lost = gained + more
        const p = exactMcNemar({ gained, lost }).p
        if (gained > 0) expect(exactMcNemar({ gained: gained - 1, lost: lost + 1 }).p).toBeLessThanOrEqual(p)
      }),
    )
  })

  test('no discordant pair gives p = 1, and impossible counts are rejected', () => {
    expect(exactMcNemar({ gained: 0, lost: 0 })).toEqual({ statistic: 0, p: 1 })
    expect(() => exactMcNemar({ gained: -1, lost: 3 })).toThrow(RangeError)
    expect(() => exactMcNemar({ gained: 0.5, lost: 3 })).toThrow(RangeError)
  })
})

/** Sums the binomial coefficients as big whole numbers. */
function countedP(gained: number, lost: number): number {
  const n = gained + lost
  let ways = 1n
  let sum = 1n
  for (let k = 1; k <= Math.min(gained, lost); k++) {
    ways = (ways * BigInt(n - k + 1)) / BigInt(k)
    sum += ways
  }
  // Three hundred digits after the point, then as a number.
  const scaled = (2n * sum * 10n ** 300n) >> BigInt(n)
  const digits = scaled.toString()
  return Math.min(1, Number(`${digits[0]}.${digits.slice(1, 18)}e${digits.length - 301}`))
}
