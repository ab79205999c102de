import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newcombePairedInterval, type PairedCounts, wilsonInterval } from '../../src/statistics/rate-intervals.ts'

const count = fc.integer({ min: 0, max: 200 })
const counts = fc
  .record({ both: count, onlyCandidate: count, onlyBaseline: count, neither: count })
  .filter(({ both, onlyCandidate, onlyBaseline, neither }) => both + onlyCandidate + onlyBaseline + neither > 0)

describe('newcombePairedInterval', () => {
  // Newcombe, R. G. (1998), Statistics in Medicine 17, 2635–2650, method 10.
  test.each([
    { table: [36, 12, 2, 0], published: [0.0569, 0.3404] },
    { table: [18, 12, 2, 18], published: [0.0562, 0.329] },
  ])('$table has the interval published by Newcombe', ({ table, published }) => {
    const result = newcombePairedInterval(countsOf(table))
    expect(result?.difference).toBeCloseTo(0.2, 12)
    expect(result?.interval.map((end) => Number(end.toFixed(4)))).toEqual(published)
  })

  test('53 times both and once neither: no difference has the interval published by Newcombe, not none', () => {
    const { difference, interval: [low = NaN, high = NaN] = [] } = newcombePairedInterval(countsOf([53, 0, 0, 1])) ?? {}
    expect(difference).toBe(0)
    expect(low).toBeCloseTo(-0.0729, 4)
    expect(high).toBeCloseTo(0.0729, 4)
  })

  test('response before and after consolidation has the interval of the R package contingencytables', () => {
    // Fagerland, Lydersen & Laake (2017), Statistical Analysis of Contingency Tables, chapter 8, data of Cavo et al. (2012).
    const result = newcombePairedInterval(countsOf([59, 6, 16, 80]))
    expect(result?.difference).toBeCloseTo(-0.0621, 4)
    expect(result?.interval[0]).toBeCloseTo(-0.1186, 4)
    expect(result?.interval[1]).toBeCloseTo(-0.0046, 4)
  })

  test('the interval contains the difference and stays within −1 and 1', () => {
    fc.assert(
      fc.property(counts, (counts) => {
        const { difference = NaN, interval: [low, high] = [] } = newcombePairedInterval(counts) ?? {}
        expect(low).toBeGreaterThanOrEqual(-1)
        expect(low).toBeLessThanOrEqual(difference)
        expect(high).toBeGreaterThanOrEqual(difference)
        expect(high).toBeLessThanOrEqual(1)
      }),
    )
  })

  test('swapping the sides mirrors the interval, to the last digit', () => {
    fc.assert(
      fc.property(counts, (counts) => {
        const { interval: [low = NaN, high = NaN] = [] } = newcombePairedInterval(counts) ?? {}
        const swapped = { ...counts, onlyCandidate: counts.onlyBaseline, onlyBaseline: counts.onlyCandidate }
        const mirrored = newcombePairedInterval(swapped)?.interval
        expect([mirrored?.[0], mirrored?.[1]].map((end) => (end ?? NaN) + 0)).toEqual([0 - high, 0 - low])
      }),
    )
  })

  test('swapping yes and no mirrors the interval', () => {
    fc.assert(
      fc.property(counts, ({ both, onlyCandidate, onlyBaseline, neither }) => {
        const yes = newcombePairedInterval({ both, onlyCandidate, onlyBaseline, neither })?.interval
        const no = newcombePairedInterval({
          both: neither,
          onlyCandidate: onlyBaseline,
          onlyBaseline: onlyCandidate,
          neither: both,
        })?.interval
        expect(no?.[0]).toBeCloseTo(-(yes?.[1] ?? NaN), 12)
        expect(no?.[1]).toBeCloseTo(-(yes?.[0] ?? NaN), 12)
      }),
    )
  })

  test('a baseline that always fails leaves the square-and-add of two independent Wilson intervals', () => {
    const result = newcombePairedInterval(countsOf([0, 30, 0, 70]))
    const [low = NaN, high = NaN] = wilsonInterval({ successes: 30, n: 100 }) ?? []
    const [, zeroHigh = NaN] = wilsonInterval({ successes: 0, n: 100 }) ?? []
    expect(result?.interval[0]).toBeCloseTo(0.3 - Math.hypot(0.3 - low, zeroHigh), 12)
    expect(result?.interval[1]).toBeCloseTo(high, 12)
  })

  test('100,000 cases keep their digits, and the interval narrows to that of the normal approximation', () => {
    const result = newcombePairedInterval(countsOf([60_000, 6_000, 5_000, 29_000]))
    const reach = 1.959964 * Math.sqrt((0.11 - 0.01 ** 2) / 100_000)
    expect(result?.interval[0]).toBeCloseTo(0.01 - reach, 4)
    expect(result?.interval[1]).toBeCloseTo(0.01 + reach, 4)
  })

  test('no cases have no interval, and impossible counts are rejected', () => {
    expect(newcombePairedInterval(countsOf([0, 0, 0, 0]))).toBeUndefined()
    expect(() => newcombePairedInterval(countsOf([5, -1, 1, 5]))).toThrow(RangeError)
    expect(() => newcombePairedInterval(countsOf([5, 0.5, 1, 5]))).toThrow(RangeError)
    expect(() => newcombePairedInterval({ ...countsOf([5, 1, 1, 5]), confidence: 95 })).toThrow(RangeError)
  })
})

function countsOf([both = 0, onlyCandidate = 0, onlyBaseline = 0, neither = 0]: readonly number[]): PairedCounts {
  return { both, onlyCandidate, onlyBaseline, neither }
}
