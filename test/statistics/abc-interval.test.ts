import { describe, expect, test } from 'vitest'
import { bootstrapMean as bootstrapMeanSlices } from '../../src/statistics/bootstrap/bootstrap-mean.ts'
import { nextRandom, seededRandom } from '../../src/statistics/random/seeded-random.ts'
import { inOneGo } from './in-one-go.ts'

const bootstrapMean = inOneGo(bootstrapMeanSlices)

describe('abcInterval, which is used for too many values to be resampled', () => {
  const manyItems = 500
  const shapes = [
    { shape: 'evenly spread scores', scoreOf: (u: number) => u },
    { shape: 'a 1 to 5 scale', scoreOf: (u: number) => 1 + Math.floor(5 * u ** 2) },
    { shape: 'skewed costs', scoreOf: (u: number) => -Math.log(1 - u) },
    { shape: 'rare failures', scoreOf: (u: number) => (u < 0.03 ? 1 : 0) },
  ]

  test('300 are resampled, 301 are not, and the method names it', () => {
    const observations = alone(Array.from({ length: 301 }, (_, i) => i))
    expect(bootstrapMean(observations.slice(1), { seed: 'a' })?.method).toBe(
      'BCa bootstrap, 95 %, 5000 resamples (Efron 1987)',
    )
    expect(bootstrapMean(observations, { seed: 'a' })?.method).toBe('ABC bootstrap, 95 % (DiCiccio & Efron 1992)')
    expect(bootstrapMean(observations, { seed: 'a', confidence: 0.9, resamples: 1_000 })?.method).toBe(
      'BCa bootstrap, 90 %, 1000 resamples (Efron 1987)',
    )
  })

  test.each(shapes)('$shape: the interval without resamples is that of 20,000 resamples', ({ scoreOf }) => {
    const random = seededRandom('shapes')
    const observations = alone(Array.from({ length: manyItems }, () => scoreOf(nextRandom(random))))
    const resampled = bootstrapMean(observations, { seed: 'many', resamples: 20_000 })
    const [low = NaN, high = NaN] = resampled?.interval ?? []
    // 20,000 resamples place an end to about 1 % of the width.
    expectWithin(bootstrapMean(observations, { seed: 'any' })?.interval, [low, high], 0.02 * (high - low))
  })

  test.each([2 ** -900, 2 ** -540, 2 ** 540, 2 ** 900])(
    'scores in units of %d have the interval of any others',
    (unit) => {
      const random = seededRandom('units')
      const values = Array.from({ length: 2 * manyItems }, () => nextRandom(random))
      const intervalOf = (scores: readonly number[]) => bootstrapMean(alone(scores), { seed: 'any' })
      const inUnits = intervalOf(values.map((value) => value * unit))
      expect(inUnits?.method).toContain('ABC')
      expectWithin(
        inUnits?.interval?.map((end) => end / unit),
        intervalOf(values)?.interval,
        1e-12,
      )
    },
  )

  test('100,000 scores do not block the process, and their order changes nothing', () => {
    const random = seededRandom('large')
    const observations = alone(Array.from({ length: 100_000 }, () => nextRandom(random)))
    const first = bootstrapMean(observations, { seed: 'a' })
    expect(bootstrapMean(observations.toReversed(), { seed: 'b' })).toEqual(first)
    expect(first?.interval?.[0]).toBeCloseTo(0.5, 2)
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
