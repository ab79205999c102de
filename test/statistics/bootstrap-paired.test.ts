import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runInSlices } from '../../src/base/event-loop.ts'
import {
  bootstrapMean as bootstrapMeanSlices,
  bootstrapPairedDifference as bootstrapPairedDifferenceSlices,
  type PairedScores,
} from '../../src/statistics/bootstrap/bootstrap-mean.ts'
import { nextRandom, seededRandom } from '../../src/statistics/random/seeded-random.ts'
import { countPauses, inOneGo } from './in-one-go.ts'

const bootstrapMean = inOneGo(bootstrapMeanSlices)
const bootstrapPairedDifference = inOneGo(bootstrapPairedDifferenceSlices)

type ScorePair = { baseline: number; candidate: number; cluster?: string }

function columnsOf(pairs: readonly ScorePair[]): PairedScores {
  return {
    baseline: pairs.map(({ baseline }) => baseline),
    candidate: pairs.map(({ candidate }) => candidate),
    clusters: pairs.some(({ cluster }) => cluster !== undefined)
      ? pairs.map(({ cluster }, place) => cluster ?? `alone ${place}`)
      : undefined,
  }
}

const quick = { seed: 'quick', resamples: 1_000 }
const pairs = fc.array(
  fc.record({ baseline: fc.integer({ min: 0, max: 50 }), candidate: fc.integer({ min: 0, max: 50 }) }),
  { minLength: 1, maxLength: 30 },
)

// Darwin's plants, in eighths of an inch: Fisher, The Design of Experiments (1935), chapter 3, has a mean difference of 20.93.
const darwinsPlants = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]

describe('bootstrapPairedDifference', () => {
  test("Darwin's plants have the published mean difference, and an interval shifted down by their two outliers", () => {
    const result = bootstrapPairedDifference(
      columnsOf(darwinsPlants.map((difference) => ({ baseline: 100, candidate: 100 + difference }))),
      { seed: 'plants', resamples: 100_000 },
    )
    expect(result?.difference).toBeCloseTo(20.933, 3)
    const [low = NaN, high = NaN] = result?.interval ?? []
    // Skewed to the left, and a bootstrap of 15 is narrower than Student's t.
    expect(low).toBeGreaterThan(-8)
    expect(low).toBeLessThan(2)
    expect(high).toBeGreaterThan(33)
    expect(high).toBeLessThan(41.84)
  })

  test('it is the mean of the differences: common parts cancel', () => {
    fc.assert(
      fc.property(pairs, fc.integer({ min: -100, max: 100 }), (pairs, shared) => {
        const result = bootstrapPairedDifference(columnsOf(pairs), quick)
        const shifted = pairs.map((pair, i) => ({
          baseline: pair.baseline + shared * i,
          candidate: pair.candidate + shared * i,
        }))
        expect(bootstrapPairedDifference(columnsOf(shifted), quick)).toEqual(result)
        const plain = bootstrapMean(
          pairs.map(({ baseline, candidate }) => ({ value: candidate - baseline })),
          quick,
        )
        expect(result?.difference).toBe(plain?.mean)
        expect(result?.interval).toEqual(plain?.interval)
      }),
    )
  })

  test('the interval contains the difference', () => {
    fc.assert(
      fc.property(pairs, (pairs) => {
        const { difference = NaN, interval } = bootstrapPairedDifference(columnsOf(pairs), quick) ?? {}
        if (!interval) return
        expect(interval[0]).toBeLessThanOrEqual(difference)
        expect(interval[1]).toBeGreaterThanOrEqual(difference)
      }),
    )
  })

  test('repetitions of an item do not make the interval narrower', () => {
    const once = Array.from({ length: 20 }, (_, i) => ({ baseline: i % 5, candidate: (i * 3) % 7 }))
    const thrice = once.flatMap((pair, i) => [1, 2, 3].map(() => ({ ...pair, cluster: `${i}` })))
    const result = bootstrapPairedDifference(columnsOf(thrice), quick)
    expect(result).toMatchObject({ n: 60, clusters: 20 })
    const alone = bootstrapPairedDifference(columnsOf(once), quick)
    expect(result?.interval?.[0]).toBeCloseTo(alone?.interval?.[0] ?? NaN, 9)
    expect(result?.interval?.[1]).toBeCloseTo(alone?.interval?.[1] ?? NaN, 9)
  })

  test('equal runs have no difference, also with rounding errors: no interval, and no 5e-17', () => {
    const same: ScorePair[] = [
      { baseline: 0.3, candidate: 0.1 + 0.2 },
      { baseline: 0.5, candidate: 0.5 },
    ]
    expect(bootstrapPairedDifference(columnsOf(same), quick)).toMatchObject({ difference: 0, interval: undefined })
  })

  test('the same gain everywhere has no interval, although 0.3 − 0.2 and 0.2 − 0.1 are not the same double', () => {
    const gains: ScorePair[] = [
      { baseline: 0.2, candidate: 0.3 },
      { baseline: 0.1, candidate: 0.2 },
      { baseline: 0.7, candidate: 0.8 },
    ]
    const result = bootstrapPairedDifference(columnsOf(gains), quick)
    expect(result?.difference).toBeCloseTo(0.1, 12)
    expect(result?.interval).toBeUndefined()
  })

  test('no pair has no difference, one pair has no interval, and NaN is rejected', () => {
    expect(bootstrapPairedDifference(columnsOf([]), quick)).toBeUndefined()
    expect(bootstrapPairedDifference(columnsOf([{ baseline: 1, candidate: 3 }]), quick)).toMatchObject({
      n: 1,
      difference: 2,
      interval: undefined,
    })
    expect(() =>
      bootstrapPairedDifference(
        columnsOf([
          { baseline: 1, candidate: NaN },
          { baseline: 1, candidate: 2 },
        ]),
        quick,
      ),
    ).toThrow(RangeError)
  })

  test('10,000 pairs need no resamples, with the result of 2,000 resamples', () => {
    const random = seededRandom('pairs')
    const many = Array.from({ length: 10_000 }, () => {
      const baseline = nextRandom(random)
      return { baseline, candidate: Math.min(1, baseline + 0.3 * nextRandom(random) ** 3) }
    })
    const result = bootstrapPairedDifference(columnsOf(many), { seed: 'a' })
    expect(result?.method).toBe('ABC bootstrap, 95 % (DiCiccio & Efron 1992)')
    const [low = NaN, high = NaN] =
      bootstrapPairedDifference(columnsOf(many), { seed: 'a', resamples: 2_000 })?.interval ?? []
    expect(Math.abs((result?.interval?.[0] ?? NaN) - low)).toBeLessThan(0.05 * (high - low))
    expect(Math.abs((result?.interval?.[1] ?? NaN) - high)).toBeLessThan(0.05 * (high - low))
  })
})

describe('bootstrapPairedDifference in slices', () => {
  test('gives the same result as the synchronous call, with pauses', async () => {
    const many = Array.from({ length: 250 }, (_, i) => ({ baseline: i % 7, candidate: (i * i) % 11 }))
    const sliced = await runInSlices(bootstrapPairedDifferenceSlices(columnsOf(many), { seed: 'a' }))
    expect(sliced).toEqual(bootstrapPairedDifference(columnsOf(many), { seed: 'a' }))
    expect(countPauses(bootstrapPairedDifferenceSlices(columnsOf(many), { seed: 'a' }))).toBe(2)
  })
})
