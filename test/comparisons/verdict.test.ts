import { describe, expect, it } from 'vitest'
import type { Evidence } from '../../src/comparisons/evidence/evidence.ts'
import { decide, isNotWorse } from '../../src/comparisons/verdicts/verdict.ts'
import { type MetricEvidence, summaryOf, type VerdictContext } from '../../src/comparisons/verdicts/verdict-summary.ts'
import { NONE_MISSING } from './compare-pairs.ts'

const ESTIMATE = { mean: 0.5, ci: null, method: '' }
const EVIDENCE: Evidence = {
  n: 184,
  items: 184,
  isBinary: false,
  baseline: ESTIMATE,
  candidate: ESTIMATE,
  difference: 0.06,
  ci: [0.02, 0.1],
  method: '',
  test: null,
  wins: 100,
  ties: 4,
  losses: 80,
  power: { detectableDifference: 0.04, casesFor: { difference: 0.03, cases: 417 } },
  unseen: null,
}
const HELPFUL: MetricEvidence = {
  ...EVIDENCE,
  name: 'helpful',
  isFromTraces: false,
  measuredAs: null,
  missingItems: NONE_MISSING,
  higherIsBetter: true,
  scale: [0, 1],
}
const CLEAR = { pAdjusted: 0.01, testDirection: 1 }

function summary(
  metric: MetricEvidence,
  { pAdjusted = 0.01, testDirection = 1, ...context }: Partial<VerdictContext & { testDirection: number }> = {},
) {
  const decision = decide(metric, { pAdjusted, testDirection })
  return summaryOf(metric, { decision, pAdjusted, tested: 5, names: { baseline: 'A', candidate: 'B' }, ...context })
}

describe('the verdict', () => {
  it('is improved or regressed only if both the interval and the corrected test agree', () => {
    expect(decide(HELPFUL, CLEAR)).toEqual({ verdict: 'improved' })
    expect(decide({ ...HELPFUL, ci: [-0.1, -0.02] }, { pAdjusted: 0.049, testDirection: -1 })).toEqual({
      verdict: 'regressed',
    })
    expect(decide(HELPFUL, { ...CLEAR, pAdjusted: 0.05 })).toEqual({
      verdict: 'noClearDifference',
      reason: 'correction',
    })
    expect(decide({ ...HELPFUL, ci: [-0.01, 0.05] }, CLEAR)).toEqual({
      verdict: 'noClearDifference',
      reason: 'ranks only',
    })
    expect(decide({ ...HELPFUL, ci: [0, 0.05] }, { pAdjusted: 0.2, testDirection: 1 })).toEqual({
      verdict: 'noClearDifference',
      reason: 'no difference',
    })
    expect(decide(HELPFUL, { pAdjusted: null, testDirection: 0 })).toMatchObject({ verdict: 'noClearDifference' })
  })

  it('is neither if the mean rose and the ranks fell', () => {
    expect(decide(HELPFUL, { pAdjusted: 0.001, testDirection: -1 })).toEqual({
      verdict: 'noClearDifference',
      reason: 'opposite signs',
    })
  })

  it('is reversed if less is better', () => {
    const error = { ...HELPFUL, name: 'error', higherIsBetter: false }
    expect(decide(error, CLEAR)).toEqual({ verdict: 'regressed' })
    expect(decide({ ...error, ci: [-0.1, -0.02] }, { pAdjusted: 0.01, testDirection: -1 })).toEqual({
      verdict: 'improved',
    })
  })

  it('is tooFewCases below 10 items, for any difference and any number of repetitions', () => {
    const few = { ...HELPFUL, items: 9, n: 90 }
    expect(decide(few, { pAdjusted: 1e-9, testDirection: 1 })).toEqual({ verdict: 'tooFewCases', reason: 'few items' })
    expect(decide({ ...few, items: 10 }, CLEAR)).toEqual({ verdict: 'improved' })
  })

  it('is tooFewCases if the interval is wider than half of the scale, of which unbounded metrics have none', () => {
    const wide = { ...HELPFUL, ci: [-0.2, 0.31] as const }
    expect(decide(wide, CLEAR)).toEqual({ verdict: 'tooFewCases', reason: 'wide interval' })
    expect(decide({ ...wide, scale: [1, 5] }, CLEAR)).toMatchObject({ verdict: 'noClearDifference' })
    expect(decide({ ...wide, scale: null, ci: [-5_000, 9_000] }, CLEAR)).toMatchObject({ verdict: 'noClearDifference' })
    expect(decide({ ...HELPFUL, ci: [0.1, 0.6] }, CLEAR)).toEqual({ verdict: 'improved' })
  })
})

describe('a verdict on means', () => {
  // Of 20 items, 1 − 0.05^(1/20) = 13.9 % of all items may be missed completely.
  const few = { ...HELPFUL, items: 20, n: 20, losses: 0, unseen: { share: 0.1391, changeMax: 1 } }

  it('needs a difference that rare items could not cancel, in either direction', () => {
    expect(decide({ ...few, difference: 0.05 }, CLEAR)).toEqual({
      verdict: 'noClearDifference',
      reason: 'unseen items',
    })
    expect(decide({ ...few, difference: 0.17, ci: [0.1, 0.2] }, CLEAR)).toEqual({ verdict: 'improved' })
    const fallen = { ...few, difference: -0.05, ci: [-0.1, -0.02] as const }
    expect(decide(fallen, { pAdjusted: 0.01, testDirection: -1 })).toMatchObject({ reason: 'unseen items' })
  })

  it('names the losses that could be unseen, also of an improvement and a margin that none contradicts', () => {
    expect(summary({ ...few, difference: 0.05 })).toContain(
      ': losses in up to 14 % of all items could be unseen and as large;',
    )
    expect(summary({ ...few, difference: 0.17, ci: [0.1, 0.2] })).toMatch(
      /20 items\); no item became worse, but losses in up to 14 % of all items could be unseen\.$/,
    )
    const margin = { value: 0.02, isWithinMargin: true }
    const many = { ...few, items: 100, n: 100, unseen: { share: 0.0296, changeMax: 1 } }
    expect(summary({ ...many, ci: [-0.01, 0.01] }, { margin, pAdjusted: 0.5 })).toMatch(
      /Not worse than the margin of 0\.02; no item became worse, but losses in up to 3\.0 % of all items could be unseen\.$/,
    )
  })
})

describe('items that only one run has a value for', () => {
  const missing = { ...NONE_MISSING, items: 200, incomplete: 90, candidate: 90, ci: [-0.3, 0.5] as const }

  it('are named in the summary, with the run that lacks the answers', () => {
    expect(summary({ ...HELPFUL, missingItems: { ...missing, ci: [0.01, 0.5] } })).toMatch(
      /184 items\)\. 90 of 200 items have no answer in B\.$/,
    )
    const both = { ...missing, baseline: 1, failed: 3, ci: [0.01, 0.5] as const }
    expect(summary({ ...HELPFUL, missingItems: both })).toMatch(
      /90 of 200 items have no answer in B and 1 of 200 items has no answer in A \(the evaluator failed on 3\)\.$/,
    )
  })

  it('must not be able to cancel an improvement, and never hide a regression', () => {
    expect(decide({ ...HELPFUL, missingItems: missing }, CLEAR)).toEqual({
      verdict: 'noClearDifference',
      reason: 'missing items',
    })
    const worse = { ...HELPFUL, difference: -0.06, ci: [-0.1, -0.02] as const, missingItems: missing }
    expect(decide(worse, { pAdjusted: 0.01, testDirection: -1 })).toEqual({ verdict: 'regressed' })
  })

  it('count at the worst value for a margin', () => {
    const kept = { ...HELPFUL, missingItems: { ...missing, ci: [-0.04, 0.2] as const } }
    expect(isNotWorse(kept, 0.04)).toBe(false)
    expect(isNotWorse(kept, 0.041)).toBe(true)
  })
})

describe('not worse than a margin', () => {
  it('is met if the whole interval is above −m, or below m if less is better', () => {
    const unclear = { ...HELPFUL, ci: [-0.02, 0.05] as const }
    expect(isNotWorse(unclear, 0.02)).toBe(false)
    expect(isNotWorse(unclear, 0.021)).toBe(true)
    expect(isNotWorse({ ...unclear, higherIsBetter: false }, 0.021)).toBe(false)
    expect(isNotWorse({ ...unclear, higherIsBetter: false }, 0.051)).toBe(true)
  })

  it('is never met with fewer than 30 items, whose interval is too narrow, nor without an interval', () => {
    expect(isNotWorse({ ...HELPFUL, items: 29 }, 0.5)).toBe(false)
    expect(isNotWorse({ ...HELPFUL, items: 30 }, 0.5)).toBe(true)
    expect(isNotWorse({ ...HELPFUL, ci: null }, 0.5)).toBe(false)
  })

  it('is never met with an interval that is too wide for a verdict, even if all of it is on the right side', () => {
    const wide = { ...HELPFUL, items: 40, n: 40, ci: [0.079, 0.74] as const }
    expect(decide(wide, CLEAR).verdict).toBe('tooFewCases')
    expect(isNotWorse(wide, 0.02)).toBe(false)
    expect(isNotWorse({ ...wide, higherIsBetter: false, ci: [-0.74, -0.079] }, 0.02)).toBe(false)
    expect(isNotWorse({ ...wide, ci: [0.079, 0.579] }, 0.02)).toBe(true)
    expect(isNotWorse({ ...wide, scale: null }, 0.02)).toBe(true)
  })
})

describe('the summary', () => {
  it('states the improvement, its interval and the number of items', () => {
    expect(summary(HELPFUL)).toBe('B is better on helpful by 0.06 (95 % CI 0.02 to 0.10, 184 items).')
  })

  it('states a regression as a positive amount', () => {
    const worse = { ...HELPFUL, difference: -0.06, ci: [-0.1, -0.02] as const }
    expect(summary(worse, { testDirection: -1 })).toBe(
      'B is worse on helpful by 0.06 (95 % CI 0.02 to 0.10, 184 items).',
    )
  })

  it('states what more items would show if there is no clear difference', () => {
    expect(summary({ ...HELPFUL, difference: 0.02, ci: [-0.01, 0.05] }, { pAdjusted: 0.3 })).toBe(
      'No clear difference on helpful (−0.01 to 0.05, 184 items); about 420 items would show a change of 0.03.',
    )
  })

  it('states that these items would have shown it, if there are enough', () => {
    const power = { detectableDifference: 0.04, casesFor: { difference: 0.1, cases: 50 } }
    expect(summary({ ...HELPFUL, ci: [-0.01, 0.05], power }, { pAdjusted: 0.3 })).toBe(
      'No clear difference on helpful (−0.01 to 0.05, 184 items); these items would have shown a change of 0.10.',
    )
  })

  it('explains why interval and test disagree', () => {
    expect(summary(HELPFUL, { pAdjusted: 0.12 })).toBe(
      'No clear difference on helpful (0.02 to 0.10, 184 items): p = 0.12 after correction for 5 metrics; about 420 items would show a change of 0.03.',
    )
    expect(summary({ ...HELPFUL, ci: [-0.01, 0.05] })).toContain(
      'items shifted (p = 0.010), but their mean may be the same',
    )
    expect(summary({ ...HELPFUL, ci: [-0.01, 0.05] }, { pAdjusted: 1e-9 })).toContain('items shifted (p < 0.001)')
    expect(summary(HELPFUL, { testDirection: -1 })).toContain(
      'the mean and most of the items moved in opposite directions',
    )
  })

  it('has specific words for the metrics of traces', () => {
    const duration: MetricEvidence = {
      ...HELPFUL,
      name: 'durationMs',
      isFromTraces: true,
      scale: null,
      higherIsBetter: false,
    }
    const faster = { ...duration, difference: -120.4, ci: [-160.2, -80.1] as const }
    expect(summary(faster, { testDirection: -1 })).toBe('B is faster by 120 ms (95 % CI 80 to 160, 184 items).')
    expect(summary({ ...duration, difference: 120.4, ci: [80.1, 160.2] })).toBe(
      'B is slower by 120 ms (95 % CI 80 to 160, 184 items).',
    )
    const cost = { ...duration, name: 'costUsd', difference: -0.0012, ci: [-0.0016, -0.0008] as const }
    expect(summary(cost, { testDirection: -1 })).toBe(
      'B is cheaper by 0.0012 USD (95 % CI 0.0008 to 0.0016, 184 items).',
    )
    const error: MetricEvidence = { ...HELPFUL, name: 'error', isFromTraces: true, higherIsBetter: false }
    expect(summary(error)).toBe('B fails more often, by 0.06 (95 % CI 0.02 to 0.10, 184 items).')
  })

  it.each(['error', 'durationMs', 'costUsd', 'totalTokens'])(
    'has neither these words nor a unit for an evaluator that is named %s',
    (name) => {
      expect(summary({ ...HELPFUL, name })).toBe(`B is better on ${name} by 0.06 (95 % CI 0.02 to 0.10, 184 items).`)
      expect(summary({ ...HELPFUL, name, higherIsBetter: false })).toBe(
        `B is worse on ${name} by 0.06 (95 % CI 0.02 to 0.10, 184 items).`,
      )
    },
  )

  it('never shows an end as 0 that is not 0: the reader would see the opposite of the verdict', () => {
    expect(summary({ ...HELPFUL, difference: 0.04, ci: [0.003, 0.08] })).toBe(
      'B is better on helpful by 0.040 (95 % CI 0.003 to 0.080, 184 items).',
    )
  })

  it('states why there are too few cases', () => {
    expect(summary({ ...HELPFUL, items: 1, n: 1 })).toBe(
      'Too few cases to decide on helpful: 1 item in both runs, and at least 10 are needed.',
    )
    expect(summary({ ...HELPFUL, items: 14, n: 28, ci: [-0.3, 0.4] })).toBe(
      'Too few cases to decide on helpful (−0.30 to 0.40, 14 items, 28 pairs): the interval is wider than half of the scale; about 420 items would show a change of 0.03.',
    )
  })

  it('states whether the margin is met, for every verdict', () => {
    const margin = { value: 0.02, isWithinMargin: true }
    expect(summary(HELPFUL, { margin })).toMatch(/184 items\)\. Not worse than the margin of 0\.02\.$/)
    expect(summary(HELPFUL, { margin: { value: 0.02, isWithinMargin: false } })).toMatch(
      / It may be worse by more than the margin of 0\.02\.$/,
    )
  })

  it('says with too few cases that the margin cannot be checked', () => {
    const wide = { ...HELPFUL, items: 12, n: 12, ci: [0.079, 0.74] as const }
    expect(summary(wide, { margin: { value: 0.02, isWithinMargin: false } })).toMatch(
      /^Too few cases to decide on helpful .* Whether it is worse by more than the margin of 0\.02 cannot be determined\.$/,
    )
  })

  it('does not mention an interval if there is none', () => {
    expect(summary({ ...HELPFUL, difference: 0, ci: null }, { pAdjusted: null })).toBe(
      'No clear difference on helpful (184 items, no interval: nothing varies).',
    )
  })
})
