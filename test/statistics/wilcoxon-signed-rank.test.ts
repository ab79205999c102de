import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { wilcoxonSignedRank } from '../../src/statistics/paired-tests.ts'
import { nextRandom, seededRandom } from '../../src/statistics/random/seeded-random.ts'

// Hollander & Wolfe (1973), page 29: depression of nine patients at two visits. The example of R's `wilcox.test`.
const firstVisit = [1.83, 0.5, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.3]
const secondVisit = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]

// Darwin's plants, in eighths of an inch: the example of Fisher, The Design of Experiments (1935), chapter 3.
const darwinsPlants = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]

// Student's sleep data as in R's `sleep`.
const firstDrug = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2]
const secondDrug = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]

/** No two of the same magnitude and none zero. */
const untied = fc
  .uniqueArray(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 12 })
  .chain((magnitudes) =>
    fc
      .array(fc.boolean(), { minLength: magnitudes.length, maxLength: magnitudes.length })
      .map((signs) => magnitudes.map((magnitude, place) => (signs[place] ? magnitude : -magnitude))),
  )
const any = fc.array(fc.integer({ min: -20, max: 20 }), { maxLength: 60 })

describe('wilcoxonSignedRank', () => {
  test('the depression of nine patients has the V and p that R prints', () => {
    // R: V = 40, p-value = 0.01953 one-sided, 0.03906 two-sided.
    const result = wilcoxonSignedRank(firstVisit.map((x, i) => x - (secondVisit[i] ?? NaN)))
    expect(result).toMatchObject({ n: 9, statistic: 40, method: 'exact' })
    expect(result?.p).toBeCloseTo(0.0390625, 12)
  })

  test("Darwin's plants have the V and p that R prints", () => {
    // R: V = 96, p-value = 0.04126.
    const result = wilcoxonSignedRank(darwinsPlants)
    expect(result).toMatchObject({ n: 15, statistic: 96, method: 'exact' })
    expect(result?.p).toBeCloseTo(0.04126, 5)
  })

  test("Student's sleep data, with a zero and a tie that rounding hides, have the V that R prints and the exact p", () => {
    // R prints V = 0 and warns that it cannot compute an exact p with ties. All nine differences have one sign: 2 of the
    // 2⁹ assignments are as extreme. −0.2 − 1.1 and −1.2 − 0.1 are not the same double.
    const result = wilcoxonSignedRank(firstDrug.map((x, i) => x - (secondDrug[i] ?? NaN)))
    expect(result).toMatchObject({ n: 9, statistic: 0, method: 'exact' })
    expect(result?.p).toBeCloseTo(2 / 512, 12)
  })

  test('five equal gains are not evidence: 2 of 32 assignments are as extreme', () => {
    const result = wilcoxonSignedRank([1, 1, 1, 1, 1, ...new Array<number>(25).fill(0)])
    expect(result).toEqual({ n: 5, statistic: 15, p: 0.0625, method: 'exact' })
  })

  test('with and without ties, up to 12 differences, p is the share of all sign assignments that are as extreme', () => {
    const tied = fc.array(fc.integer({ min: -4, max: 4 }).filter(Boolean), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(fc.oneof(tied, untied), (differences) => {
        expect(wilcoxonSignedRank(differences)?.p).toBeCloseTo(enumeratedP(differences), 12)
      }),
    )
  })

  test('the exact p ends at 300 pairs, and the normal one that follows is close to it', () => {
    const differences = Array.from({ length: 301 }, (_, i) => (i % 5 < 2 ? -(i + 1) : i + 1))
    const exact = wilcoxonSignedRank(differences.slice(0, 300))
    const normal = wilcoxonSignedRank(differences)
    expect(exact?.method).toBe('exact')
    expect(normal?.method).toBe('normal')
    expect(Math.abs((exact?.p ?? NaN) - approximateP(differences.slice(0, 300)))).toBeLessThan(0.0005)
    expect(normal?.p).toBeCloseTo(approximateP(differences), 9)
  })

  test('with ties, V and p are those of ranks averaged by hand', () => {
    // Magnitudes 1 1 2 2 2 3: ranks 1.5 1.5 4 4 4 6; positive are a 1, two 2s and the 3.
    const result = wilcoxonSignedRank([1, -1, 2, 2, -2, 3])
    expect(result).toMatchObject({ n: 6, statistic: 15.5, method: 'exact' })
    expect(result?.p).toBeCloseTo(enumeratedP([1, -1, 2, 2, -2, 3]), 12)
  })

  test('p lies above 0 and at most at 1, and V between 0 and the sum of all ranks', () => {
    fc.assert(
      fc.property(any, (differences) => {
        const result = wilcoxonSignedRank(differences)
        if (!result) return
        expect(result.p).toBeGreaterThan(0)
        expect(result.p).toBeLessThanOrEqual(1)
        expect(result.statistic).toBeGreaterThanOrEqual(0)
        expect(result.statistic).toBeLessThanOrEqual((result.n * (result.n + 1)) / 2)
      }),
    )
  })

  test('swapping the sides keeps p and mirrors V', () => {
    fc.assert(
      fc.property(any, (differences) => {
        const result = wilcoxonSignedRank(differences)
        const swapped = wilcoxonSignedRank(differences.map((difference) => -difference))
        expect(swapped?.p).toEqual(result?.p)
        const all = ((result?.n ?? 0) * ((result?.n ?? 0) + 1)) / 2
        expect((swapped?.statistic ?? 0) + (result?.statistic ?? 0)).toBe(all)
      }),
    )
  })

  test('a change of scale, an order, and zeros change nothing', () => {
    fc.assert(
      fc.property(any, fc.constantFrom(0.1, 0.3, 7, 1e9), (differences, factor) => {
        const scaled = differences.toReversed().map((difference) => difference * factor)
        expect(wilcoxonSignedRank([0, ...scaled, 0])).toEqual(wilcoxonSignedRank(differences))
      }),
    )
  })

  test('rounding errors are no differences: 0.1 + 0.2 − 0.3 among real ones is a zero', () => {
    expect(wilcoxonSignedRank([0.1 + 0.2 - 0.3, 0.5, -0.25])).toEqual(wilcoxonSignedRank([0.5, -0.25]))
    expect(wilcoxonSignedRank([0.3 - 0.2, 0.2 - 0.1, -0.4])).toEqual(wilcoxonSignedRank([1, 1, -4]))
  })

  test('no differences have no test, and NaN is rejected', () => {
    expect(wilcoxonSignedRank([])).toBeUndefined()
    expect(wilcoxonSignedRank([0, 0, -0])).toBeUndefined()
    expect(() => wilcoxonSignedRank([1, NaN])).toThrow(RangeError)
    expect(() => wilcoxonSignedRank([1, Infinity])).toThrow(RangeError)
  })

  test('100,000 pairs that all improved have a p that is tiny and still not 0', () => {
    const random = seededRandom('large')
    const result = wilcoxonSignedRank(Array.from({ length: 100_000 }, () => nextRandom(random) + 0.1))
    expect(result?.statistic).toBe((100_000 * 100_001) / 2)
    expect(result?.p).toBe(Number.MIN_VALUE)
  })
})

/** All 2ⁿ assignments of signs to the ranks, one by one. Sums of half ranks are exact in doubles. */
function enumeratedP(differences: readonly number[]): number {
  const ranks = differences.map((difference) => averageRank(differences, Math.abs(difference)))
  const n = ranks.length
  const middle = (n * (n + 1)) / 4
  const observed = ranks.reduce((sum, rank, place) => sum + ((differences[place] ?? 0) > 0 ? rank : 0), 0)
  let asExtreme = 0
  for (let signs = 0; signs < 2 ** n; signs++) {
    const sum = ranks.reduce((before, rank, place) => before + (signs & (1 << place) ? rank : 0), 0)
    if (Math.abs(sum - middle) >= Math.abs(observed - middle)) asExtreme += 1
  }
  return asExtreme / 2 ** n
}

function averageRank(differences: readonly number[], magnitude: number): number {
  const below = differences.filter((other) => Math.abs(other) < magnitude).length
  const equal = differences.filter((other) => Math.abs(other) === magnitude).length
  return below + (equal + 1) / 2
}

/** The normal approximation with average ranks found by counting, and the tail of the normal by Simpson's rule. */
function approximateP(differences: readonly number[]): number {
  const ranks = differences.map((difference) => Math.sign(difference) * averageRank(differences, Math.abs(difference)))
  // Var V = Σ rank² / 4, which is the tie-corrected formula written out.
  const deviation = Math.sqrt(ranks.reduce((sum, rank) => sum + rank * rank, 0) / 4)
  const distance = Math.abs(ranks.reduce((sum, rank) => sum + rank, 0)) / 2
  return upperTail(Math.max(0, distance - 0.5) / deviation) * 2
}

function upperTail(from: number): number {
  const steps = 20_000
  const width = (40 - from) / steps
  let sum = 0
  for (let step = 0; step <= steps; step++) {
    const weight = step === 0 || step === steps ? 1 : step % 2 === 1 ? 4 : 2
    sum += weight * Math.exp(-((from + step * width) ** 2) / 2)
  }
  return (sum * width) / 3 / Math.sqrt(2 * Math.PI)
}
