import { describe, expect, it } from 'vitest'
import type { Evidence, Inference } from '../../src/comparisons/evidence/evidence.ts'
import { decide, isNotWorse } from '../../src/comparisons/verdicts/verdict.ts'
import { judge } from './compare-pairs.ts'

const ESTIMATE = { mean: 0.5, ci: null, method: '' }

/** A difference with this interval at every level. */
function inferred(gain: number, low: number, high: number, p: number): Inference {
  return {
    gain,
    p,
    interval: () => [low, high],
    marginInterval: () => [low, high],
    statistic: 0,
    intervalMethod: '',
    testMethod: '',
    minAttainableP: 0,
    detectable: null,
  }
}

const BETTER = inferred(0.06, 0.02, 0.1, 0.01)
const EVIDENCE: Evidence = {
  items: 184,
  values: { baseline: 184, candidate: 184 },
  isBinary: false,
  baseline: ESTIMATE,
  candidate: ESTIMATE,
  difference: 0.06,
  totalRatio: null,
  withoutRatio: 0,
  inference: BETTER,
  wins: 100,
  ties: 4,
  losses: 80,
  power: { detectableDifference: 0.04, casesFor: { difference: 0.03, cases: 417 } },
}
const HELPFUL = { ...EVIDENCE, higherIsBetter: true, isRatio: false, scale: [0, 1] as const }
const ALPHA = { alpha: 0.05 }

describe('the verdict', () => {
  it('follows the interval, which excludes 0 exactly if p is below the level', () => {
    expect(decide(HELPFUL, ALPHA)).toEqual({ verdict: 'improved' })
    expect(decide({ ...HELPFUL, inference: inferred(-0.06, -0.1, -0.02, 0.049) }, ALPHA)).toEqual({
      verdict: 'regressed',
    })
    expect(decide({ ...HELPFUL, inference: inferred(0.02, -0.01, 0.05, 0.2) }, ALPHA)).toEqual({
      verdict: 'noClearDifference',
      reason: 'no difference',
    })
    expect(decide(HELPFUL, { alpha: 0.005 })).toEqual({ verdict: 'noClearDifference', reason: 'correction' })
  })

  it('is tooFewCases below 10 items or 6 groups, for any difference', () => {
    expect(decide({ ...HELPFUL, items: 9 }, ALPHA)).toEqual({ verdict: 'tooFewCases', reason: 'few items' })
    expect(decide({ ...HELPFUL, items: 10 }, ALPHA)).toEqual({ verdict: 'improved' })
    expect(decide({ ...HELPFUL, groups: 5 }, ALPHA)).toEqual({ verdict: 'tooFewCases', reason: 'few groups' })
    expect(decide({ ...HELPFUL, inference: null }, ALPHA)).toMatchObject({ verdict: 'tooFewCases' })
  })

  it('is equivalent if a margin is set and the whole interval lies within it, also where 0 is excluded', () => {
    expect(decide(HELPFUL, { alpha: 0.05, margin: 0.2 })).toEqual({ verdict: 'equivalent', direction: 1 })
    expect(decide(HELPFUL, { alpha: 0.05, margin: 0.09 })).toEqual({ verdict: 'improved' })
    const same = { ...HELPFUL, inference: inferred(0, -0.02, 0.03, 0.8) }
    expect(decide(same, { alpha: 0.05, margin: 0.04 })).toEqual({ verdict: 'equivalent', direction: 0 })
    expect(decide(same, { alpha: 0.05, margin: 0.03 })).toMatchObject({ verdict: 'noClearDifference' })
    expect(decide({ ...same, items: 29 }, { alpha: 0.05, margin: 0.04 })).toMatchObject({
      verdict: 'noClearDifference',
    })
  })
})

describe('not worse than a margin', () => {
  it('is what the whole interval says', () => {
    const unclear = { ...HELPFUL, inference: inferred(0.01, -0.02, 0.05, 0.5) }
    expect(isNotWorse(unclear, 0.02)).toBe(false)
    expect(isNotWorse(unclear, 0.021)).toBe(true)
  })

  it('is never said of fewer than 30 items or groups, nor without an interval', () => {
    expect(isNotWorse({ ...HELPFUL, items: 29 }, 0.5)).toBe(false)
    expect(isNotWorse({ ...HELPFUL, items: 30 }, 0.5)).toBe(true)
    expect(isNotWorse({ ...HELPFUL, groups: 29 }, 0.5)).toBe(false)
    expect(isNotWorse({ ...HELPFUL, inference: null }, 0.5)).toBe(false)
  })
})

describe('the summary', () => {
  const summary = (change: Partial<Evidence>, metric = {}, margin?: number) =>
    judge({ ...EVIDENCE, ...change }, metric, margin === undefined ? {} : { margin }).summary

  it('states the improvement or regression, its interval and the number of items', () => {
    expect(summary({})).toBe('B is better than A on helpful by 0.06 (95 % CI 0.02 to 0.10, 184 items).')
    expect(summary({ difference: -0.06, inference: inferred(-0.06, -0.1, -0.02, 0.01) })).toBe(
      'B is worse than A on helpful by 0.06 (95 % CI 0.02 to 0.10, 184 items).',
    )
  })

  it('turns around where less is better', () => {
    const error = { name: 'error', isFromTraces: true, higherIsBetter: false }
    expect(summary({ difference: 0.06, inference: inferred(-0.06, -0.1, -0.02, 0.01) }, error)).toBe(
      'B fails more often than A, by 0.06 (95 % CI 0.02 to 0.10, 184 items).',
    )
  })

  it('states what more items would show if there is no clear difference', () => {
    expect(summary({ difference: 0.02, inference: inferred(0.02, -0.01, 0.05, 0.3) })).toBe(
      'No clear difference between B and A on helpful (−0.01 to 0.05, 184 items); about 420 items would show a change of 0.03.',
    )
    const many = { detectableDifference: 0.2, casesFor: { difference: 0.02, cases: 1_263 } }
    expect(summary({ power: many, inference: inferred(0.02, -0.01, 0.05, 0.3) })).toContain('; about 1,300 items would')
    const power = { detectableDifference: 0.04, casesFor: { difference: 0.1, cases: 50 } }
    expect(summary({ power, inference: inferred(0.02, -0.01, 0.05, 0.3) })).toBe(
      'No clear difference between B and A on helpful (−0.01 to 0.05, 184 items); these items would have shown a change of 0.10.',
    )
  })

  it.each(['error', 'durationMs', 'costUsd', 'totalTokens'])(
    'has no special words for an evaluator that is named %s',
    (name) => {
      expect(summary({}, { name })).toBe(`B is better than A on ${name} by 0.06 (95 % CI 0.02 to 0.10, 184 items).`)
    },
  )

  it('never shows an end as 0 that is not 0: the reader would see the opposite of the verdict', () => {
    expect(summary({ difference: 0.04, inference: inferred(0.04, 0.003, 0.08, 0.01) })).toBe(
      'B is better than A on helpful by 0.040 (95 % CI 0.003 to 0.080, 184 items).',
    )
  })

  it('states why there are too few cases', () => {
    expect(summary({ items: 1 })).toBe(
      'Too few cases to compare B with A on helpful: 1 item in both runs, and at least 10 are needed.',
    )
  })

  it('states whether the margin is kept, and what equivalent means', () => {
    expect(summary({}, {}, 0.01)).toMatch(
      /184 items\)\. helpful is not worse by more than the margin of 0\.01 \(it is better, 184 items\)\.$/,
    )
    const unclear = { difference: 0.01, inference: inferred(0.01, -0.03, 0.05, 0.5) }
    expect(summary(unclear, {}, 0.02)).toMatch(
      / helpful may be worse by more than the margin of 0\.02 \(0\.03 at most, 184 items\)\. If nothing changed, about \d+ items are needed to pass in 80 of 100 attempts\.$/,
    )
    expect(summary(unclear, {}, 0.06)).toBe(
      'B is equivalent to A on helpful: the difference is less than the margin of 0.06 (−0.03 to 0.05, 184 items).',
    )
    expect(summary({}, {}, 0.2)).toBe(
      'B is better than A on helpful by 0.06 (95 % CI 0.02 to 0.10, 184 items), which is less than the margin of 0.2.',
    )
    expect(summary({ items: 5 }, {}, 0.02)).toMatch(
      /^Too few cases .* At least 30 items are needed to compare helpful with the margin of 0\.02\.$/,
    )
  })
})
