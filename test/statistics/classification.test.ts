import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runInSlices } from '../../src/base/event-loop.ts'
import { type Classified, macroF1 as macroF1Slices } from '../../src/statistics/classification.ts'
import { nextRandom, seededRandom } from '../../src/statistics/random/seeded-random.ts'
import { wilsonInterval } from '../../src/statistics/rate-intervals.ts'
import { runs } from '../harness/stage.ts'
import { countPauses, inOneGo } from './in-one-go.ts'

const macroF1 = inOneGo(macroF1Slices)

const label = fc.constantFrom('a', 'b', 'c', 'd')
/** So few that their combinations have one order, be they numbers or texts: draws go by it. */
const few = fc.constantFrom('a', 'b', 'c')
const cases = fc.array(fc.record({ expected: label, predicted: label }), { minLength: 1, maxLength: 60 })
const seed = { seed: 'any' }

// The example of scikit-learn's `f1_score`: macro 0.26…, per class 0.8, 0, 0.
const sixCases = pairsOf('012012', '021001')

describe('macroF1', () => {
  test('six cases have the scores that scikit-learn prints', () => {
    const result = macroF1(sixCases, seed)
    expect(result).toMatchObject({ n: 6 })
    expect(result?.macroF1).toBeCloseTo(0.26666, 4)
    expect(result?.perClass.map(({ f1 }) => Number(f1.toFixed(12)))).toEqual([0.8, 0, 0])
    expect(result?.perClass[0]).toMatchObject({ label: '0', precision: 2 / 3, recall: 1, support: 2 })
  })

  test('scores per class are those counted case by case', () => {
    fc.assert(
      fc.property(cases, (cases) => {
        const result = macroF1(cases, seed)
        for (const { label, precision, recall, f1, support } of result?.perClass ?? []) {
          const right = cases.filter((c) => c.expected === label && c.predicted === label).length
          const expected = cases.filter((c) => c.expected === label).length
          const predicted = cases.filter((c) => c.predicted === label).length
          expect(support).toBe(expected)
          expect(precision).toBe(predicted === 0 ? null : right / predicted)
          expect(recall).toBe(expected === 0 ? null : right / expected)
          expect(f1).toBeCloseTo(right === 0 ? 0 : 2 / (expected / right + predicted / right), 12)
        }
        const f1s = result?.perClass.map(({ f1 }) => f1) ?? []
        expect(result?.macroF1).toBeCloseTo(f1s.reduce((sum, f1) => sum + f1, 0) / f1s.length, 12)
      }),
    )
  })

  test('a label that is only predicted, or never predicted, counts as a failure and not as a division by zero', () => {
    const result = macroF1([{ expected: 'a', predicted: 'b' }], seed)
    const none = { precision: null, recall: null, f1: null }
    const wilson = wilsonInterval({ successes: 0, n: 1 })
    expect(result).toEqual({
      n: 1,
      macroF1: 0,
      interval: undefined,
      perClass: [
        {
          label: 'a',
          precision: null,
          recall: 0,
          f1: 0,
          support: 1,
          predicted: 0,
          intervals: { ...none, recall: wilson },
        },
        {
          label: 'b',
          precision: 0,
          recall: null,
          f1: 0,
          support: 0,
          predicted: 1,
          intervals: { ...none, precision: wilson },
        },
      ],
    })
  })

  test('cases of one cluster are drawn together: duplicates do not narrow the interval', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ expected: few, predicted: few }), { maxLength: 40 }), (cases) => {
        const twice = cases.flatMap((one, place) => Array.from({ length: 2 }, () => ({ ...one, cluster: `${place}` })))
        const [once, clustered] = [macroF1(cases, seed), macroF1(twice, seed)]
        expect(clustered?.interval).toEqual(once?.interval)
        expect(clustered?.macroF1).toBe(once?.macroF1)
      }),
    )
    const alone = sixCases.flatMap((one) => [one, one])
    const [low, high] = macroF1(alone, seed)?.interval ?? []
    const [lowest, highest] = macroF1(sixCases, seed)?.interval ?? []
    expect((high ?? 0) - (low ?? 0)).toBeLessThan((highest ?? 0) - (lowest ?? 0))
  })

  test('the scores of a class lie in their intervals, which are Wilson’s for independent cases', {
    tags: 'sized',
  }, () => {
    fc.assert(
      fc.property(cases, (cases) => {
        for (const { precision, recall, f1, support, predicted, intervals } of macroF1(cases, seed)?.perClass ?? []) {
          const right = Math.round((recall ?? 0) * support)
          expect(intervals.recall ?? undefined).toEqual(wilsonInterval({ successes: right, n: support }))
          expect(intervals.precision ?? undefined).toEqual(wilsonInterval({ successes: right, n: predicted }))
          for (const [value, interval] of [
            [precision, intervals.precision],
            [recall, intervals.recall],
            [f1, intervals.f1],
          ] as const) {
            if (value === null || interval === null) continue
            expect(interval[0]).toBeLessThanOrEqual(value)
            expect(interval[1]).toBeGreaterThanOrEqual(value)
          }
        }
      }),
      { numRuns: runs(30) },
    )
  })

  test('the interval contains the score and stays within 0 and 1', () => {
    fc.assert(
      fc.property(cases, (cases) => {
        const { macroF1: score = NaN, interval } = macroF1(cases, seed) ?? {}
        if (!interval) return
        expect(interval[0]).toBeGreaterThanOrEqual(0)
        expect(interval[0]).toBeLessThanOrEqual(score)
        expect(interval[1]).toBeGreaterThanOrEqual(score)
        expect(interval[1]).toBeLessThanOrEqual(1)
      }),
    )
  })

  test('the interval is that of resampling whole cases one by one', () => {
    const random = seededRandom('cases')
    const many = Array.from({ length: 150 }, () => {
      const expected = ['a', 'b', 'c'][Math.floor(nextRandom(random) * 3)] ?? 'a'
      return { expected, predicted: nextRandom(random) < 0.7 ? expected : 'b' }
    })
    const [low = NaN, high = NaN] = macroF1(many, seed)?.interval ?? []
    const resampled = Array.from({ length: 3_000 }, () => {
      const draw = many.map(() => many[Math.floor(nextRandom(random) * many.length)] ?? { expected: '', predicted: '' })
      return plainMacroF1(draw)
    }).sort((a, b) => a - b)
    // A percentile interval, without the corrections of BCa: of nearly the same width and place.
    expect(Math.abs(low - (resampled[75] ?? NaN))).toBeLessThan(0.15 * (high - low))
    expect(Math.abs(high - (resampled[2_925] ?? NaN))).toBeLessThan(0.15 * (high - low))
  })

  test('a label that many resamples lack is excluded from their mean, and there is still an interval', () => {
    const [low = NaN, high = NaN] = macroF1(pairsOf('aaaaabbbbbc', 'aabaabbbabc'), seed)?.interval ?? []
    expect(low).toBeGreaterThan(0.3)
    expect(high).toBeLessThanOrEqual(1)
  })

  test('the order of the cases and the names of the labels change nothing', { tags: 'sized' }, () => {
    fc.assert(
      fc.property(cases, (cases) => {
        const renamed = cases
          .toReversed()
          .map(({ expected, predicted }) => ({ expected: `x${expected}`, predicted: `x${predicted}` }))
        const result = macroF1(cases, seed)
        const other = macroF1(renamed, seed)
        expect(other?.interval).toEqual(result?.interval)
        expect(other?.macroF1).toBe(result?.macroF1)
      }),
      { numRuns: runs(30) },
    )
  })

  test('no cases have no score; all right is 1 without an interval', () => {
    expect(macroF1([], seed)).toBeUndefined()
    expect(macroF1(pairsOf('aabbcc', 'aabbcc'), seed)).toMatchObject({ macroF1: 1, interval: undefined })
  })
})

describe('macroF1 in slices', () => {
  test('100,000 cases and 100 labels give the same result as the synchronous call, with pauses', async () => {
    const many = Array.from({ length: 100_000 }, (_, i) => ({ expected: `${i % 100}`, predicted: `${(i * i) % 100}` }))
    expect(await runInSlices(macroF1Slices(many, seed))).toEqual(macroF1(many, seed))
    expect(countPauses(macroF1Slices(many, seed))).toBeGreaterThan(3)
  })
})

function pairsOf(expected: string, predicted: string): Classified[] {
  return [...expected].map((label, place) => ({ expected: label, predicted: predicted[place] ?? '' }))
}

function plainMacroF1(cases: readonly Classified[]): number {
  const labels = [...new Set(cases.flatMap(({ expected, predicted }) => [expected, predicted]))]
  const scores = labels.map((label) => {
    const right = cases.filter((c) => c.expected === label && c.predicted === label).length
    const expected = cases.filter((c) => c.expected === label).length
    const predicted = cases.filter((c) => c.predicted === label).length
    return (2 * right) / (expected + predicted)
  })
  return scores.reduce((sum, score) => sum + score, 0) / scores.length
}
