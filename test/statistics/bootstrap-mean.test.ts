import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runInSlices } from '../../src/base/event-loop.ts'
import { bootstrapMean as bootstrapMeanSlices } from '../../src/statistics/bootstrap/bootstrap-mean.ts'
import { normalCdf, normalQuantile } from '../../src/statistics/distributions.ts'
import { nextRandom, seededRandom } from '../../src/statistics/random/seeded-random.ts'
import { countPauses, inOneGo } from './in-one-go.ts'

const bootstrapMean = inOneGo(bootstrapMeanSlices)

// Davison, A. C. & Hinkley, D. V. (1997), Bootstrap Methods and their Application, table 1.2: hours between failures of
// an air-conditioning unit. Their example 5.8 is the BCa interval of this mean.
const failureHours = [3, 5, 7, 18, 43, 85, 91, 98, 100, 130, 230, 487]

// Efron & Tibshirani (1993), table 2.1: survival of the mice in the control group, in days.
const mouseDays = [52, 104, 146, 10, 50, 31, 40, 27, 46]

const score = fc.integer({ min: 0, max: 100 })
const scores = fc.array(score, { minLength: 2, maxLength: 30 }).filter((values) => new Set(values).size > 1)
const quick = { seed: 'quick', resamples: 1_000 }

describe('bootstrapMean', () => {
  test('the largest numbers of opposite sign have a finite mean', () => {
    const values = Float64Array.of(1e308, -1e308, 1.7e308, -1.7e308, 0, 0, 0)
    const { mean = NaN, interval = [] } = bootstrapMean(values, { seed: 'a' }) ?? {}
    expect(Math.abs(mean)).toBeLessThan(1e293)
    expect(interval[0]).toBeLessThan(-1e307)
    expect(interval[1]).toBeGreaterThan(1e307)
    expect(interval.every(Number.isFinite)).toBe(true)
  })

  describe('published examples', () => {
    test('the mean failure time has the interval that the program of Efron & Tibshirani gives', () => {
      // Function `bcanon` of their R package `bootstrap`, 19,999 resamples: 57.1 to 226.5, as printed in the demonstration of
      // the Octave package statistics-resampling. Davison & Hinkley have 55.33 to 243.5 from only 999 resamples.
      const result = bootstrapMean(alone(failureHours), { seed: 'failures', resamples: 200_000 })
      expect(result?.mean).toBeCloseTo(108.083, 3)
      expectWithin(result?.interval, [57.1, 226.5], 1.5)
    })

    test('the mean survival of the mice is the published 56.22', () => {
      expect(bootstrapMean(alone(mouseDays), quick)?.mean).toBeCloseTo(56.22, 2)
    })

    // Every one of the nⁿ resamples counted, instead of a random 5,000: the number that the random ones approach.
    test.each([
      { name: 'failure times', values: failureHours, confidence: 0.95 },
      { name: 'failure times', values: failureHours, confidence: 0.8 },
      { name: 'mice', values: mouseDays, confidence: 0.95 },
      { name: 'mice', values: mouseDays, confidence: 0.9 },
      { name: 'a 1 to 5 scale full of ties', values: [5, 5, 4, 5, 3, 5, 4, 1, 5, 4, 4, 5], confidence: 0.95 },
      { name: 'passes and failures', values: [1, 1, 1, 0, 1, 1, 0, 1, 1, 1], confidence: 0.95 },
    ])('$name at $confidence: many resamples approach the interval of all resamples', ({ values, confidence }) => {
      const [low, high] = idealInterval(values, confidence)
      // A mean of n whole numbers moves in steps of 1/n, and an end may fall to either side of a step.
      const step = 1 / values.length + 1e-9
      const many = bootstrapMean(alone(values), { seed: 'many', confidence, resamples: 200_000 })
      expectWithin(many?.interval, [low, high], step + 0.01 * (high - low))
      const usual = bootstrapMean(alone(values), { seed: 'usual', confidence })
      expectWithin(usual?.interval, [low, high], step + 0.05 * (high - low))
    })
  })

  test('about 95 of 100 intervals contain the true mean', () => {
    const random = seededRandom('coverage')
    let covered = 0
    for (let round = 0; round < 1_000; round++) {
      const sample = Array.from({ length: 40 }, () => nextRandom(random))
      const [low = NaN, high = NaN] = bootstrapMean(alone(sample), { ...quick, seed: `round ${round}` })?.interval ?? []
      if (low <= 0.5 && 0.5 <= high) covered += 1
    }
    expect(covered).toBeGreaterThan(925)
    expect(covered).toBeLessThan(970)
  })

  describe('for any scores', () => {
    test('the interval contains the mean and stays within the scores', () => {
      fc.assert(
        fc.property(scores, fc.double({ min: 0.8, max: 0.999, noNaN: true }), (values, confidence) => {
          const { mean = NaN, interval: [low, high] = [] } =
            bootstrapMean(alone(values), { ...quick, confidence }) ?? {}
          expect(low).toBeGreaterThanOrEqual(Math.min(...values))
          expect(low).toBeLessThanOrEqual(mean)
          expect(high).toBeGreaterThanOrEqual(mean)
          expect(high).toBeLessThanOrEqual(Math.max(...values))
        }),
      )
    })

    test('rounding never carries an end past the scores: 0.7 is not shown as 0.7000000000000001', () => {
      const options = { ...quick, confidence: 0.999 }
      expect(bootstrapMean(alone([0.1, 0.1, 0.7]), options)?.interval).toEqual([0.1, 0.7])
      expect(bootstrapMean(alone([0.1, 0.2, 1.1]), options)?.interval).toEqual([0.1, 1.1])
    })

    test('shifting and stretching the scale shifts and stretches the interval', () => {
      fc.assert(
        fc.property(
          scores,
          fc.integer({ min: -1_000, max: 1_000 }),
          fc.constantFrom(0.125, 0.25, 1, 3, 20),
          (values, shift, factor) => {
            const moved = alone(values.map((value) => value * factor + shift))
            const expected = bootstrapMean(alone(values), quick)?.interval?.map((end) => end * factor + shift)
            expectWithin(bootstrapMean(moved, quick)?.interval, expected, 1e-9)
          },
        ),
      )
    })

    test.each([2 ** -900, 2 ** -540, 2 ** 540, 2 ** 900])('units of %d change nothing but the unit', (unit) => {
      // Squares and cubes of them are 0 or infinite, and the acceleration is a ratio of such sums.
      const inUnits = bootstrapMean(alone(failureHours.map((hours) => hours * unit)), quick)
      const usual = bootstrapMean(alone(failureHours), quick)
      expect((inUnits?.mean ?? NaN) / unit).toBe(usual?.mean)
      expectWithin(
        inUnits?.interval?.map((end) => end / unit),
        usual?.interval,
        1e-9,
      )
    })

    test('the same seed gives the same interval, for any order of the observations', () => {
      const withOtherOrder = scores.chain((values) =>
        fc.tuple(fc.constant(values), fc.shuffledSubarray(values, { minLength: values.length })),
      )
      fc.assert(
        fc.property(withOtherOrder, fc.string(), ([values, reordered], seed) => {
          const result = bootstrapMean(alone(values), { ...quick, seed })
          expect(bootstrapMean(alone(values), { ...quick, seed })).toEqual(result)
          expect(bootstrapMean(alone(reordered), { ...quick, seed })).toEqual(result)
        }),
      )
    })

    test('one outlier and a confidence beyond the pole of the BCa formula give the outermost resample, not an innermost', () => {
      const outlier = alone([...new Array<number>(29).fill(0), 100])
      const [, usual = NaN] = bootstrapMean(outlier, { ...quick, confidence: 0.999 })?.interval ?? []
      expect(bootstrapMean(outlier, { ...quick, confidence: 1 - 1e-15 })?.interval?.[1]).toBeGreaterThanOrEqual(usual)
    })

    test('more confidence never gives a narrower interval', () => {
      const confidence = fc.oneof(
        fc.double({ min: 0.01, max: 0.999, noNaN: true }),
        fc.integer({ min: 3, max: 15 }).map((digits) => 1 - 10 ** -digits),
      )
      fc.assert(
        fc.property(scores.map(alone), confidence, confidence, (observations, a, b) => {
          const [low = NaN, high = NaN] =
            bootstrapMean(observations, { ...quick, confidence: Math.min(a, b) })?.interval ?? []
          const [lower, higher] = bootstrapMean(observations, { ...quick, confidence: Math.max(a, b) })?.interval ?? []
          expect(lower).toBeLessThanOrEqual(low)
          expect(higher).toBeGreaterThanOrEqual(high)
        }),
      )
    })
  })

  describe('too little data', () => {
    test('no observation has no mean', () => {
      expect(bootstrapMean(alone([]), quick)).toBeUndefined()
    })

    test('one observation has a mean and no interval', () => {
      expect(bootstrapMean(alone([4]), quick)).toMatchObject({ n: 1, mean: 4, interval: undefined })
    })

    test('equal scores have exactly that mean, also when their sum is rounded, and no interval', () => {
      for (const value of [0, 1, 0.1, -0.3, 1e9 / 3]) {
        const result = bootstrapMean(alone(new Array<number>(10_000).fill(value)), quick)
        expect(result).toMatchObject({ n: 10_000, mean: value, interval: undefined })
      }
    })

    test('two different scores already have one', () => {
      expect(bootstrapMean(alone([0, 1]), quick)?.interval).toEqual([0, 1])
    })
  })

  test('rejects a value that is not a number, an impossible confidence and too few resamples', () => {
    expect(() => bootstrapMean(alone([1, NaN, 2]), quick)).toThrow(RangeError)
    expect(() => bootstrapMean(alone([1, Infinity]), quick)).toThrow(RangeError)
    expect(() => bootstrapMean(alone([1, 2]), { ...quick, confidence: 95 })).toThrow(RangeError)
    expect(() => bootstrapMean(alone([1, 2]), { ...quick, resamples: 999 })).toThrow(RangeError)
    expect(() => bootstrapMean(alone([1, 2]), { ...quick, resamples: 1_000.5 })).toThrow(RangeError)
  })
})

describe('bootstrapMean in slices', () => {
  test('gives the same result as the synchronous call, with a pause after every half million draws', async () => {
    const random = seededRandom('slices')
    const observations = alone(Array.from({ length: 2_000 }, () => nextRandom(random)))
    const options = { seed: 'slices', resamples: 5_000 }
    const sliced = await runInSlices(bootstrapMeanSlices(observations, options))
    expect(sliced).toEqual(bootstrapMean(observations, options))
    expect(countPauses(bootstrapMeanSlices(observations, options))).toBe(19)
  })

  test('stops with the error of a pause that fails, so that a cancelled evaluation costs nothing more', () => {
    const observations = alone(Array.from({ length: 300 }, (_, i) => i))
    const slices = bootstrapMeanSlices(observations, { seed: 'slices' })
    expect(slices.next().done).toBe(false)
    expect(() => slices.throw(new Error('cancelled'))).toThrow('cancelled')
    expect(slices.next()).toEqual({ done: true, value: undefined })
  })
})

function alone(values: readonly number[]): Float64Array {
  return Float64Array.from(values)
}

function expectWithin(
  actual: readonly number[] | undefined,
  expected: readonly number[] | undefined,
  tolerance: number,
): void {
  expect(actual).toHaveLength(2)
  expect(Math.abs((actual?.[0] ?? NaN) - (expected?.[0] ?? NaN))).toBeLessThan(tolerance)
  expect(Math.abs((actual?.[1] ?? NaN) - (expected?.[1] ?? NaN))).toBeLessThan(tolerance)
}

type Outcome = { readonly sum: number; readonly probability: number }

/**
 * The BCa interval of all nⁿ resamples of n whole numbers: the sum of n draws has the n-fold convolution of the distribution
 * of one. Written from the formulas of Efron & Tibshirani (1993), section 14.3, and sharing no code with the source.
 */
function idealInterval(values: readonly number[], confidence: number): [number, number] {
  const n = values.length
  const outcomes = allResamples(values).sort((a, b) => a.sum - b.sum)
  const share = (isCounted: (outcome: Outcome) => boolean) =>
    total(outcomes.filter(isCounted).map((o) => o.probability))
  const bias = normalQuantile(share((o) => o.sum < total(values)) + share((o) => o.sum === total(values)) / 2)

  const jackknife = values.map((left) => (total(values) - left) / (n - 1))
  const centre = total(jackknife) / n
  const power = (exponent: number) => total(jackknife.map((value) => (centre - value) ** exponent))
  const acceleration = power(3) / (6 * power(2) ** 1.5)

  const end = (p: number) => {
    const shifted = bias + normalQuantile(p)
    let remaining = normalCdf(bias + shifted / (1 - acceleration * shifted))
    for (const { sum, probability } of outcomes) {
      remaining -= probability
      if (remaining <= 0) return sum / n
    }
    return NaN
  }
  return [end((1 - confidence) / 2), end((1 + confidence) / 2)]
}

function allResamples(values: readonly number[]): Outcome[] {
  let outcomes: Outcome[] = [{ sum: 0, probability: 1 }]
  for (let draw = 0; draw < values.length; draw++) {
    const next = new Map<number, number>()
    for (const { sum, probability } of outcomes)
      for (const drawn of values) next.set(sum + drawn, (next.get(sum + drawn) ?? 0) + probability / values.length)
    outcomes = Array.from(next, ([sum, probability]) => ({ sum, probability }))
  }
  return outcomes
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
