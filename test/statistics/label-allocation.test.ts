import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allocateLabels, labelsNeeded } from '../../src/statistics/calibration/label-allocation.ts'

const verdict = fc
  .tuple(fc.nat({ max: 300 }), fc.nat({ max: 40 }), fc.nat({ max: 40 }))
  .map(([unlabeled, good, bad]) => ({ cases: unlabeled + good + bad, labeled: good + bad, good }))

describe('allocateLabels', () => {
  test('completes the labels that exist to the best division', () => {
    const state = { passed: { cases: 600, labeled: 8, good: 8 }, failed: { cases: 200, labeled: 8, good: 4 } }
    // (8 + 1)/(8 + 2) = 0.9 and (4 + 1)/(8 + 2) = 0.5: 600 · 0.3 to 200 · 0.5, so 18 of 28 for passed cases, of which 8 exist.
    expect(allocateLabels(state, 12)).toEqual({ passed: 10, failed: 2 })
  })

  test('gives all to the verdict that has too few', () => {
    const state = { passed: { cases: 500, labeled: 60, good: 50 }, failed: { cases: 500, labeled: 0, good: 0 } }
    expect(allocateLabels(state, 20)).toEqual({ passed: 0, failed: 20 })
  })

  test('gives no verdict more than it has, and in total the requested number as long as there are cases', () => {
    fc.assert(
      fc.property(verdict, verdict, fc.nat({ max: 200 }), (passed, failed, labels) => {
        const next = allocateLabels({ passed, failed }, labels)
        expect(next.passed).toBeLessThanOrEqual(passed.cases - passed.labeled)
        expect(next.failed).toBeLessThanOrEqual(failed.cases - failed.labeled)
        const free = passed.cases - passed.labeled + failed.cases - failed.labeled
        expect(next.passed + next.failed).toBe(Math.min(labels, free))
      }),
    )
  })
})

describe('labelsNeeded', () => {
  test('is fewer by verdict than at random if most cases are good', () => {
    // 1,000 cases, 90 % good; the judge errs in one of ten of each kind: PPV 0.988, and half of the failed are good.
    const state = {
      passed: { cases: 820, labeled: 40, good: 39 },
      failed: { cases: 180, labeled: 10, good: 5 },
    }
    const needed = labelsNeeded(state, 0.04)
    expect(needed.kind).toBe('labels')
    // At random, 1.96² · 0.9 · 0.1 / 0.04² = 216 labels without a judge.
    expect(needed.kind === 'labels' ? needed.labels + 50 : NaN).toBeLessThan(216)
  })

  test('is 0 when the interval is narrow enough, and never reached with too few cases', () => {
    const many = {
      passed: { cases: 5_000, labeled: 2_000, good: 1_900 },
      failed: { cases: 5_000, labeled: 2_000, good: 100 },
    }
    expect(labelsNeeded(many, 0.05)).toEqual({ kind: 'labels', labels: 0 })
    const few = { passed: { cases: 15, labeled: 10, good: 5 }, failed: { cases: 15, labeled: 10, good: 5 } }
    expect(labelsNeeded(few, 0.02)).toEqual({ kind: 'cases' })
  })

  test('a narrower interval needs no fewer labels', () => {
    fc.assert(
      fc.property(verdict, verdict, fc.double({ min: 0.02, max: 0.3, noNaN: true }), (passed, failed, width) => {
        const amount = (halfWidth: number) => {
          const needed = labelsNeeded({ passed, failed }, halfWidth)
          return needed.kind === 'labels' ? needed.labels : Number.POSITIVE_INFINITY
        }
        expect(amount(width / 2)).toBeGreaterThanOrEqual(amount(width))
      }),
    )
  })
})
