import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normalCdf, normalQuantile, twoSidedCriticalValue } from '../../src/statistics/distributions.ts'

describe('normalCdf', () => {
  // Abramowitz & Stegun (1964), table 26.1, P(x), 15 decimals.
  test.each([
    { x: 0, published: 0.5 },
    { x: 0.5, published: 0.691462461274013 },
    { x: 1, published: 0.841344746068543 },
    { x: 1.5, published: 0.933192798731142 },
    { x: 2, published: 0.977249868051821 },
    { x: 2.5, published: 0.993790334674224 },
    { x: 3, published: 0.99865010196837 },
  ])('Φ($x) agrees with all 15 decimals of the table of Abramowitz & Stegun', ({ x, published }) => {
    expect(Math.abs(normalCdf(x) - published)).toBeLessThan(1e-15)
    expect(Math.abs(normalCdf(-x) - (1 - published))).toBeLessThan(1e-15)
  })

  // Abramowitz & Stegun (1964), table 26.2, −log₁₀ Q(x), 5 decimals.
  test.each([
    { x: 5, published: 6.54265 },
    { x: 10, published: 23.11805 },
    { x: 20, published: 88.5601 },
    { x: 30, published: 197.30921 },
  ])('the far tail beyond $x agrees with the table of Abramowitz & Stegun', ({ x, published }) => {
    expect(-Math.log10(normalCdf(-x))).toBeCloseTo(published, 5)
  })

  // Summed from the power series with 400 decimal digits.
  test.each([
    { x: 1.96, tail: 2.49978951482204362e-2 },
    { x: 4, tail: 3.16712418331199213e-5 },
    { x: 7, tail: 1.279812543885835e-12 },
    { x: 12, tail: 1.776482112077679e-33 },
    { x: 25, tail: 3.05669670638256092e-138 },
  ])('the tail beyond $x keeps 13 digits, not only a small absolute error', ({ x, tail }) => {
    expect(Math.abs(normalCdf(-x) / tail - 1)).toBeLessThan(1e-13)
  })

  test('the ends of the line have probabilities 0 and 1', () => {
    expect(normalCdf(-Infinity)).toBe(0)
    expect(normalCdf(Infinity)).toBe(1)
    expect(normalCdf(NaN)).toBeNaN()
  })

  test('a greater value never has a smaller probability, also where the two formulas meet', () => {
    const nearTheSeam = fc.double({ min: 1.999999, max: 2.000001, noNaN: true })
    const anywhere = fc.double({ min: -40, max: 40, noNaN: true })
    fc.assert(
      fc.property(fc.oneof(anywhere, nearTheSeam), fc.double({ min: 1e-9, max: 1, noNaN: true }), (x, step) => {
        expect(normalCdf(x + step)).toBeGreaterThanOrEqual(normalCdf(x))
        expect(normalCdf(x) + normalCdf(-x)).toBeCloseTo(1, 15)
      }),
    )
  })
})

describe('normalQuantile', () => {
  // The three test values printed by Wichura (1988), one for each of his rational functions.
  test.each([
    { p: 0.25, published: -0.6744897501960817 },
    { p: 0.001, published: -3.090232306167814 },
    { p: 1e-20, published: -9.262340089798408 },
  ])('the quantile of $p is the one published with AS 241', ({ p, published }) => {
    expect(Math.abs(normalQuantile(p) / published - 1)).toBeLessThan(1e-15)
  })

  test('the quantile undoes the probability to 1e-12', () => {
    fc.assert(
      fc.property(fc.double({ min: -37, max: 5, noNaN: true }), (x) => {
        // Above 0 a probability close to 1 cannot hold more than this of x: its last digit over the density.
        const lostInP = x > 0 ? Number.EPSILON / (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) : 0
        expect(Math.abs(normalQuantile(normalCdf(x)) - x)).toBeLessThan(1e-12 + lostInP)
      }),
    )
  })

  test('0 and 1 give infinities, and values outside of [0, 1] are rejected', () => {
    expect(normalQuantile(0)).toBe(-Infinity)
    expect(normalQuantile(1)).toBe(Infinity)
    for (const p of [-0.1, 1.1, NaN]) expect(() => normalQuantile(p)).toThrow(RangeError)
  })
})

describe('twoSidedCriticalValue', () => {
  // The z of every printed table of the normal distribution.
  test.each([
    { confidence: 0.9, published: 1.644854 },
    { confidence: 0.95, published: 1.959964 },
    { confidence: 0.99, published: 2.575829 },
  ])('$confidence has the z of the published tables', ({ confidence, published }) => {
    expect(twoSidedCriticalValue(confidence)).toBeCloseTo(published, 6)
  })

  test.each([0, 1, 95, -0.5, NaN])('a confidence of %d is rejected', (confidence) => {
    expect(() => twoSidedCriticalValue(confidence)).toThrow(RangeError)
  })
})
