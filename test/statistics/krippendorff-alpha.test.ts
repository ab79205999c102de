import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runInSlices } from '../../src/base/event-loop.ts'
import { cohenKappa as cohenKappaSlices } from '../../src/statistics/agreement/cohen-kappa.ts'
import {
  krippendorffAlpha as krippendorffAlphaSlices,
  type Ratings,
} from '../../src/statistics/agreement/krippendorff-alpha.ts'
import { countPauses, inOneGo } from './in-one-go.ts'

const krippendorffAlpha = inOneGo(krippendorffAlphaSlices)
const cohenKappa = inOneGo(cohenKappaSlices)

// Krippendorff, K. (2011), Computing Krippendorff's alpha-reliability: four observers, twelve units, gaps.
const _ = undefined
const observers = [
  [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
  [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
  [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
  [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]
const twelveUnits = Array.from({ length: 12 }, (_, unit) =>
  observers.flatMap((ratings) => (ratings[unit] === undefined ? [] : [`${ratings[unit]}`])),
)

const grades = ['1', '2', '3', '4', '5']
const orders = [undefined, grades] as const
const order = fc.constantFrom(...orders)
const units = fc.array(fc.array(fc.constantFrom(...grades), { maxLength: 4 }), { maxLength: 25 })

describe('krippendorffAlpha', () => {
  test.each([
    { level: 'nominal', order: undefined, published: 0.743 },
    { level: 'ordinal', order: grades, published: 0.815 },
  ])('the twelve units of Krippendorff have the $level α he prints, $published', ({ order, published }) => {
    const result = krippendorffAlpha(twelveUnits, { order, seed: 'units' })
    expect(result.alpha).toBeCloseTo(published, 3)
    // The twelfth unit has one rating.
    expect(result.units).toBe(11)
    expect(result.interval?.[0]).toBeLessThan(published)
    expect(result.interval?.[1]).toBeGreaterThan(published)
  })

  test('two raters of ten articles have the binary α that Krippendorff prints, 0.095', () => {
    // Krippendorff (2011), his first example: two observers, ten units, o₀₀ 10, o₀₁ 4, o₁₁ 2 of 20 ratings.
    const meg = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    const owen = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    const result = krippendorffAlpha(
      meg.map((rating, unit) => [`${rating}`, `${owen[unit] ?? 0}`]),
      { seed: 'a' },
    )
    expect(result.alpha).toBeCloseTo(0.095, 3)
  })

  test('α is 1 − observed by expected disagreement, recomputed over every pair of ratings', () => {
    fc.assert(
      fc.property(units, order, (ratings, order) => {
        const { alpha } = krippendorffAlpha(ratings, { order, seed: 'a' })
        const expected = alphaByPairs(ratings, order)
        if (expected === undefined) expect(alpha).toBeUndefined()
        else expect(alpha).toBeCloseTo(expected, 9)
      }),
    )
  })

  test('is at most 1 and lies in its interval, which ends at 1', () => {
    fc.assert(
      fc.property(units, order, (ratings, order) => {
        const { alpha = NaN, interval } = krippendorffAlpha(ratings, { order, seed: 'a' })
        if (!Number.isNaN(alpha)) expect(alpha).toBeLessThanOrEqual(1)
        if (!interval) return
        expect(interval[0]).toBeLessThanOrEqual(alpha)
        expect(interval[1]).toBeGreaterThanOrEqual(alpha)
        expect(interval[1]).toBeLessThanOrEqual(1)
      }),
    )
  })

  test('the order of units and of raters changes nothing, not even a digit of the interval', () => {
    fc.assert(
      fc.property(units, order, (ratings, order) => {
        const reordered = ratings.map((unit) => unit.toReversed()).toReversed()
        expect(krippendorffAlpha(reordered, { order, seed: 'a' })).toEqual(
          krippendorffAlpha(ratings, { order, seed: 'a' }),
        )
      }),
    )
  })

  test('units with less than two ratings change nothing', () => {
    fc.assert(
      fc.property(units, order, fc.constantFrom(...grades), (ratings, order, alone) => {
        const options = { order, seed: 'a' }
        expect(krippendorffAlpha([[], ...ratings, [alone]], options)).toEqual(krippendorffAlpha(ratings, options))
      }),
    )
  })

  test('depends on neither the names of ratings nor, if they are ordered, on more than their ranks', () => {
    fc.assert(
      fc.property(units, order, (ratings, order) => {
        const renamed = ratings.map((unit) => unit.map((rating) => `label ${rating}`))
        const names = order?.map((grade) => `label ${grade}`)
        expect(krippendorffAlpha(renamed, { order: names, seed: 'a' })).toEqual(
          krippendorffAlpha(ratings, { order, seed: 'a' }),
        )
      }),
    )
    const shuffled = ['3', '1', '5', '2', '4']
    expect(krippendorffAlpha(twelveUnits, { order: shuffled, seed: 'a' }).alpha).not.toBeCloseTo(0.815, 2)
  })

  test('two raters without gaps and many units have nearly the κ of two raters with the same habits', () => {
    const pairs = Array.from({ length: 400 }, (_, i): [string, string] => [
      i % 2 === 0 ? 'yes' : 'no',
      i % 5 === 0 ? 'yes' : i % 2 === 0 ? 'yes' : 'no',
    ])
    const { alpha = NaN } = krippendorffAlpha(pairs, { seed: 'a' })
    expect(Math.abs(alpha - (cohenKappa(pairs).kappa ?? NaN))).toBeLessThan(0.01)
  })

  test('the interval is as wide as that of κ, for 400 units', () => {
    const pairs = Array.from({ length: 400 }, (_, i): [string, string] => [
      i % 2 === 0 ? 'yes' : 'no',
      i % 10 < 2 ? (i % 2 === 0 ? 'no' : 'yes') : i % 2 === 0 ? 'yes' : 'no',
    ])
    const [low = NaN, high = NaN] = krippendorffAlpha(pairs, { seed: 'a' }).interval ?? []
    const [kappaLow = NaN, kappaHigh = NaN] = cohenKappa(pairs).interval ?? []
    expect((high - low) / (kappaHigh - kappaLow)).toBeGreaterThan(0.93)
    expect((high - low) / (kappaHigh - kappaLow)).toBeLessThan(1.07)
  })

  test('nothing to compare, or nothing that varies, has no α', () => {
    const none = { alpha: undefined, interval: undefined }
    expect(krippendorffAlpha([], { seed: 'a' })).toEqual({ units: 0, ...none })
    expect(krippendorffAlpha([['a'], ['b']], { seed: 'a' })).toEqual({ units: 0, ...none })
    for (const order of orders) {
      expect(
        krippendorffAlpha(
          [
            ['3', '3'],
            ['3', '3', '3'],
          ],
          { order, seed: 'a' },
        ),
      ).toEqual({ units: 2, ...none })
    }
  })

  test('perfect agreement is 1, with an interval from ten units on', () => {
    const perfect = [
      ['1', '1'],
      ['2', '2', '2'],
      ['5', '5'],
    ]
    const many = Array.from({ length: 4 }, () => perfect).flat()
    for (const order of orders) {
      expect(krippendorffAlpha(perfect, { order, seed: 'a' })).toEqual({ units: 3, alpha: 1, interval: undefined })
      const { alpha, interval } = krippendorffAlpha(many, { order, seed: 'a' })
      expect([alpha, interval?.[1]]).toEqual([1, 1])
      expect(interval?.[0]).toBeLessThan(0.9)
    }
  })

  test('chance agreement of three raters on a rare rating contains 0', () => {
    // A true α of 0 with nearly all ratings equal, where the BCa interval was below 0.
    const units = Array.from({ length: 100 }, (_, unit) => (unit < 9 ? ['yes', 'no', 'yes'] : ['yes', 'yes', 'yes']))
    expect(krippendorffAlpha(units, { seed: 'a' }).interval?.[1]).toBeGreaterThan(0)
  })

  test('rejects a rating outside the order', () => {
    expect(() => krippendorffAlpha([['a', 'b']], { order: ['a'], seed: 'a' })).toThrow(RangeError)
  })
})

describe('krippendorffAlpha in slices', () => {
  test('gives the same result as the synchronous call, with pauses', async () => {
    const many = Array.from({ length: 200 }, (_, i) => [`${i}`, `${(i * i) % 11}`, `${i % 13}`])
    const options = { seed: 'a' }
    expect(await runInSlices(krippendorffAlphaSlices(many, options))).toEqual(krippendorffAlpha(many, options))
    expect(countPauses(krippendorffAlphaSlices(many, options))).toBeGreaterThan(10)
  })
})

/** Written from the definition, pair by pair, sharing no code with the source. */
function alphaByPairs(ratings: Ratings, order: readonly string[] | undefined): number | undefined {
  const paired = ratings.filter((unit) => unit.length > 1).map((unit) => unit.map(Number))
  const all = paired.flat()
  const distance = (a: number, b: number) => {
    if (!order) return a === b ? 0 : 1
    const between = all.filter((x) => x >= Math.min(a, b) && x <= Math.max(a, b)).length
    const ends = all.filter((x) => x === a).length + all.filter((x) => x === b).length
    return a === b ? 0 : (between - ends / 2) ** 2
  }
  const sumOver = (values: readonly number[]) =>
    values.reduce((sum, a) => sum + values.reduce((inner, b) => inner + distance(a, b), 0), 0)
  const observed = paired.reduce((sum, unit) => sum + sumOver(unit) / (unit.length - 1), 0) / all.length
  const expected = sumOver(all) / (all.length * (all.length - 1))
  return expected > 0 ? 1 - observed / expected : undefined
}
