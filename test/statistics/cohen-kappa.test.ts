import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  cohenKappa as cohenKappaSlices,
  type Kappa,
  type RatingPairs,
} from '../../src/statistics/agreement/cohen-kappa.ts'
import { inOneGo } from './in-one-go.ts'

const cohenKappa = inOneGo(cohenKappaSlices)

const categories = ['a', 'b', 'c', 'd'] as const
const rating = fc.constantFrom(...categories)
const ratingPairs = fc.array(fc.tuple(rating, rating), { minLength: 1, maxLength: 60 })
const anyKappa = fc.constantFrom<(pairs: RatingPairs) => Kappa>(
  (pairs) => cohenKappa(pairs),
  (pairs) => cohenKappa(pairs, { order: categories }),
)

// vcd's `SexualFun`: Hout, Duncan & Sobel (1987), answers of 91 husbands (rows) and wives on a scale of four.
const marriedCouples = pairsOf([
  [7, 7, 2, 3],
  [2, 8, 3, 7],
  [1, 5, 4, 9],
  [2, 8, 9, 14],
])

// The example of `cohen.kappa` in the R package psych.
const ninePairs = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((first, place): [string, string] => [
  `${first}`,
  `${[1, 3, 1, 6, 1, 5, 5, 6, 7][place]}`,
])

describe('cohenKappa', () => {
  test('two raters of 100 subjects have the κ printed by Fleiss', () => {
    // Fleiss, J. L. (1981), Statistical Methods for Rates and Proportions, table 13.1: κ 0.68.
    const result = cohenKappa(
      pairsOf([
        [75, 1, 4],
        [5, 4, 1],
        [0, 0, 10],
      ]),
    )
    expect(result.n).toBe(100)
    expect(result.kappa).toBeCloseTo(0.68, 2)
  })

  test('the married couples have the κ that R prints, and nearly its interval for large samples', () => {
    // vcd: Kappa(SexualFun) → Unweighted 0.1293, ASE 0.06860; confint → −0.0052 to 0.2638.
    const { kappa, interval = [NaN, NaN] } = cohenKappa(marriedCouples)
    expect(kappa).toBeCloseTo(0.1293, 4)
    expect(Math.abs(interval[0] - -0.0052)).toBeLessThan(0.02)
    expect(Math.abs(interval[1] - 0.2638)).toBeLessThan(0.02)
  })

  test('agreement as good as chance is zero; nine pairs are too few for an interval', () => {
    // psych: cohen.kappa → unweighted 0.00.
    expect(cohenKappa(ninePairs)).toEqual({ n: 9, kappa: 0, interval: undefined })
  })

  test('the names of the ratings do not matter', () => {
    fc.assert(
      fc.property(ratingPairs, (pairs) => {
        const renamed = pairs.map(([a, b]): [string, string] => [`z${a}`, `z${b}`])
        expect(cohenKappa(renamed)).toEqual(cohenKappa(pairs))
      }),
    )
  })

  test('with two ratings, weighted and unweighted κ are equal', () => {
    const two = fc.array(fc.tuple(fc.constantFrom('no', 'yes'), fc.constantFrom('no', 'yes')), { minLength: 1 })
    fc.assert(
      fc.property(two, (pairs) => {
        expectSame(cohenKappa(pairs, { order: ['no', 'yes'] }), cohenKappa(pairs))
      }),
    )
  })

  test('raters who use 5,000 different texts are compared within memory', () => {
    const pairs = Array.from({ length: 5_000 }, (_, i): [string, string] => [`${i}`, `${i % 2 === 0 ? i : i + 1}`])
    // Without an interval, which needs a second.
    expect(cohenKappa(pairs, { units: 9 }).kappa).toBeCloseTo(0.5, 3)
  })
})

describe('the interval of κ', () => {
  test('exists from ten pairs on, and repetitions of an item do not make pairs', () => {
    const pairs = pairsOf([
      [4, 1],
      [1, 4],
    ])
    expect(cohenKappa(pairs).interval).toBeDefined()
    expect(cohenKappa(pairs.slice(1)).interval).toBeUndefined()
    expect(cohenKappa([...pairs, ...pairs], { units: 9 }).interval).toBeUndefined()
    expect(cohenKappa([...pairs, ...pairs], { units: 10 }).interval).toEqual(cohenKappa(pairs).interval)
  })

  test('of raters who always give different ratings excludes agreement', () => {
    const { kappa, interval } = cohenKappa(
      pairsOf([
        [0, 50],
        [49, 1],
      ]),
    )
    expect(kappa).toBeCloseTo(-0.98, 2)
    expect(interval?.[1]).toBeLessThan(-0.8)
  })

  test('of chance agreement on a rare rating contains 0', () => {
    // A true κ of 0 with 95 % of all ratings equal; Fisher's z gave −0.05 to −0.01.
    expect(
      cohenKappa(
        pairsOf([
          [94, 3],
          [3, 0],
        ]),
      ).interval?.[1],
    ).toBeGreaterThan(0)
  })

  test('of perfect agreement has a width that falls with the number of pairs', () => {
    const lowOf = (each: number) => cohenKappa(pairsOf([[each], [0, each]])).interval?.[0] ?? NaN
    expect(cohenKappa(pairsOf([[10], [0, 10]]))).toMatchObject({ kappa: 1, interval: [expect.any(Number), 1] })
    expect(lowOf(10)).toBeGreaterThan(0.65)
    expect(lowOf(10)).toBeLessThan(0.85)
    expect(lowOf(100)).toBeGreaterThan(0.95)
    expect(lowOf(100)).toBeLessThan(1)
  })
})

describe('cohenKappa with an order', () => {
  test('nine pairs have the quadratically weighted κ that R prints', () => {
    // psych: cohen.kappa → weighted 0.68.
    const order = ['1', '2', '3', '4', '5', '6', '7', '8', '9']
    expect(cohenKappa(ninePairs, { order }).kappa).toBeCloseTo(0.68, 2)
  })

  test('rejects a rating that is not on the scale instead of counting it as the first one', () => {
    expect(() => cohenKappa([['a', 'x']], { order: ['a', 'b'] })).toThrow(RangeError)
  })
})

describe('any κ', () => {
  test('is (observed − expected) / (1 − expected), recomputed over all pairs of ratings', () => {
    fc.assert(
      fc.property(ratingPairs, fc.constantFrom(categories, undefined), (pairs, order) => {
        const agreement = (a: string, b: string) => (order ? 1 - ((placeOf(a) - placeOf(b)) / 3) ** 2 : Number(a === b))
        const observed = meanOf(pairs.map(([a, b]) => agreement(a, b)))
        const expected = meanOf(pairs.flatMap(([a]) => pairs.map(([, b]) => agreement(a, b))))
        const { kappa } = cohenKappa(pairs, { order })
        if (expected > 1 - 1e-9) expect(kappa).toBeUndefined()
        else expect(kappa).toBeCloseTo((observed - expected) / (1 - expected), 9)
      }),
    )
  })

  test('is at most 1, and 1 exactly if the raters always agree', () => {
    fc.assert(
      fc.property(ratingPairs, anyKappa, (pairs, kappaOf) => {
        const { kappa } = kappaOf(pairs)
        if (kappa === undefined) return
        expect(kappa).toBeLessThanOrEqual(1 + 1e-12)
        expect(kappa > 1 - 1e-12).toBe(pairs.every(([a, b]) => a === b))
      }),
    )
  })

  test('lies in its interval, and the interval between −1 and 1', () => {
    fc.assert(
      fc.property(ratingPairs, anyKappa, (pairs, kappaOf) => {
        const { kappa = NaN, interval } = kappaOf(pairs)
        if (!interval) return
        expect(interval[0]).toBeGreaterThanOrEqual(-1)
        expect(interval[0]).toBeLessThanOrEqual(kappa)
        expect(interval[1]).toBeGreaterThanOrEqual(kappa)
        expect(interval[1]).toBeLessThanOrEqual(1)
      }),
    )
  })

  test('does not depend on who is the first rater, nor on the order of the pairs', () => {
    fc.assert(
      fc.property(ratingPairs, anyKappa, (pairs, kappaOf) => {
        expectSame(kappaOf(pairs.map(([a, b]) => [b, a])), kappaOf(pairs))
        expectSame(kappaOf(pairs.toReversed()), kappaOf(pairs))
      }),
    )
  })

  test('without pairs, or with one rating only, there is no number instead of a division by zero', () => {
    const nothing = { kappa: undefined, interval: undefined }
    expect(cohenKappa([])).toEqual({ n: 0, ...nothing })
    expect(cohenKappa([], { order: [] })).toEqual({ n: 0, ...nothing })
    expect(cohenKappa([['a', 'a']])).toEqual({ n: 1, ...nothing })
    expect(cohenKappa(new Array<[string, string]>(300).fill(['a', 'a']))).toEqual({ n: 300, ...nothing })
    expect(cohenKappa([['b', 'b']], { order: categories })).toEqual({ n: 1, ...nothing })
  })
})

function pairsOf(table: readonly (readonly number[])[]): [string, string][] {
  return table.flatMap((row, i) =>
    row.flatMap((count, j) => Array.from({ length: count }, (): [string, string] => [nameOf(i), nameOf(j)])),
  )
}

function nameOf(place: number): string {
  return categories[place] ?? 'none'
}

function placeOf(name: string): number {
  return 'abcd'.indexOf(name)
}

function expectSame(actual: Kappa, expected: Kappa): void {
  expect(actual.n).toBe(expected.n)
  expect(actual.kappa ?? 9).toBeCloseTo(expected.kappa ?? 9, 10)
  expect(actual.interval === undefined).toBe(expected.interval === undefined)
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
