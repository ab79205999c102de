import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { quartiles } from '../../src/statistics/quantiles.ts'

// R's `mtcars$mpg`; summary() prints 1st Qu. 15.43, Median 19.20, 3rd Qu. 22.80.
const milesPerGallon = [
  21, 21, 22.8, 21.4, 18.7, 18.1, 14.3, 24.4, 22.8, 19.2, 17.8, 16.4, 17.3, 15.2, 10.4, 10.4, 14.7, 32.4, 30.4, 33.9,
  21.5, 15.5, 15.2, 13.3, 19.2, 27.3, 26, 30.4, 15.8, 19.7, 15, 21.4,
]
const values = fc.array(fc.integer({ min: -1_000, max: 1_000 }), { minLength: 1, maxLength: 50 })

describe('quartiles', () => {
  test('the fuel consumption of 32 cars has the quartiles that R prints', () => {
    const { q1 = NaN, median = NaN, q3 = NaN } = quartiles(milesPerGallon) ?? {}
    expect(q1).toBeCloseTo(15.425, 10)
    expect(median).toBeCloseTo(19.2, 10)
    expect(q3).toBeCloseTo(22.8, 10)
  })

  test('four values are interpolated as in R, not taken as they are', () => {
    // R: quantile(1:4) → 1.75 2.50 3.25.
    expect(quartiles([4, 1, 3, 2])).toEqual({ q1: 1.75, median: 2.5, q3: 3.25 })
  })

  test('no value has none, one value is all three', () => {
    expect(quartiles([])).toBeUndefined()
    expect(quartiles([7])).toEqual({ q1: 7, median: 7, q3: 7 })
  })

  test('as many values lie at or below as by the definition', () => {
    fc.assert(
      fc.property(values, (values) => {
        const { q1 = NaN, median = NaN, q3 = NaN } = quartiles(values) ?? {}
        const atOrBelow = (limit: number) => values.filter((value) => value <= limit + 1e-9).length
        const least = (p: number) => Math.floor((values.length - 1) * p) + 1
        expect(atOrBelow(q1)).toBeGreaterThanOrEqual(least(0.25))
        expect(atOrBelow(median)).toBeGreaterThanOrEqual(least(0.5))
        expect(atOrBelow(q3)).toBeGreaterThanOrEqual(least(0.75))
        expect(q1).toBeLessThanOrEqual(median)
        expect(median).toBeLessThanOrEqual(q3)
      }),
    )
  })

  test('the order of the values changes nothing', () => {
    fc.assert(
      fc.property(values, (values) => {
        expect(quartiles(values.toReversed())).toEqual(quartiles(values))
      }),
    )
  })

  test('rejects NaN', () => {
    for (const value of [NaN, Infinity, -Infinity]) expect(() => quartiles([1, value, 2])).toThrow(RangeError)
  })
})
