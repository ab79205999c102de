import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { correctedRate, type JudgedAndLabeled } from '../../src/statistics/rogan-gladen.ts'

const rate = (max: number) =>
  fc.integer({ min: 1, max }).chain((n) => fc.record({ n: fc.constant(n), successes: fc.integer({ min: 0, max: n }) }))
const counts = fc.tuple(rate(1_000), rate(80), rate(80)).map(
  ([judged, positive, negative]): JudgedAndLabeled => ({
    positives: judged.successes,
    n: judged.n,
    truePositives: positive.successes,
    positivesLabeled: positive.n,
    trueNegatives: negative.successes,
    negativesLabeled: negative.n,
    seed: 'any',
  }),
)

describe('correctedRate', () => {
  test('the rate is (apparent + specificity − 1) / (sensitivity + specificity − 1)', () => {
    // By hand: (0.27 + 0.8 − 1) / (0.9 + 0.8 − 1) = 0.07 / 0.7.
    expect(correctedRate(given({ positives: 270, n: 1_000 }))?.rate).toBeCloseTo(0.1, 12)
  })

  test('a judge that errs as labelled is corrected back to the true rate', () => {
    // 30 % of 1,000 are true: 0.9 × 300 + 0.2 × 700 = 410 get a yes.
    expect(correctedRate(given({ positives: 410, n: 1_000 }))?.rate).toBeCloseTo(0.3, 12)
  })

  test('with many labels the interval is that of the variance which Rogan & Gladen derive', () => {
    const large = {
      ...given({ positives: 41_000, n: 100_000 }),
      truePositives: 9_000,
      positivesLabeled: 10_000,
      trueNegatives: 8_000,
      negativesLabeled: 10_000,
    }
    const { rate = NaN, interval: [low = NaN, high = NaN] = [] } = correctedRate(large) ?? {}
    const variance =
      ((0.41 * 0.59) / 100_000 + (0.3 ** 2 * 0.9 * 0.1) / 10_000 + (0.7 ** 2 * 0.8 * 0.2) / 10_000) / 0.7 ** 2
    expect((high - low) / (2 * 1.959964 * Math.sqrt(variance))).toBeCloseTo(1, 1)
    expect((low + high) / 2).toBeCloseTo(rate, 3)
  })

  test('without errors among few labels the interval is still wider than that of the judged cases alone', () => {
    const few = { ...given({ positives: 500, n: 1_000 }), truePositives: 20, trueNegatives: 20 }
    const { interval: [low = NaN, high = NaN] = [] } =
      correctedRate({ ...few, positivesLabeled: 20, negativesLabeled: 20 }) ?? {}
    expect(high - low).toBeGreaterThan(0.1)
  })

  test('the interval contains the rate, and both stay within 0 and 1', () => {
    fc.assert(
      fc.property(counts, (counts) => {
        const { rate = NaN, interval } = correctedRate(counts) ?? {}
        if (!interval) return
        expect(interval[0]).toBeGreaterThanOrEqual(0)
        expect(interval[0]).toBeLessThanOrEqual(rate)
        expect(interval[1]).toBeGreaterThanOrEqual(rate)
        expect(interval[1]).toBeLessThanOrEqual(1)
      }),
      { numRuns: 50 },
    )
  })

  test('there is a rate exactly where the judge is better than chance', () => {
    fc.assert(
      fc.property(counts, (counts) => {
        const sensitivity = counts.truePositives / counts.positivesLabeled
        const specificity = counts.trueNegatives / counts.negativesLabeled
        expect(correctedRate(counts) !== undefined).toBe(sensitivity + specificity > 1 + 1e-12)
      }),
      { numRuns: 50 },
    )
  })

  test('asking for no instead of yes mirrors the rate', () => {
    const yes = correctedRate(given({ positives: 410, n: 1_000 }))
    const no = correctedRate({
      positives: 590,
      n: 1_000,
      truePositives: 40,
      positivesLabeled: 50,
      trueNegatives: 45,
      negativesLabeled: 50,
      seed: 'other',
    })
    expect(no?.rate).toBeCloseTo(1 - (yes?.rate ?? NaN), 12)
    expect(no?.interval[0]).toBeCloseTo(1 - (yes?.interval[1] ?? NaN), 1)
  })

  test('a seed gives the same interval each time', () => {
    const counts = given({ positives: 410, n: 1_000 })
    expect(correctedRate(counts)).toEqual(correctedRate(counts))
    expect(correctedRate({ ...counts, seed: 'another' })).not.toEqual(correctedRate(counts))
  })

  test('nothing judged or nothing labelled has no rate', () => {
    expect(correctedRate(given({ positives: 0, n: 0 }))).toBeUndefined()
    expect(correctedRate({ ...given({ positives: 1, n: 2 }), truePositives: 0, positivesLabeled: 0 })).toBeUndefined()
    expect(correctedRate({ ...given({ positives: 1, n: 2 }), trueNegatives: 0, negativesLabeled: 0 })).toBeUndefined()
  })

  test('impossible counts are refused', () => {
    expect(() => correctedRate(given({ positives: 3, n: 2 }))).toThrow(RangeError)
    expect(() => correctedRate({ ...given({ positives: 1, n: 2 }), truePositives: 51 })).toThrow(RangeError)
    expect(() => correctedRate({ ...given({ positives: 1, n: 2 }), confidence: 95 })).toThrow(RangeError)
  })
})

/** A judge with a sensitivity of 0.9 and a specificity of 0.8 on 50 labels of each kind. */
function given(judged: { positives: number; n: number }): JudgedAndLabeled {
  return {
    ...judged,
    truePositives: 45,
    positivesLabeled: 50,
    trueNegatives: 40,
    negativesLabeled: 50,
    seed: 'given',
  }
}
