import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  casesNeeded,
  casesNeededForRates,
  detectableMeanDifference,
  detectableRateDifference,
} from '../../src/statistics/power.ts'

const deviation = fc.double({ min: 0.01, max: 10, noNaN: true })
const assurance = fc.record({
  power: fc.double({ min: 0.5, max: 0.99, noNaN: true }),
  confidence: fc.double({ min: 0.5, max: 0.999, noNaN: true }),
})

describe('casesNeeded', () => {
  test('a difference of a tenth of the standard deviation needs 785 pairs', () => {
    // (1.959964 + 0.841621)² × 100 = 784.9, the number of every planning table; Lehr's rule of thumb, 8 / d² per pair, says 800.
    expect(casesNeeded({ difference: 0.1, standardDeviation: 1 })).toBe(785)
    expect(casesNeeded({ difference: 0.5, standardDeviation: 1 })).toBe(32)
    expect(casesNeeded({ difference: 0.1, standardDeviation: 1, power: 0.9 })).toBe(1_051)
  })

  test('half the difference needs four times the pairs', () => {
    fc.assert(
      fc.property(deviation, assurance, (standardDeviation, planned) => {
        const one = casesNeeded({ difference: standardDeviation / 10, standardDeviation, ...planned }) ?? NaN
        const other = casesNeeded({ difference: standardDeviation / 20, standardDeviation, ...planned }) ?? NaN
        expect(Math.abs(other - 4 * one)).toBeLessThanOrEqual(4)
      }),
    )
  })

  test('no pairs, no difference: no answer instead of infinity', () => {
    expect(casesNeeded({ difference: 0, standardDeviation: 1 })).toBeUndefined()
    expect(casesNeeded({ difference: 0.1, standardDeviation: 0 })).toBe(1)
  })

  test('a power below one half, a negative spread and an impossible confidence are rejected', () => {
    expect(() => casesNeeded({ difference: 1, standardDeviation: 1, power: 0.4 })).toThrow(RangeError)
    expect(() => casesNeeded({ difference: 1, standardDeviation: 1, power: 1 })).toThrow(RangeError)
    expect(() => casesNeeded({ difference: 1, standardDeviation: -1 })).toThrow(RangeError)
    expect(() => casesNeeded({ difference: 1, standardDeviation: 1, confidence: 95 })).toThrow(RangeError)
  })
})

describe('detectableMeanDifference', () => {
  // Chow, Shao & Wang (2008), section 3.2: a difference of 5 with a standard deviation of 10 needs 63 in each group.
  test('is the difference for which the published size is enough', () => {
    expect(detectableMeanDifference({ sizes: [63, 63], standardDeviation: 10 })).toBeLessThan(5)
    expect(detectableMeanDifference({ sizes: [62, 62], standardDeviation: 10 })).toBeGreaterThan(5)
  })

  test('depends on the smaller sample most, and is undefined if one is empty', () => {
    const equal = detectableMeanDifference({ sizes: [100, 100], standardDeviation: 1 }) ?? 0
    expect(detectableMeanDifference({ sizes: [100, 1e9], standardDeviation: 1 })).toBeCloseTo(equal / Math.SQRT2, 4)
    expect(detectableMeanDifference({ sizes: [0, 100], standardDeviation: 1 })).toBeUndefined()
  })
})

describe('casesNeededForRates and detectableRateDifference', () => {
  // The examples on the help page of R's `power.prop.test`, whose n is not rounded: 76.7, and p2 = 0.8026.
  test('half and three quarters need the cases that R prints', () => {
    expect(casesNeededForRates({ rate: 0.5, difference: 0.25, power: 0.9 })).toBe(77)
  })

  test('50 cases show from one half the rate that R prints', () => {
    const difference = detectableRateDifference({ n: 50, rate: 0.5, power: 0.9 })
    expect(0.5 + (difference ?? NaN)).toBeCloseTo(0.8026, 4)
  })

  test('60 % and 70 % need 356 cases each', () => {
    // By hand: (1.959964 √(2 × 0.65 × 0.35) + 0.841621 √(0.24 + 0.21))² / 0.01 = 355.9.
    expect(casesNeededForRates({ rate: 0.6, difference: 0.1 })).toBe(356)
  })

  test('the cases needed for what n cases can show are n', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 20_000 }), fc.double({ min: 0, max: 0.99, noNaN: true }), (n, rate) => {
        const difference = detectableRateDifference({ n, rate })
        if (difference === undefined) return
        expect(difference).toBeGreaterThan(0)
        expect(rate + difference).toBeLessThanOrEqual(1 + 1e-12)
        const needed = casesNeededForRates({ rate, difference: Math.min(difference, 1 - rate) }) ?? NaN
        expect(Math.abs(needed - n)).toBeLessThanOrEqual(1)
      }),
    )
  })

  test('it makes no difference which of the rates comes first, nor whether successes or failures are counted', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 0.9, noNaN: true }), (rate) => {
        const rise = casesNeededForRates({ rate, difference: 0.1 })
        expect(casesNeededForRates({ rate: rate + 0.1, difference: -0.1 })).toBe(rise)
        expect(casesNeededForRates({ rate: 1 - rate, difference: -0.1 })).toBe(rise)
      }),
    )
    expect(casesNeededForRates({ rate: 1 - 0.9, difference: -0.1 })).toBe(
      casesNeededForRates({ rate: 0.9, difference: 0.1 }),
    )
  })

  test('what cannot be shown has no answer: a rate above 1, no difference, or a rise of 1 % with ten cases', () => {
    expect(casesNeededForRates({ rate: 0.95, difference: 0.1 })).toBeUndefined()
    expect(casesNeededForRates({ rate: 0.5, difference: 0 })).toBeUndefined()
    expect(detectableRateDifference({ n: 10, rate: 0.99 })).toBeUndefined()
    expect(detectableRateDifference({ n: 0, rate: 0.5 })).toBeUndefined()
    expect(() => casesNeededForRates({ rate: 1.5, difference: 0.1 })).toThrow(RangeError)
  })
})
