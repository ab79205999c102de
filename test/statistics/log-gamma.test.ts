import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { logChoose, logGamma } from '../../src/statistics/distributions.ts'

describe('logGamma', () => {
  // Abramowitz & Stegun (1964), table 6.1 and 6.1.8: Γ(½) = √π, Γ(1) = Γ(2) = 1, Γ(1.5) = 0.8862269255.
  test.each([
    { x: 0.5, gamma: Math.sqrt(Math.PI) },
    { x: 1, gamma: 1 },
    { x: 1.5, gamma: 0.886226925452758 },
    { x: 2, gamma: 1 },
    { x: 5, gamma: 24 },
    { x: 11, gamma: 3_628_800 },
  ])('Γ($x) is the published value', ({ x, gamma }) => {
    expect(Math.abs(logGamma(x) - Math.log(gamma))).toBeLessThan(1e-13)
  })

  test('Γ(x + 1) is x Γ(x), also in the range of the series', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 1e6, noNaN: true }), (x) => {
        const difference = logGamma(x + 1) - logGamma(x)
        expect(Math.abs(difference - Math.log(x))).toBeLessThan(1e-13 * Math.max(1, Math.abs(logGamma(x))))
      }),
    )
  })

  test('binomials are those of Pascal', () => {
    expect(Math.exp(logChoose(10, 3))).toBeCloseTo(120, 9)
    expect(Math.exp(logChoose(52, 5))).toBeCloseTo(2_598_960, 4)
    expect(logChoose(7, 0)).toBeCloseTo(0, 13)
  })

  test('rejects zero and negative numbers', () => {
    for (const x of [0, -1, NaN]) expect(() => logGamma(x)).toThrow(RangeError)
  })
})
