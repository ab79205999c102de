import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { predictionPoweredMean } from '../../src/statistics/calibration/prediction-powered-mean.ts'

const score = fc.integer({ min: 0, max: 10 })
const scores = fc.record({
  judged: fc.array(score, { minLength: 1, maxLength: 60 }),
  labeled: fc.array(fc.record({ judge: score, people: score }), { minLength: 2, maxLength: 30 }),
})

// Small enough to be worked out by hand.
const labeled = [
  { judge: 1, people: 2 },
  { judge: 2, people: 2 },
  { judge: 3, people: 5 },
  { judge: 4, people: 5 },
]
const judged = [1, 2, 3, 4, 5, 6, 7, 8]

/** The 97.5 % points of t with 3 and with 9 degrees of freedom, from the table of Abramowitz & Stegun (1964), 26.10. */
const [T3, T9] = [3.182446, 2.262157]

describe('predictionPoweredMean', () => {
  test('λ = 1: the judge’s mean less its bias, with the variances of both samples added, by hand', () => {
    const result = predictionPoweredMean({ judged, labeled, weight: 'full' })
    // Mean judged 4.5, mean of people − judge (1 + 0 + 2 + 1)/4 = 1; variances 6 of eight and 2/3 of four.
    expect(result?.mean).toBeCloseTo(5.5, 12)
    const reach = T3 * Math.sqrt(6 / 8 + 2 / 3 / 4)
    expect(result?.interval?.[0]).toBeCloseTo(5.5 - reach, 5)
    expect(result?.interval?.[1]).toBeCloseTo(5.5 + reach, 5)
  })

  test('tuned: λ is the covariance by the inflated variance, by hand', () => {
    const result = predictionPoweredMean({ judged, labeled })
    // Cov(people, judge) = (1.5×1.5 + 0.5×1.5 + 0.5×1.5 + 1.5×1.5)/3 = 2; the judge's twelve scores have mean 46/12 and
    // squares 1+4+9+16 + 204 = 234, variance (234 − 46²/12)/11; 1 + n/N = 1.5.
    const weight = 2 / (1.5 * ((234 - 46 ** 2 / 12) / 11))
    expect(result?.judgeWeight).toBeCloseTo(weight, 12)
    const mean = 3.5 + weight * (4.5 - 2.5)
    expect(result?.mean).toBeCloseTo(mean, 12)
    // Var(people − λ judge) = 3 − 2λ·2 + λ²·5/3 of four labels, and λ²·6 of eight judged.
    const variance = (3 - 4 * weight + (5 / 3) * weight ** 2) / 4 + (6 * weight ** 2) / 8
    expect(result?.interval?.[1]).toBeCloseTo(mean + T3 * Math.sqrt(variance), 5)
  })

  test('repeated verdicts and labels of one item do not make the interval narrower', () => {
    fc.assert(
      fc.property(scores, fc.integer({ min: 2, max: 5 }), ({ judged, labeled }, times) => {
        const again = <One>(values: readonly One[]) => values.flatMap((value) => new Array<One>(times).fill(value))
        const once = predictionPoweredMean({ judged, labeled, weight: 'full' })
        const clustered = predictionPoweredMean({
          judged: again(judged),
          judgedClusters: again(judged.map((_, place) => `judged ${place}`)),
          labeled: again(labeled.map((label, place) => ({ ...label, cluster: `labeled ${place}` }))),
          weight: 'full',
        })
        for (const end of [0, 1] as const)
          expect(clustered?.interval?.[end] ?? 99).toBeCloseTo(once?.interval?.[end] ?? 99, 9)
      }),
    )
  })

  test('a labeled and an unlabeled case of the same item are not independent', () => {
    const things = [0, 1, 0, 1, 1, 0, 1, 1, 0, 1]
    const options = { judged: things, weight: 'full' as const }
    // The judge says twice what people say.
    const labels = things.map((judge) => ({ judge, people: judge === 1 ? 0.5 : 0 }))
    const names = things.map((_, place) => `thing ${place}`)
    const apart = predictionPoweredMean({ ...options, labeled: labels })
    const together = predictionPoweredMean({
      ...options,
      labeled: labels.map((label, place) => ({ ...label, cluster: names[place] ?? '' })),
      judgedClusters: names,
    })
    expect(together?.mean).toBe(apart?.mean)
    // By hand: what a thing adds is (people − judge + judge) / 10, the deviation of people alone, of which six are 0.5.
    const deviation = Math.sqrt((6 * 0.2 ** 2 + 4 * 0.3 ** 2) / 9 / 10)
    expect(together?.interval?.[1]).toBeCloseTo((together?.mean ?? NaN) + T9 * deviation, 5)
  })

  test('a judge that is noise has no weight, and the interval is that of the labels alone', () => {
    const alone = { judgeWeight: 0, mean: 3.5 }
    const noise = [1, 3, 3, 1].map((judge, place) => ({ judge, people: labeled[place]?.people ?? NaN }))
    const result = predictionPoweredMean({ judged, labeled: noise })
    expect(result).toMatchObject(alone)
    // The labels 2, 2, 5, 5 have the variance 3.
    expect(result?.interval?.[0]).toBeCloseTo(3.5 - T3 * Math.sqrt(3 / 4), 5)
    const contrary = labeled.map(({ people }) => ({ people, judge: -people }))
    expect(predictionPoweredMean({ judged, labeled: contrary })).toMatchObject(alone)
  })

  test('with a perfect judge all judged cases count as labels', () => {
    const perfect = Array.from({ length: 40 }, (_, i) => ({ judge: i % 5, people: i % 5 }))
    const many = Array.from({ length: 4_000 }, (_, i) => i % 5)
    const result = predictionPoweredMean({ judged: many, labeled: perfect })
    expect(result?.mean).toBeCloseTo(2, 9)
    const [low = NaN, high = NaN] = result?.interval ?? []
    expect(high - low).toBeLessThan(2 * 2.0227 * Math.sqrt(2 / 4_000) * 1.05)
  })

  test('a judge that is off by the same amount everywhere is corrected entirely', () => {
    fc.assert(
      fc.property(scores, fc.integer({ min: -50, max: 50 }), ({ judged, labeled }, bias) => {
        const biased = {
          judged: judged.map((judge) => judge + bias),
          labeled: labeled.map(({ judge, people }) => ({ judge: judge + bias, people })),
        }
        const result = predictionPoweredMean({ judged, labeled })
        expect(predictionPoweredMean(biased)?.mean).toBeCloseTo(result?.mean ?? NaN, 8)
      }),
    )
  })

  test('the mean lies in its interval, and the weight of the judge is between 0 and 1', () => {
    fc.assert(
      fc.property(scores, ({ judged, labeled }) => {
        const { mean = NaN, interval, judgeWeight } = predictionPoweredMean({ judged, labeled }) ?? {}
        expect(judgeWeight).toBeGreaterThanOrEqual(0)
        expect(judgeWeight).toBeLessThanOrEqual(1)
        if (!interval) return
        expect(interval[0]).toBeLessThanOrEqual(mean)
        expect(interval[1]).toBeGreaterThanOrEqual(mean)
      }),
    )
  })

  test.each([2 ** -900, 2 ** -540, 2 ** 540, 2 ** 900])('scores in units of %d have the mean of any others', (unit) => {
    const inUnits = predictionPoweredMean({
      judged: judged.map((score) => score * unit),
      labeled: labeled.map(({ judge, people }) => ({ judge: judge * unit, people: people * unit })),
    })
    const usual = predictionPoweredMean({ judged, labeled })
    expect(inUnits?.judgeWeight).toBeCloseTo(usual?.judgeWeight ?? NaN, 12)
    expect((inUnits?.mean ?? NaN) / unit).toBeCloseTo(usual?.mean ?? NaN, 12)
    expect(inUnits?.interval?.map((end) => end / unit)).toEqual(usual?.interval?.map((end) => expect.closeTo(end, 12)))
  })

  test('fewer than two labels have no mean', () => {
    expect(predictionPoweredMean({ judged: [1], labeled: [] })).toBeUndefined()
    expect(predictionPoweredMean({ judged: [1], labeled: [{ judge: 1, people: 1 }] })).toBeUndefined()
  })

  test('if every case is labeled, the mean is that of the labels with its t interval', () => {
    const result = predictionPoweredMean({ judged: [], labeled })
    expect(result).toMatchObject({ mean: 3.5, judgeWeight: 0 })
    expect(result?.interval?.[0]).toBeCloseTo(3.5 - T3 * Math.sqrt(3 / 4), 5)
  })

  test('a label that was twice as likely to be drawn counts half', () => {
    // The judge is constant and counts for nothing: the weighted mean of 2 and 5 with weights ½ and 1.
    const drawn = [
      { judge: 1, people: 2, chance: 2 },
      { judge: 1, people: 5, chance: 1 },
    ]
    expect(predictionPoweredMean({ judged: [1, 1, 1], labeled: drawn })?.mean).toBeCloseTo(4, 12)
    // A perfect judge gives its own mean over all cases, however the labels were chosen.
    const perfect = [1, 2, 8, 9].map((score) => ({ judge: score, people: score, chance: score > 5 ? 1.8 : 0.2 }))
    const many = Array.from({ length: 400 }, (_, index) => index % 10)
    const { mean = NaN } = predictionPoweredMean({ judged: many, labeled: perfect, weight: 'tuned' }) ?? {}
    expect(Math.abs(mean - (400 * 4.5 + 20) / 404)).toBeLessThan(0.8)
  })

  test('has a mean without an interval if nothing varies', () => {
    const same = [0.1, 0.1, 0.1].map((people) => ({ judge: 0.5, people }))
    const result = predictionPoweredMean({ judged: [0.5, 0.5], labeled: same })
    expect(result?.mean).toBeCloseTo(0.1, 12)
    expect(result?.interval).toBeUndefined()
  })

  test('rejects NaN, and accepts 100,000 scores', () => {
    expect(() => predictionPoweredMean({ judged: [NaN], labeled })).toThrow(RangeError)
    const many = Array.from({ length: 100_000 }, (_, i) => i % 5)
    const both = many.map((people) => ({ judge: people, people }))
    expect(predictionPoweredMean({ judged: many, labeled: both })?.mean).toBeCloseTo(2, 9)
  })
})
