import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runInSlices } from '../../src/base/event-loop.ts'
import { nextRandom, seededRandom } from '../../src/statistics/random/seeded-random.ts'
import { bettingMean as bettingMeanSlices } from '../../src/statistics/sequential/betting-mean.ts'
import { inOneGo } from './in-one-go.ts'

const bettingMean = inOneGo(bettingMeanSlices)

const values = Array.from({ length: 6 }, () => [0.2, -0.1, 0.5, 0.3, 0, 0.4, 0.1, 0.25, -0.05, 0.35]).flat()
const bounded = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 1, maxLength: 80 })

describe('bettingMean', () => {
  test('has the e-value and the interval of a direct computation with NumPy, its ends found by SciPy’s brentq', () => {
    const result = bettingMean(values, { bound: 1 })
    expect(result?.eValue).toBeCloseTo(64.26401687921178, 8)
    expect(result?.direction).toBe(1)
    expect(result?.interval[0]).toBeCloseTo(0.04627107736574554, 9)
    expect(result?.interval[1]).toBeCloseTo(0.34365060563845073, 9)
  })

  test('opposite values have the opposite interval and the same evidence', () => {
    fc.assert(
      fc.property(bounded, (given) => {
        const [one, other] = [given, given.map((value) => -value)].map((list) => bettingMean(list, { bound: 1 }))
        expect(other?.eValue).toBeCloseTo(one?.eValue ?? NaN, 9)
        expect(other?.interval[0]).toBeCloseTo(-(one?.interval[1] ?? NaN), 9)
        expect(other?.interval[1]).toBeCloseTo(-(one?.interval[0] ?? NaN), 9)
      }),
    )
  })

  test('the unit does not matter, and pauses change nothing', async () => {
    const inThousands = bettingMean(
      values.map((value) => 1_000 * value),
      { bound: 1_000 },
    )
    expect(inThousands?.interval[0]).toBeCloseTo(1_000 * 0.04627107736574554, 6)
    expect(await runInSlices(bettingMeanSlices(values, { bound: 1 }))).toEqual(bettingMean(values, { bound: 1 }))
  })

  test('looking after every value of 300, at most 5 of 100 sequences with the mean 0 ever exclude it', () => {
    let excluded = 0
    for (let sequence = 0; sequence < 100; sequence += 1) {
      const random = seededRandom(`sequence ${sequence}`)
      // One of ten falls by 0.9, the others gain 0.1.
      const drawn = Array.from({ length: 300 }, () => (nextRandom(random) < 0.1 ? -0.9 : 0.1))
      const isExcluded = (n: number) => {
        const [low = 0, high = 0] = bettingMean(drawn.slice(0, n), { bound: 1 })?.interval ?? []
        return low > 0 || high < 0
      }
      if ([10, 20, 40, 60, 80, 100, 150, 200, 250, 300].some(isExcluded)) excluded += 1
    }
    expect(excluded).toBeLessThanOrEqual(5)
  })

  test('no values have no interval, and a bound must be a number above 0', () => {
    expect(bettingMean([], { bound: 1 })).toBeUndefined()
    expect(() => bettingMean([1], { bound: 0 })).toThrow(RangeError)
    expect(() => bettingMean([1], { bound: Infinity })).toThrow(RangeError)
  })
})
