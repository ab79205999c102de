import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runInSlices } from '../../src/base/event-loop.ts'
import { cohenKappa } from '../../src/statistics/agreement/cohen-kappa.ts'
import {
  type AlphaOptions,
  krippendorffAlpha as krippendorffAlphaSlices,
  type Ratings,
} from '../../src/statistics/agreement/krippendorff-alpha.ts'
import { countPauses, inOneGo } from './in-one-go.ts'

const krippendorffAlpha = inOneGo(krippendorffAlphaSlices)

// Krippendorff, K. (2011), Computing Krippendorff's alpha-reliability: four observers, twelve units, gaps.
const _ = undefined
const observers = [
  [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
  [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
  [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
  [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]
const twelveUnits = Array.from({ length: 12 }, (_, unit) =>
  observers.flatMap((ratings) => (ratings[unit] === undefined ? [] : [ratings[unit]])),
)

const levels = ['nominal', 'ordinal', 'interval'] as const
const level = fc.constantFrom(...levels)
const units = fc.array(fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 4 }), { maxLength: 25 })

describe('krippendorffAlpha', () => {
  test.each([
    { level: 'nominal', published: 0.743 },
    { level: 'ordinal', published: 0.815 },
    { level: 'interval', published: 0.849 },
  ] as const)('the twelve units of Krippendorff have the $level α he prints, $published', ({ level, published }) => {
    const result = krippendorffAlpha(twelveUnits, { level, seed: 'units' })
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
      meg.map((rating, unit) => [rating, owen[unit] ?? 0]),
      { level: 'nominal', seed: 'a' },
    )
    expect(result.alpha).toBeCloseTo(0.095, 3)
  })

  test('α is 1 − observed by expected disagreement, recomputed over every pair of ratings', () => {
    fc.assert(
      fc.property(units, level, (ratings, level) => {
        const { alpha } = krippendorffAlpha(ratings, { level, seed: 'a' })
        const expected = alphaByPairs(ratings, level)
        if (expected === undefined) expect(alpha).toBeUndefined()
        else expect(alpha).toBeCloseTo(expected, 9)
      }),
    )
  })

  test('is at most 1 and lies in its interval, which ends at 1', () => {
    fc.assert(
      fc.property(units, level, (ratings, level) => {
        const { alpha = NaN, interval } = krippendorffAlpha(ratings, { level, seed: 'a' })
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
      fc.property(units, level, (ratings, level) => {
        const reordered = ratings.map((unit) => unit.toReversed()).toReversed()
        expect(krippendorffAlpha(reordered, { level, seed: 'a' })).toEqual(
          krippendorffAlpha(ratings, { level, seed: 'a' }),
        )
      }),
    )
  })

  test('units with less than two ratings change nothing', () => {
    fc.assert(
      fc.property(units, level, fc.integer({ min: 1, max: 9 }), (ratings, level, alone) => {
        const options = { level, seed: 'a' }
        expect(krippendorffAlpha([[], ...ratings, [alone]], options)).toEqual(krippendorffAlpha(ratings, options))
      }),
    )
  })

  test('is invariant: interval data to shift and scale, ordinal data to monotone maps, nominal data to renaming', () => {
    fc.assert(
      fc.property(units, (ratings) => {
        const alphaOf = (level: AlphaOptions['level'], rename: (rating: number) => number | string) =>
          krippendorffAlpha(
            ratings.map((unit) => unit.map(rename)),
            { level, seed: 'a' },
          ).alpha ?? 9
        expect(alphaOf('interval', (x) => 1e9 + 3 * x)).toBeCloseTo(
          alphaOf('interval', (x) => x),
          9,
        )
        expect(alphaOf('ordinal', (x) => x ** 3)).toBeCloseTo(
          alphaOf('ordinal', (x) => x),
          12,
        )
        expect(alphaOf('nominal', (x) => `label ${7 - x}`)).toBeCloseTo(
          alphaOf('nominal', (x) => x),
          12,
        )
      }),
    )
  })

  test('ordinal words have the rank that the order gives them', () => {
    const order = ['bad', 'fair', 'good', 'great', 'best']
    const words = twelveUnits.map((unit) => unit.map((rating) => order[rating - 1] ?? ''))
    const result = krippendorffAlpha(words, { level: 'ordinal', order, seed: 'a' })
    expect(result).toEqual(krippendorffAlpha(twelveUnits, { level: 'ordinal', seed: 'a' }))
    const shuffled = ['good', 'bad', 'best', 'fair', 'great']
    expect(krippendorffAlpha(words, { level: 'ordinal', order: shuffled, seed: 'a' }).alpha).not.toBeCloseTo(0.815, 2)
  })

  test('two raters without gaps and many units have nearly the κ of two raters with the same habits', () => {
    const pairs = Array.from({ length: 400 }, (_, i): [string, string] => [
      i % 2 === 0 ? 'yes' : 'no',
      i % 5 === 0 ? 'yes' : i % 2 === 0 ? 'yes' : 'no',
    ])
    const { alpha = NaN } = krippendorffAlpha(pairs, { level: 'nominal', seed: 'a' })
    expect(Math.abs(alpha - (cohenKappa(pairs).kappa ?? NaN))).toBeLessThan(0.01)
  })

  test('the interval has the width of the delta method, for 400 units', () => {
    // For two raters with equal habits α and κ agree, and κ's standard error has a formula of its own.
    const pairs = Array.from({ length: 400 }, (_, i): [string, string] => [
      i % 2 === 0 ? 'yes' : 'no',
      i % 10 < 2 ? (i % 2 === 0 ? 'no' : 'yes') : i % 2 === 0 ? 'yes' : 'no',
    ])
    const [low = NaN, high = NaN] = krippendorffAlpha(pairs, { level: 'nominal', seed: 'a' }).interval ?? []
    const [kappaLow = NaN, kappaHigh = NaN] = cohenKappa(pairs).interval ?? []
    expect((high - low) / (kappaHigh - kappaLow)).toBeGreaterThan(0.93)
    expect((high - low) / (kappaHigh - kappaLow)).toBeLessThan(1.07)
  })

  test('nothing to compare, or nothing that varies, has no α', () => {
    const none = { alpha: undefined, interval: undefined }
    expect(krippendorffAlpha([], { level: 'nominal', seed: 'a' })).toEqual({ units: 0, ...none })
    expect(krippendorffAlpha([['a'], ['b']], { level: 'nominal', seed: 'a' })).toEqual({ units: 0, ...none })
    for (const level of levels) {
      expect(
        krippendorffAlpha(
          [
            [3, 3],
            [3, 3, 3],
          ],
          { level, seed: 'a' },
        ),
      ).toEqual({ units: 2, ...none })
    }
  })

  test('perfect agreement is 1 without an interval: every resample repeats it', () => {
    const perfect = [
      [1, 1],
      [2, 2, 2],
      [5, 5],
    ]
    for (const level of levels) {
      expect(krippendorffAlpha(perfect, { level, seed: 'a' })).toEqual({ units: 3, alpha: 1, interval: undefined })
    }
  })

  test('rejects labels without an order for interval and ordinal metrics, and a label outside the order', () => {
    const words = [['a', 'b']]
    expect(() => krippendorffAlpha(words, { level: 'interval', seed: 'a' })).toThrow(RangeError)
    expect(() => krippendorffAlpha(words, { level: 'ordinal', seed: 'a' })).toThrow(RangeError)
    expect(() => krippendorffAlpha(words, { level: 'ordinal', order: ['a'], seed: 'a' })).toThrow(RangeError)
    expect(() => krippendorffAlpha([[1, NaN]], { level: 'interval', seed: 'a' })).toThrow(RangeError)
  })
})

describe('krippendorffAlpha in slices', () => {
  test('gives the same result as the synchronous call, with pauses', async () => {
    const many = Array.from({ length: 500 }, (_, i) => [i / 7, (i * i) % 11, i % 13])
    const options = { level: 'interval', seed: 'a' } as const
    expect(await runInSlices(krippendorffAlphaSlices(many, options))).toEqual(krippendorffAlpha(many, options))
    expect(countPauses(krippendorffAlphaSlices(many, options))).toBeGreaterThan(10)
  })
})

/** Written from the definition, pair by pair, sharing no code with the source. */
function alphaByPairs(ratings: Ratings, level: AlphaOptions['level']): number | undefined {
  const paired = ratings.filter((unit) => unit.length > 1).map((unit) => unit.map(Number))
  const all = paired.flat()
  const distance = (a: number, b: number) => {
    if (level === 'nominal') return a === b ? 0 : 1
    if (level === 'interval') return (a - b) ** 2
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
