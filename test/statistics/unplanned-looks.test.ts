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
})

const values = fc.array(
  fc.integer({ min: -10, max: 10 }).map((tenths) => tenths / 10),
  { minLength: 1, maxLength: 60 },
)
