import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nextRandom, seededRandom } from '../../src/statistics/random/seeded-random.ts'
import { unplannedLooks } from '../../src/statistics/sequential/unplanned-looks.ts'

describe('unplannedLooks', () => {
  test('has an expected value of 1 if the mean is true: the property of an e-value', () => {
    const n = 10
    let sum = 0
    for (let signs = 0; signs < 2 ** n; signs += 1) {
      const values = Float64Array.from({ length: n }, (_, index) => ((signs >> index) & 1 ? 1 : -1))
      sum += unplannedLooks(values).eValue(0)
    }
    expect(sum / 2 ** n).toBeCloseTo(1, 10)
  })

  test('ever reaches 20 in at most 5 of 100 series without a difference, with a look after every item', () => {
    const random = seededRandom('looks')
    let reached = 0
    const series = 200
    for (let one = 0; one < series; one += 1) {
      const values: number[] = []
      let isReached = false
      while (values.length < 120 && !isReached) {
        const drawn = nextRandom(random)
        values.push(drawn < 0.2 ? 1 : drawn < 0.4 ? -1 : 0)
        isReached = unplannedLooks(Float64Array.from(values)).eValue(0) >= 20
      }
      if (isReached) reached += 1
    }
    expect(reached / series).toBeLessThanOrEqual(0.05)
  })

  test('does not depend on the order of the values', () => {
    fc.assert(
      fc.property(values, (all) => {
        const [one, other] = [all, all.toReversed()].map((list) => unplannedLooks(Float64Array.from(list)))
        expect(one?.eValue(0)).toBeCloseTo(other?.eValue(0) ?? NaN, 8)
      }),
    )
  })

  test('excludes 0 exactly if the evidence against it reaches 1 / alpha', () => {
    fc.assert(
      fc.property(values, (all) => {
        const looks = unplannedLooks(Float64Array.from(all))
        const [low, high] = looks.interval(0.05)
        expect(low > 0 || high < 0).toBe(looks.eValue(0) >= 20)
        expect(low).toBeGreaterThanOrEqual(-1)
        expect(high).toBeLessThanOrEqual(1)
      }),
    )
  })

  test('has the evidence of the first bets by hand', () => {
    // The mean of 1 + stake is 1.4529 and that of 1 − stake is 0.5471: after a gain, and after a gain and a loss of (1 − stake²).
    const stakes = [0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.97]
    const mean = (of: (stake: number) => number) => stakes.reduce((sum, stake) => sum + of(stake), 0) / stakes.length
    expect(unplannedLooks(Float64Array.of(1)).rising(0)).toBeCloseTo(
      mean((stake) => 1 + stake),
      12,
    )
    expect(unplannedLooks(Float64Array.of(1)).eValue(0)).toBeCloseTo(1, 12)
    expect(unplannedLooks(Float64Array.of(1, -1)).eValue(0)).toBeCloseTo(
      mean((stake) => 1 - stake ** 2),
      12,
    )
    // Against a loss of a half, a change of 0 is worth half of 1 / 0.5.
    expect(unplannedLooks(Float64Array.of(0)).rising(-0.5)).toBeCloseTo(
      mean((stake) => 1 + stake),
      12,
    )
  })

  test('is the same of many distinct values as of the logarithms of each', () => {
    const random = seededRandom('distinct')
    const all = Float64Array.from({ length: 3_000 }, () => 2 * nextRandom(random) - 1)
    const stakes = [0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.97]
    const capital = (stake: number) => Math.exp(all.reduce((sum, value) => sum + Math.log1p(stake * value), 0))
    const mean = stakes.reduce((sum, stake) => sum + (capital(stake) + capital(-stake)) / 2, 0) / stakes.length
    expect(unplannedLooks(all).eValue(0) / mean).toBeCloseTo(1, 9)
  })

  test('missing values count for a gain at their worst, and not for a loss', () => {
    fc.assert(
      fc.property(values, fc.nat({ max: 8 }), (all, missing) => {
        const known = Float64Array.from(all)
        const atWorst = Float64Array.from([...all, ...new Array<number>(missing).fill(-1)])
        const [complete, incomplete] = [unplannedLooks(known), unplannedLooks(known, atWorst)]
        expect(incomplete.rising(0)).toBe(unplannedLooks(atWorst).rising(0))
        expect(incomplete.eValue(0)).toBeLessThanOrEqual(complete.eValue(0))
        const [wide, narrow] = [incomplete.plausible(20), complete.plausible(20)]
        expect(wide[0]).toBeLessThanOrEqual(narrow[0] + 1e-9)
        expect(wide[1]).toBeGreaterThanOrEqual(narrow[1] - 1e-9)
        expect(wide[0] > 0 || wide[1] < 0).toBe(incomplete.eValue(0) >= 20)
      }),
    )
  })

  test('the lowest mean is above −margin exactly if the evidence against it reaches the threshold', () => {
    fc.assert(
      fc.property(values, fc.constantFrom(20, 35, 200), (all, threshold) => {
        const looks = unplannedLooks(Float64Array.from(all))
        const lowest = looks.lowest(threshold)
        for (const margin of [0, 0.1, 0.5])
          if (Math.abs(lowest + margin) > 1e-9) expect(lowest > -margin).toBe(looks.rising(-margin) >= threshold)
      }),
    )
  })
})

const values = fc.array(
  fc.integer({ min: -10, max: 10 }).map((tenths) => tenths / 10),
  { minLength: 1, maxLength: 60 },
)
