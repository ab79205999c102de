import { describe, expect, it } from 'vitest'
import { decideMetricVerdicts, type MeasuredMetric } from '../../src/comparisons/verdicts/metric-verdicts.ts'
import { UNDECIDED } from '../../src/scores/evaluator-scores.ts'
import { comparePairs, NONE_MISSING } from './compare-pairs.ts'

type Shape = { name: string; role?: 'quality' | 'reported'; changes: readonly (readonly [number, number])[] }

const NO_COLUMN = { all: () => undefined, only: () => NaN, passed: () => UNDECIDED }

/** So many pairs of each kind: from which value to which. */
function pairsOf(...kinds: readonly { times: number; from: number; to: number }[]): [number, number][] {
  return kinds.flatMap(({ times, from, to }) => Array.from({ length: times }, (): [number, number] => [from, to]))
}

async function verdictsOf(...shapes: readonly Shape[]) {
  const measuredMetrics = await Promise.all(
    shapes.map(async ({ name, role = 'quality', changes }): Promise<MeasuredMetric> => {
      const scale = role === 'quality' ? ([0, 1] as const) : null
      const pairs = changes.map(([baseline, candidate], place) => ({ itemId: `i${1000 + place}`, baseline, candidate }))
      const kind = role === 'quality' ? null : 'numeric'
      return {
        metric: {
          ...{ name, role, kind, scale, higherIsBetter: true, isFromTraces: false, hasFailed: false, warning: null },
          ...{ isSampled: false, isJudged: false, measuredAs: null },
          baseline: NO_COLUMN,
          candidate: NO_COLUMN,
        },
        measured: { missing: 0, failed: 0, flips: null, gains: new Float64Array() },
        evidence: await comparePairs(pairs, { scale, kind, higherIsBetter: true, seed: name, order: 'as given' }),
        missingItems: NONE_MISSING,
        corrected: null,
      }
    }),
  )
  return decideMetricVerdicts(measuredMetrics, { names: { baseline: 'A', candidate: 'B' } })
}

const LOST_SEVEN = { name: 'helpful', changes: pairsOf({ times: 7, from: 1, to: 0 }, { times: 40, from: 1, to: 1 }) }
const GREW = pairsOf(
  ...Array.from({ length: 47 }, (_, place) => ({ times: 1, from: place, to: place + 1 + place / 100 })),
)

describe('several metrics', () => {
  it('that are merely reported do not affect the verdict of an evaluator', async () => {
    const [alone] = await verdictsOf(LOST_SEVEN)
    const [withReported, ...reported] = await verdictsOf(
      LOST_SEVEN,
      ...['durationMs', 'costUsd', 'totalTokens'].map((name) => ({ name, role: 'reported' as const, changes: GREW })),
    )
    expect(alone).toMatchObject({ verdict: 'regressed', test: { pAdjusted: expect.closeTo(2 / 2 ** 7, 12) } })
    expect(withReported).toEqual(alone)
    // They are corrected for each other.
    for (const { test } of reported) expect(test?.pAdjusted).toBeCloseTo(3 * (test?.p ?? 0), 15)
  })

  it('whose test cannot be significant are not corrected for, for any value', async () => {
    for (const value of [0, 1, 0.5]) {
      const constant = { name: 'error', changes: pairsOf({ times: 47, from: value, to: value }) }
      expect((await verdictsOf(LOST_SEVEN, constant))[0]).toMatchObject({
        test: { pAdjusted: expect.closeTo(2 / 2 ** 7, 12) },
      })
    }
    const fiveLost = { name: 'error', changes: pairsOf({ times: 5, from: 1, to: 0 }, { times: 42, from: 1, to: 1 }) }
    const [helpful, error] = await verdictsOf(LOST_SEVEN, fiveLost)
    expect(helpful).toMatchObject({ test: { pAdjusted: expect.closeTo(2 / 2 ** 7, 12) } })
    expect(error).toMatchObject({
      verdict: 'noClearDifference',
      test: { p: expect.closeTo(2 / 2 ** 5, 12), pAdjusted: expect.closeTo(2 / 2 ** 5, 12) },
    })
  })

  it('of one role are corrected for each other', async () => {
    const sixLost = { name: 'error', changes: pairsOf({ times: 6, from: 1, to: 0 }, { times: 41, from: 1, to: 1 }) }
    const [helpful, error] = await verdictsOf(LOST_SEVEN, sixLost)
    expect(helpful).toMatchObject({ verdict: 'regressed', test: { pAdjusted: expect.closeTo(4 / 2 ** 7, 12) } })
    // Holm: never below the p before it.
    expect(error).toMatchObject({
      verdict: 'regressed',
      test: { p: expect.closeTo(2 / 2 ** 6, 12), pAdjusted: expect.closeTo(2 / 2 ** 6, 12) },
    })
  })
})
