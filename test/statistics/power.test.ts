import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  casesNeeded,
  casesNeededForPairedRates,
  casesNeededForRates,
  detectableDifference,
  detectablePairedRates,
  detectableRateDifference,
} from '../../src/statistics/power.ts'

const deviation = fc.double({ min: 0.01, max: 10, noNaN: true })
const assurance = fc.record({
  power: fc.double({ min: 0.5, max: 0.99, noNaN: true }),
  confidence: fc.double({ min: 0.5, max: 0.999, noNaN: true }),
})

describe('casesNeeded and detectableDifference', () => {
  test('a difference of a tenth of the standard deviation needs 785 pairs', () => {
    // (1.959964 + 0.841621)² × 100 = 784.9, the number of every planning table; Lehr's rule of thumb, 8 / d² per pair, says 800.
    expect(casesNeeded({ difference: 0.1, standardDeviation: 1 })).toBe(785)
    expect(casesNeeded({ difference: 0.5, standardDeviation: 1 })).toBe(32)
    expect(casesNeeded({ difference: 0.1, standardDeviation: 1, power: 0.9 })).toBe(1_051)
  })

  test('half the difference needs four times the pairs', () => {
    expect(detectableDifference({ n: 400, standardDeviation: 2 })).toBeCloseTo(
      (detectableDifference({ n: 100, standardDeviation: 2 }) ?? NaN) / 2,
      12,
    )
  })

  test('the pairs needed for the detectable difference of n pairs are n', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), deviation, assurance, (n, standardDeviation, assurance) => {
        const difference = detectableDifference({ n, standardDeviation, ...assurance }) ?? NaN
        expect(casesNeeded({ difference, standardDeviation, ...assurance })).toBe(n)
        expect(casesNeeded({ difference: -difference, standardDeviation, ...assurance })).toBe(n)
      }),
    )
  })

  test('no pairs or no difference: undefined instead of infinity', () => {
    expect(detectableDifference({ n: 0, standardDeviation: 1 })).toBeUndefined()
    expect(casesNeeded({ difference: 0, standardDeviation: 1 })).toBeUndefined()
    expect(casesNeeded({ difference: 0.1, standardDeviation: 0 })).toBe(1)
  })

  test('a power below one half, a negative spread and an impossible confidence are rejected', () => {
    expect(() => casesNeeded({ difference: 1, standardDeviation: 1, power: 0.4 })).toThrow(RangeError)
    expect(() => casesNeeded({ difference: 1, standardDeviation: 1, power: 1 })).toThrow(RangeError)
    expect(() => casesNeeded({ difference: 1, standardDeviation: -1 })).toThrow(RangeError)
    expect(() => detectableDifference({ n: 1, standardDeviation: 1, confidence: 95 })).toThrow(RangeError)
  })
})

describe('casesNeededForPairedRates and detectablePairedRates', () => {
  test('are those of Connor’s formula, by hand', () => {
    // ψ = 0.3, δ = 0.1: (1.959964 · √0.3 + 0.841621 · √0.29)² / 0.01 = 233.1, and 1 / 0.1 pairs for counting whole ones.
    expect(casesNeededForPairedRates({ difference: 0.1, discordance: 0.3 })).toBe(244)
    expect(casesNeededForPairedRates({ difference: -0.1, discordance: 0.3 })).toBe(244)
    expect(detectablePairedRates({ n: 244, discordance: 0.3 })).toBeCloseTo(0.1, 3)
  })

  test('a change of δ requires that δ of the pairs differ, even if fewer have differed', () => {
    const none = casesNeededForPairedRates({ difference: 0.02, discordance: 0 })
    expect(none).toBe(casesNeededForPairedRates({ difference: 0.02, discordance: 0.02 }))
    // Six that differ show something in the exact test, and of Poisson's 8.8 there are six or more in 88 of 100 tries.
    expect(none).toBeGreaterThan(6 / 0.02)
    expect(none).toBeLessThan(9 / 0.02)
  })

  test('are each other’s inverse, and rise and fall as they should', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 10, max: 100_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (n, discordance) => {
          const difference = detectablePairedRates({ n, discordance }) ?? NaN
          expect(casesNeededForPairedRates({ difference, discordance })).toBeLessThanOrEqual(n + 1)
          expect(casesNeededForPairedRates({ difference: 0.99 * difference, discordance })).toBeGreaterThanOrEqual(n)
        },
      ),
    )
  })

  test('is undefined without a difference or with too few pairs, and rejects an impossible discordance', () => {
    expect(casesNeededForPairedRates({ difference: 0, discordance: 0.5 })).toBeUndefined()
    expect(detectablePairedRates({ n: 5, discordance: 0.5 })).toBeUndefined()
    expect(() => detectablePairedRates({ n: 5, discordance: 1.5 })).toThrow(RangeError)
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

  test('the cases needed for the detectable difference of n cases are n', () => {
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

  test('is symmetric in the two rates, and in successes and failures', () => {
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

  test('is undefined for a rate above 1, no difference, or a rise of 1 % with ten cases', () => {
    expect(casesNeededForRates({ rate: 0.95, difference: 0.1 })).toBeUndefined()
    expect(casesNeededForRates({ rate: 0.5, difference: 0 })).toBeUndefined()
    expect(detectableRateDifference({ n: 10, rate: 0.99 })).toBeUndefined()
    expect(detectableRateDifference({ n: 0, rate: 0.5 })).toBeUndefined()
    expect(() => casesNeededForRates({ rate: 1.5, difference: 0.1 })).toThrow(RangeError)
  })
})
