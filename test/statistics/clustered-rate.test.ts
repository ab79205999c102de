import { describe, expect, test } from 'vitest'
import { clusteredRate } from '../../src/statistics/groups/cluster-robust-mean.ts'
import { wilsonInterval } from '../../src/statistics/rate-intervals.ts'

function rateOf(values: readonly number[], groups: readonly number[]) {
  return clusteredRate({ values: Float64Array.from(values), groups: groups.map(String) })
}

const inGroupsOf = (size: number, n: number) => Array.from({ length: n }, (_, index) => Math.floor(index / size))

describe('clusteredRate', () => {
  // Computed with NumPy and SciPy: Wilson's formula with t of 5 degrees and n divided by the design effect.
  test('is Wilson’s interval for the effective number of values with t in place of z', () => {
    const values = [1, 1, 1, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 1, 1]
    const rate = rateOf(values, inGroupsOf(4, 24))
    expect(rate?.mean).toBeCloseTo(2 / 3, 14)
    expect(rate?.designEffect).toBeCloseTo(2.0125, 12)
    expect(rate?.interval[0]).toBeCloseTo(0.3195588041124616, 10)
    expect(rate?.interval[1]).toBeCloseTo(0.8949277198227842, 10)
  })

  test('is wider than for independent values if groups agree, and never narrower', () => {
    const independent = wilsonInterval({ successes: 20, n: 40 }) ?? [0, 0]
    const agreeing = rateOf([...Array(20).fill(1), ...Array(20).fill(0)], inGroupsOf(4, 40))?.interval ?? [0, 0]
    const opposed = rateOf(
      Array.from({ length: 40 }, (_, index) => index % 2),
      inGroupsOf(4, 40),
    )?.interval ?? [0, 0]
    expect(agreeing[1] - agreeing[0]).toBeGreaterThan(1.5 * (independent[1] - independent[0]))
    expect(opposed[1] - opposed[0]).toBeGreaterThan(independent[1] - independent[0])
  })

  test('counts each group once if all values are equal, because nothing is known about their correlation', () => {
    const { interval, designEffect } = rateOf(Array(200).fill(1), inGroupsOf(5, 200)) ?? {}
    expect(designEffect).toBeUndefined()
    // 40 of 40 with z: 0.912; t of 39 degrees makes it a little wider.
    expect(interval?.[0]).toBeGreaterThan(0.9)
    expect(interval?.[0]).toBeLessThan(wilsonInterval({ successes: 40, n: 40 })?.[0] ?? 0)
    expect(interval?.[1]).toBe(1)
  })
})
