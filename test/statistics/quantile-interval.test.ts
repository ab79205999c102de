import { describe, expect, it } from 'vitest'
import { quantileRanks } from '../../src/statistics/quantiles.ts'

describe('the ranks of the interval of a quantile', () => {
  it('are those of the table of Nair (1940) for the median, at 95 %', () => {
    expect([6, 10, 20, 30, 50].map((n) => quantileRanks(n, 0.5))).toEqual([
      [1, 6],
      [2, 9],
      [6, 15],
      [10, 21],
      [18, 33],
    ])
  })

  it('are missing if the sample is too small: the 95th percentile needs 72 values', () => {
    expect(quantileRanks(5, 0.5)).toBeUndefined()
    expect(quantileRanks(71, 0.95)).toBeUndefined()
    expect(quantileRanks(72, 0.95)?.[1]).toBe(72)
    expect(quantileRanks(0, 0.95)).toBeUndefined()
  })

  it('get closer to the quantile with more values', () => {
    const ranks = quantileRanks(1_000, 0.95)
    expect(ranks).toEqual([936, 964])
  })

  it.each([
    [1.5, 0.5],
    [-1, 0.5],
    [10, 0],
    [10, 1],
  ])('are not computed for %d values and the share %d', (n, share) => {
    expect(() => quantileRanks(n, share)).toThrow(RangeError)
  })
})
