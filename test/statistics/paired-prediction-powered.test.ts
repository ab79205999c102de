import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pairedPredictionPowered } from '../../src/statistics/calibration/paired-prediction-powered.ts'
import { studentCriticalValue } from '../../src/statistics/distributions.ts'
import { intervalOf } from '../../src/statistics/paired/p-function.ts'
import { pairedScores } from '../../src/statistics/paired/paired-means.ts'

const people = [0.5, -0.25, 0, 0.25, 0.75, -0.5, 0.25, 0, 0.5, 0.25]
const judge = [0.4, -0.1, 0.1, 0.3, 0.5, -0.2, 0.2, 0.1, 0.6, 0.1]
const judged = [0.3, 0.2, -0.1, 0.4, 0.1, 0, 0.5, -0.3, 0.2, 0.1, 0.6, 0.25, -0.05, 0.15, 0.35]
const labeled = people.map((rated, index) => ({ people: rated, judge: judge[index] ?? NaN }))
const share = fc.integer({ min: -10, max: 10 }).map((tenths) => tenths / 10)

describe('pairedPredictionPowered', () => {
  test('has the values that NumPy and SciPy compute from the formula', () => {
    // ppi_py, with another estimate of λ, has 0.158 and the normal interval [0.011, 0.306].
    const result = pairedPredictionPowered({ labeled, judged, range: 1 })
    expect(result?.judgeWeight).toBeCloseTo(0.9367681498829042, 10)
    expect(result?.difference).toBeCloseTo(0.15626463700234194, 10)
  })

  test('adds the limits of the ratings and of the judge, and is never narrower than the normal interval', () => {
    const { interval = [0, 0], marginInterval = [0, 0] } = pairedPredictionPowered({ labeled, judged, range: 1 }) ?? {}
    // With t in place of the limits of scores it would be −0.022 to 0.335.
    expect(interval[0]).toBeLessThan(0.011)
    expect(interval[1]).toBeGreaterThan(0.306)
    expect(marginInterval[0]).toBeLessThan(interval[0])
  })

  test('without unrated items it is the mean of the ratings with the interval of scores', () => {
    const result = pairedPredictionPowered({ labeled, judged: [], range: 1 })
    expect(result).toMatchObject({ judgeWeight: 0, difference: expect.closeTo(0.175, 12) })
    const { sensitive } = pairedScores({ values: Float64Array.from(people) }, { range: 2, canBreak: true })
    expect(result?.interval).toEqual(intervalOf(sensitive).map((end) => expect.closeTo(end, 12)))
  })

  test('a bias that the judge has for one of the runs in all items changes nothing', () => {
    const biased = pairedPredictionPowered({
      labeled: labeled.map((one) => ({ ...one, judge: one.judge + 0.3 })),
      judged: judged.map((one) => one + 0.3),
      range: 1,
    })
    expect(biased?.difference).toBeCloseTo(0.15626463700234194, 10)
  })

  test('swapping the runs mirrors the result', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ judge: share, people: share }), { minLength: 2, maxLength: 30 }),
        fc.array(share, { maxLength: 40 }),
        (rated, others) => {
          const there = pairedPredictionPowered({ labeled: rated, judged: others, range: 1 })
          const back = pairedPredictionPowered({
            labeled: rated.map((one) => ({ judge: -one.judge, people: -one.people })),
            judged: others.map((one) => -one),
            range: 1,
          })
          expect((there?.difference ?? NaN) + (back?.difference ?? NaN)).toBeCloseTo(0, 9)
          expect((there?.interval?.[0] ?? 0) + (back?.interval?.[1] ?? 0)).toBeCloseTo(0, 9)
        },
      ),
    )
  })

  test('one rated item has no interval, and what is not a number is rejected', () => {
    expect(pairedPredictionPowered({ labeled: labeled.slice(0, 1), judged, range: 1 })).toBeUndefined()
    expect(() => pairedPredictionPowered({ labeled, judged: [NaN], range: 1 })).toThrow(RangeError)
    const same = pairedPredictionPowered({ labeled: labeled.map(() => ({ people: 0, judge: 0 })), judged, range: 1 })
    expect(same?.interval[1]).toBeGreaterThan(0.2)
  })

  test('the critical values are those of SciPy', () => {
    expect(studentCriticalValue(0.95, 1)).toBeCloseTo(12.706204736174694, 8)
    expect(studentCriticalValue(0.95, 9)).toBeCloseTo(2.262157162798205, 10)
    expect(studentCriticalValue(0.95, 49)).toBeCloseTo(2.0095752371292392, 10)
  })
})
