import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cohenKappa, type Kappa, type RatingPairs, weightedKappa } from '../../src/statistics/agreement/cohen-kappa.ts'

const categories = ['a', 'b', 'c', 'd'] as const
const rating = fc.constantFrom(...categories)
const ratingPairs = fc.array(fc.tuple(rating, rating), { minLength: 1, maxLength: 60 })
const anyKappa = fc.constantFrom<(pairs: RatingPairs) => Kappa>(
  cohenKappa,
  (pairs) => weightedKappa(pairs, categories, 'linear'),
  (pairs) => weightedKappa(pairs, categories, 'quadratic'),
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

  test('the married couples have the κ and standard error that R prints', () => {
    // vcd: Kappa(SexualFun) → Unweighted 0.1293, ASE 0.06860.
    const result = cohenKappa(marriedCouples)
    expect(result.kappa).toBeCloseTo(0.1293, 4)
    expect(result.standardError).toBeCloseTo(0.0686, 4)
  })

  test('agreement as good as chance is zero, with the standard error that R prints', () => {
    // psych: cohen.kappa → unweighted −0.18, 0.00, 0.18.
    const { kappa, standardError = NaN, interval } = cohenKappa(ninePairs)
    expect(kappa).toBeCloseTo(0, 12)
    expect(1.96 * standardError).toBeCloseTo(0.18, 2)
    // Nine pairs are too few for an interval that can be relied on.
    expect(interval).toBeUndefined()
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
        expectSame(weightedKappa(pairs, ['no', 'yes'], 'linear'), cohenKappa(pairs))
        expectSame(weightedKappa(pairs, ['no', 'yes'], 'quadratic'), cohenKappa(pairs))
      }),
    )
  })

  test('raters who use 5,000 different texts are compared within memory', () => {
    const pairs = Array.from({ length: 5_000 }, (_, i): [string, string] => [`${i}`, `${i % 2 === 0 ? i : i + 1}`])
    expect(cohenKappa(pairs).kappa).toBeCloseTo(0.5, 3)
  })
})

describe('the interval of κ', () => {
  test('is that of Fisher’s z around κ, for 20 pairs and more', () => {
    // 9 1 / 1 9: κ 0.8; the standard error of a 2 × 2 table with equal margins is √((1 − 0.8²)/20) = 0.134164.
    const pairs = pairsOf([
      [9, 1],
      [1, 9],
    ])
    const { kappa, standardError, interval } = cohenKappa(pairs)
    expect(kappa).toBeCloseTo(0.8, 12)
    expect(standardError).toBeCloseTo(0.134164, 6)
    // tanh(artanh 0.8 ∓ 1.959964 · 0.134164 / 0.36).
    expect(interval?.[0]).toBeCloseTo(Math.tanh(1.0986123 - 0.7304388), 5)
    expect(interval?.[1]).toBeCloseTo(Math.tanh(1.0986123 + 0.7304388), 5)
    expect(cohenKappa(pairs.slice(1)).interval).toBeUndefined()
    // Repetitions of an item do not make pairs.
    expect(cohenKappa([...pairs, ...pairs], { units: 19 }).interval).toBeUndefined()
  })
})

describe('weightedKappa', () => {
  test('the married couples have the linearly weighted κ and standard error that R prints', () => {
    // vcd: Kappa(SexualFun) → Weighted 0.2374, ASE 0.07832, with weights 1 − |i − j|/(r − 1).
    const result = weightedKappa(marriedCouples, categories, 'linear')
    expect(result.kappa).toBeCloseTo(0.2374, 4)
    expect(result.standardError).toBeCloseTo(0.07832, 5)
  })

  test('nine pairs have the quadratically weighted κ and standard error that R prints', () => {
    // psych: cohen.kappa → weighted 0.43, 0.68, 0.93.
    const scale = ['1', '2', '3', '4', '5', '6', '7', '8', '9']
    const { kappa = NaN, standardError = NaN } = weightedKappa(ninePairs, scale, 'quadratic')
    const printed = [kappa, kappa - 1.96 * standardError, kappa + 1.96 * standardError]
    expect(printed.map((number) => Number(number.toFixed(2)))).toEqual([0.68, 0.43, 0.93])
  })

  test('rejects a rating that is not on the scale instead of counting it as the first one', () => {
    expect(() => weightedKappa([['a', 'x']], ['a', 'b'], 'linear')).toThrow(RangeError)
  })
})

describe('any κ', () => {
  test('is (observed − expected) / (1 − expected), recomputed over all pairs of ratings', () => {
    fc.assert(
      fc.property(ratingPairs, fc.constantFrom(1, 2), (pairs, exponent) => {
        const agreement = (a: string, b: string) => 1 - (Math.abs(placeOf(a) - placeOf(b)) / 3) ** exponent
        const observed = meanOf(pairs.map(([a, b]) => agreement(a, b)))
        const expected = meanOf(pairs.flatMap(([a]) => pairs.map(([, b]) => agreement(a, b))))
        const { kappa } = weightedKappa(pairs, categories, exponent === 1 ? 'linear' : 'quadratic')
        if (expected > 1 - 1e-9) expect(kappa).toBeUndefined()
        else expect(kappa).toBeCloseTo((observed - expected) / (1 - expected), 9)
      }),
    )
  })

  test('has the standard error that the delta method gives, by numeric derivatives in the cell shares', () => {
    fc.assert(
      fc.property(ratingPairs, anyKappa, (pairs, kappaOf) => {
        const { kappa, standardError } = kappaOf(pairs)
        if (kappa === undefined || standardError === undefined) return
        // The influence of a pair: what κ gains when a thousandth more of all pairs are like it.
        const often = pairs.flatMap((pair) => new Array<[string, string]>(200).fill(pair))
        const influences = pairs.map((pair) => {
          const more = kappaOf([...often, pair]).kappa ?? NaN
          return (more - kappa) * (often.length + 1)
        })
        const numeric = Math.sqrt(meanOf(influences.map((influence) => influence ** 2)) / pairs.length)
        expect(standardError).toBeCloseTo(numeric, 1)
      }),
      { numRuns: 30 },
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
    const nothing = { kappa: undefined, standardError: undefined, interval: undefined }
    expect(cohenKappa([])).toEqual({ n: 0, ...nothing })
    expect(weightedKappa([], [], 'linear')).toEqual({ n: 0, ...nothing })
    expect(cohenKappa([['a', 'a']])).toEqual({ n: 1, ...nothing })
    expect(cohenKappa(new Array<[string, string]>(300).fill(['a', 'a']))).toEqual({ n: 300, ...nothing })
    expect(weightedKappa([['b', 'b']], ['a', 'b', 'c'], 'quadratic')).toEqual({ n: 1, ...nothing })
  })

  test('perfect agreement has no interval: no width would claim certainty', () => {
    expect(
      cohenKappa([
        ['a', 'a'],
        ['b', 'b'],
      ]),
    ).toEqual({ n: 2, kappa: 1, standardError: undefined, interval: undefined })
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
  expect(actual.standardError ?? 9).toBeCloseTo(expected.standardError ?? 9, 8)
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
