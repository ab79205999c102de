import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type DoubleSample,
  doubleSamplingRate as doubleSamplingRateSlices,
} from '../../src/statistics/calibration/double-sampling-rate.ts'
import { inOneGo } from './in-one-go.ts'

const doubleSamplingRate = inOneGo(doubleSamplingRateSlices)

/**
 * Drum & Christacopoulos (1972), hepatic scintigraphy of 650 patients, as Begg & Greenes (1983) analyze it: 429 tests were
 * positive, of 263 verified ones 231 had the disease; 221 were negative, of 81 verified ones 27 had it.
 */
const LIVER: DoubleSample = {
  passed: { cases: 429, labeled: 263, good: 231 },
  failed: { cases: 221, labeled: 81, good: 27 },
  seed: 'liver',
}

const counts = fc
  .tuple(fc.nat({ max: 300 }), fc.nat({ max: 60 }), fc.nat({ max: 60 }))
  .map(([unlabeled, good, bad]) => ({ cases: unlabeled + good + bad, labeled: good + bad, good }))

describe('doubleSamplingRate', () => {
  test('has the sensitivity and specificity that Begg & Greenes print for the liver scans', () => {
    const found = doubleSamplingRate(LIVER)
    // Without the correction they are 0.90 and 0.63.
    expect(found?.sensitivity.value).toBeCloseTo(0.836, 3)
    expect(found?.specificity.value).toBeCloseTo(0.738, 3)
    expect(found?.ppv.value).toBeCloseTo(231 / 263, 12)
    expect(found?.npv.value).toBeCloseTo(54 / 81, 12)
    expect(found?.rate.value).toBeCloseTo((429 / 650) * (231 / 263) + (221 / 650) * (27 / 81), 12)
  })

  test('has an interval of the width that the variance of Tenenbein (1970) gives', () => {
    const { rate, sensitivity, specificity } = doubleSamplingRate(LIVER) ?? fail()
    const share = 429 / 650
    const [ppv, missed] = [231 / 263, 27 / 81]
    const variance =
      (share * (1 - share) * (ppv - missed) ** 2) / 650 +
      (share ** 2 * ppv * (1 - ppv)) / 263 +
      ((1 - share) ** 2 * missed * (1 - missed)) / 81
    const width = rate.interval[1] - rate.interval[0]
    expect(width / (2 * 1.959964 * Math.sqrt(variance))).toBeCloseTo(1, 1)
    for (const { value, interval } of [rate, sensitivity, specificity]) {
      expect(interval[0]).toBeLessThan(value)
      expect(interval[1]).toBeGreaterThan(value)
    }
  })

  test('is not moved by choosing labels by the verdict of the judge', () => {
    // The same judge: nine of ten passed cases are good, and three of ten failed ones.
    const random = doubleSamplingRate({
      passed: { cases: 700, labeled: 70, good: 63 },
      failed: { cases: 300, labeled: 30, good: 9 },
      seed: 'a',
    })
    const balanced = doubleSamplingRate({
      passed: { cases: 700, labeled: 50, good: 45 },
      failed: { cases: 300, labeled: 50, good: 15 },
      seed: 'a',
    })
    expect(random?.rate.value).toBeCloseTo(0.72, 12)
    expect(balanced?.rate.value).toBeCloseTo(0.72, 12)
    expect(balanced?.sensitivity.value).toBeCloseTo(random?.sensitivity.value ?? NaN, 12)
  })

  test('a verdict without a label has the estimate ½, and an interval of almost 0 to 1', () => {
    const { rate, npv } =
      doubleSamplingRate({
        passed: { cases: 50, labeled: 20, good: 20 },
        failed: { cases: 50, labeled: 0, good: 0 },
        seed: 'a',
      }) ?? fail()
    expect(npv.value).toBe(0.5)
    expect(npv.interval[1] - npv.interval[0]).toBeGreaterThan(0.98)
    expect(rate.value).toBe(0.75)
    expect(rate.interval[1] - rate.interval[0]).toBeGreaterThan(0.4)
  })

  test('every rate lies in its interval, and every interval in 0 to 1', () => {
    fc.assert(
      fc.property(counts, counts, (passed, failed) => {
        fc.pre(passed.cases + failed.cases > 0)
        for (const { value, interval } of Object.values(doubleSamplingRate({ passed, failed, seed: 'a' }) ?? fail())) {
          expect(interval[0]).toBeGreaterThanOrEqual(0)
          expect(interval[0]).toBeLessThanOrEqual(value)
          expect(interval[1]).toBeGreaterThanOrEqual(value)
          expect(interval[1]).toBeLessThanOrEqual(1)
        }
      }),
      { numRuns: 20 },
    )
  })

  test('a judge with pass and fail exchanged, and good and bad with them, has the opposite rate', () => {
    const { rate } = doubleSamplingRate(LIVER) ?? fail()
    const mirrored = doubleSamplingRate({
      passed: { cases: 221, labeled: 81, good: 54 },
      failed: { cases: 429, labeled: 263, good: 32 },
      seed: 'liver',
    })
    expect(mirrored?.rate.value).toBeCloseTo(1 - rate.value, 12)
    expect(mirrored?.rate.interval[0]).toBeCloseTo(1 - rate.interval[1], 2)
  })

  test('another seed moves the ends by little, even for a judge that guesses', () => {
    const weak = { passed: { cases: 120, labeled: 45, good: 27 }, failed: { cases: 80, labeled: 36, good: 20 } }
    const ends = ['a', 'b', 'c', 'd', 'e'].map((seed) => doubleSamplingRate({ ...weak, seed })?.rate.interval ?? fail())
    const [lows, highs] = [ends.map(([low]) => low), ends.map(([, high]) => high)]
    const width = Math.max(...highs) - Math.min(...lows)
    for (const values of [lows, highs]) {
      expect(Math.max(...values) - Math.min(...values)).toBeLessThan(0.03 * width)
    }
  })

  test('nothing without cases, and counts that cannot be are rejected', () => {
    const none = { cases: 0, labeled: 0, good: 0 }
    expect(doubleSamplingRate({ passed: none, failed: none, seed: 'a' })).toBeUndefined()
    expect(() => doubleSamplingRate({ passed: { cases: 1, labeled: 2, good: 1 }, failed: none, seed: 'a' })).toThrow(
      RangeError,
    )
    expect(() => doubleSamplingRate({ passed: { cases: 3, labeled: 2, good: 3 }, failed: none, seed: 'a' })).toThrow(
      RangeError,
    )
  })
})

function fail(): never {
  throw new Error('there is no estimate')
}
