import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type JudgeLabel, judgeAccuracy as judgeAccuracySlices } from '../../src/statistics/agreement/judge-accuracy.ts'
import { wilsonInterval } from '../../src/statistics/rate-intervals.ts'
import { inOneGo } from './in-one-go.ts'

const judgeAccuracy = inOneGo(judgeAccuracySlices)

const labels = fc.array(fc.record({ judge: fc.boolean(), people: fc.boolean() }), { maxLength: 80 })
/** Of fewer items than there are labels. */
const clustered = fc.array(
  fc.record({ judge: fc.boolean(), people: fc.boolean(), cluster: fc.constantFrom('a', 'b', 'c') }),
  { maxLength: 80 },
)

describe('judgeAccuracy', () => {
  test('liver scans have the published sensitivity, specificity and intervals', () => {
    // Altman & Bland (1994), BMJ 308, 1552: scan and liver disease of 344 patients: 231, 32, 27, 54. Sensitivity 0.90,
    // specificity 0.63.
    const result = judgeAccuracy(labelsOf({ bothYes: 231, judgeOnly: 32, peopleOnly: 27, bothNo: 54 }))
    expect(result.n).toBe(344)
    expect(result.sensitivity?.value).toBeCloseTo(0.9, 2)
    expect(result.specificity?.value).toBeCloseTo(0.63, 2)
    expect(result.sensitivity).toMatchObject({ n: 258, interval: wilsonInterval({ successes: 231, n: 258 }) })
    expect(result.specificity).toMatchObject({ n: 86, interval: wilsonInterval({ successes: 54, n: 86 }) })
    expect(result.agreement?.value).toBeCloseTo(285 / 344, 12)
    // By hand: (0.8285 − 0.6358) / (1 − 0.6358) with the shares 263/344 and 258/344.
    expect(result.kappa).toBeCloseTo(0.529, 2)
    expect(result.kappaInterval?.[0]).toBeLessThan(0.529)
  })

  test('a judge that always says yes has sensitivity 1, specificity 0 and κ 0', () => {
    const result = judgeAccuracy(labelsOf({ bothYes: 40, judgeOnly: 10, peopleOnly: 0, bothNo: 0 }))
    expect(result.sensitivity?.value).toBe(1)
    expect(result.specificity?.value).toBe(0)
    expect(result.kappa).toBeCloseTo(0, 12)
  })

  test('a class without labels has no rate instead of a division by zero', () => {
    expect(judgeAccuracy([])).toEqual({ n: 0 })
    expect(judgeAccuracy([{ judge: true, people: true }])).toMatchObject({ n: 1, specificity: undefined })
    expect(judgeAccuracy([{ judge: true, people: false }])).toMatchObject({ n: 1, sensitivity: undefined })
  })

  test('swapping yes and no swaps sensitivity and specificity', () => {
    fc.assert(
      fc.property(labels, (labels) => {
        const result = judgeAccuracy(labels)
        const opposite = judgeAccuracy(labels.map(({ judge, people }) => ({ judge: !judge, people: !people })))
        expect(opposite.sensitivity).toEqual(result.specificity)
        expect(opposite.specificity).toEqual(result.sensitivity)
        expect(opposite.kappa ?? 9).toBeCloseTo(result.kappa ?? 9, 12)
      }),
    )
  })

  test('repeated labels of one item do not make the interval narrower', () => {
    fc.assert(
      fc.property(labels, fc.integer({ min: 2, max: 5 }), (labels, times) => {
        const once = judgeAccuracy(labels)
        const again = judgeAccuracy(
          labels.flatMap((label, place) =>
            Array.from({ length: times }, () => ({ ...label, cluster: `item ${place}` })),
          ),
        )
        for (const name of ['sensitivity', 'specificity', 'agreement'] as const) {
          expect(again[name]?.n).toBe(once[name]?.n)
          expect(again[name]?.value).toBe(once[name]?.value)
          for (const end of [0, 1] as const)
            expect(again[name]?.interval[end] ?? 9).toBeCloseTo(once[name]?.interval[end] ?? 9, 12)
        }
        for (const end of [0, 1] as const)
          expect(again.kappaInterval?.[end] ?? 9).toBeCloseTo(once.kappaInterval?.[end] ?? 9, 12)
      }),
    )
  })

  test('few items with most of the labels make every interval wide', () => {
    const right = { judge: true, people: true }
    const labels = [
      ...Array.from({ length: 80 }, (_, place) => ({ ...right, cluster: `often ${place % 4}` })),
      ...Array.from({ length: 36 }, (_, place) => ({ ...right, judge: place < 20, cluster: `once ${place}` })),
    ]
    const { sensitivity } = judgeAccuracy(labels)
    expect(sensitivity).toMatchObject({ value: 100 / 116, n: 40 })
    expect(sensitivity?.interval).toEqual(wilsonInterval({ successes: 100, n: 116, units: 116 ** 2 / 1_636 }))
    expect(sensitivity?.interval[0]).toBeLessThan(0.53)
  })

  test('every rate lies in its interval', () => {
    fc.assert(
      fc.property(fc.oneof(labels, clustered), (labels) => {
        const { sensitivity, specificity, agreement } = judgeAccuracy(labels)
        for (const rate of [sensitivity, specificity, agreement]) {
          if (!rate) continue
          expect(rate.interval[0]).toBeLessThanOrEqual(rate.value)
          expect(rate.interval[1]).toBeGreaterThanOrEqual(rate.value)
        }
      }),
    )
  })
})

function labelsOf(counts: { bothYes: number; judgeOnly: number; peopleOnly: number; bothNo: number }): JudgeLabel[] {
  return [
    ...new Array<JudgeLabel>(counts.bothYes).fill({ judge: true, people: true }),
    ...new Array<JudgeLabel>(counts.judgeOnly).fill({ judge: true, people: false }),
    ...new Array<JudgeLabel>(counts.peopleOnly).fill({ judge: false, people: true }),
    ...new Array<JudgeLabel>(counts.bothNo).fill({ judge: false, people: false }),
  ]
}
