import { describe, expect, it } from 'vitest'
import { decideGate } from '../../src/comparisons/verdicts/gate-verdict.ts'
import { SINGLE_LOOK } from '../../src/comparisons/verdicts/look-rule.ts'
import type { ComparedMetric } from '../../src/comparisons/verdicts/metric-verdicts.ts'
import { type JudgedMetric, overallVerdict, type Verdict } from '../../src/comparisons/verdicts/verdict.ts'
import { withoutRatings } from '../../src/evaluations/results/withhold-ratings.ts'
import { readStoredConfig } from '../../src/scores/stored-config.ts'
import { NONE_MISSING } from './compare-pairs.ts'

function judged(name: string, verdict: Verdict, role: JudgedMetric['role'] = 'quality'): JudgedMetric {
  return { name, verdict, role, summary: `${name}: ${verdict}.` }
}

describe('the whole verdict', () => {
  it('is regressed if one quality metric is, even if others improved', () => {
    const { verdict, summary } = overallVerdict([
      judged('helpful', 'improved'),
      judged('shape', 'regressed'),
      judged('rating', 'noClearDifference'),
    ])
    expect(verdict).toBe('regressed')
    expect(summary).toBe('shape: regressed. On helpful: better. On rating: no clear difference.')
  })

  it('is improved if one is and none regressed, then no clear difference, then too few cases', () => {
    const improved = [judged('a', 'improved'), judged('b', 'noClearDifference'), judged('c', 'tooFewCases')]
    expect(overallVerdict(improved)).toEqual({
      verdict: 'improved',
      summary: 'a: improved. On b: no clear difference. On c: too few cases to decide.',
    })
    expect(overallVerdict(improved.slice(1))).toEqual({
      verdict: 'noClearDifference',
      summary: 'b: noClearDifference. On c: too few cases to decide.',
    })
    expect(overallVerdict(improved.slice(2))).toEqual({ verdict: 'tooFewCases', summary: 'c: tooFewCases.' })
    expect(overallVerdict([judged('d', 'equivalent'), judged('c', 'tooFewCases')])).toEqual({
      verdict: 'equivalent',
      summary: 'd: equivalent. On c: too few cases to decide.',
    })
    expect(overallVerdict([])).toMatchObject({ verdict: 'tooFewCases' })
  })

  it('does not depend on errors if there are none in either run', () => {
    const none = { mean: 0 }
    const idle = { ...judged('error', 'noClearDifference'), baseline: none, candidate: none }
    expect(overallVerdict([judged('helpful', 'equivalent'), idle])).toMatchObject({ verdict: 'equivalent' })
    expect(overallVerdict([idle])).toEqual({
      verdict: 'tooFewCases',
      summary: 'Too few cases to decide: no quality metric was measured in both runs: evaluate both.',
    })
  })

  it('names what is not compared, and what would make it comparable', () => {
    const notCompared = ['polite', 'short'].map((name) => ({ name, reason: 'evaluate the candidate the same way' }))
    expect(overallVerdict([judged('helpful', 'improved')], notCompared.slice(0, 1)).summary).toBe(
      'helpful: improved. Not compared: polite (evaluate the candidate the same way).',
    )
    expect(overallVerdict([], notCompared).summary).toBe(
      'Too few cases to decide: no quality metric was measured in both runs. Not compared: polite (evaluate the candidate the same way) and short (evaluate the candidate the same way).',
    )
  })

  it('does not depend on durations, costs and tokens', () => {
    const metrics = [judged('durationMs', 'regressed', 'reported'), judged('error', 'noClearDifference')]
    expect(overallVerdict(metrics).verdict).toBe('noClearDifference')
    expect(overallVerdict([judged('costUsd', 'improved', 'reported')]).verdict).toBe('tooFewCases')
  })

  it('has the summary of each deciding metric, up to five, and the names and items of all others', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const [better, one] = [
      { ...judged('b', 'improved'), items: 184 },
      { ...judged('c', 'improved'), items: 1 },
    ]
    expect(overallVerdict([judged('a', 'regressed'), better, one]).summary).toBe(
      'a: regressed. On b (184 items) and c (1 item): better.',
    )
    const same = (count: number) => names.slice(0, count).map((name) => judged(name, 'noClearDifference'))
    expect(overallVerdict(same(2)).summary).toBe('a: noClearDifference. b: noClearDifference.')
    expect(overallVerdict(same(7)).summary).toBe(
      'a: noClearDifference. b: noClearDifference. c: noClearDifference. d: noClearDifference. e: noClearDifference. On f and g: no clear difference.',
    )
  })
})

describe('the comparison of an evaluation, for a rater of a blind run', () => {
  it('is without ratings, and still says which items and metrics it is not about', () => {
    const config = readStoredConfig('{"evaluators": [{"type": "exactMatch", "name": "right"}]}')
    const comparison = {
      metrics: [judged('right', 'improved'), judged('rating', 'regressed')],
      notCompared: [{ name: 'polite', reason: 'why' }],
      itemChanges: { summary: '2 items were edited between the two evaluations', duplicates: 0 },
      summary: 'rating: regressed. On right: better. The runs tried 70 of 200 items of the dataset. And more.',
    }
    const shown = withoutRatings({ insights: [], metrics: [], comparison }, { id: 'e', config })
    expect(shown.comparison?.summary).toBe(
      'right: improved. Not compared: polite (why). The runs tried 70 of 200 items of the dataset. 2 items were edited between the two evaluations and not compared.',
    )
  })
})

const ESTIMATE = { mean: 0.5, ci: null, method: '' }

function metric(change: Partial<ComparedMetric>): ComparedMetric {
  return {
    name: 'helpful',
    kind: 'numeric',
    role: 'quality',
    higherIsBetter: true,
    scale: [0, 1],
    evaluations: null,
    n: 100,
    items: 100,
    values: { baseline: 100, candidate: 100 },
    groups: null,
    designEffect: null,
    missing: 0,
    failed: 0,
    baseline: ESTIMATE,
    candidate: ESTIMATE,
    difference: 0,
    ci: [-0.03, 0.03],
    confidence: 0.95,
    method: '',
    ratio: null,
    ratioCi: null,
    totalRatio: null,
    test: null,
    correction: null,
    alone: null,
    marginCi: [-0.03, 0.03],
    wins: 0,
    ties: 100,
    losses: 0,
    flips: null,
    orderFlips: null,
    verdict: 'noClearDifference',
    notWorseThanMargin: null,
    warning: null,
    summary: 'The summary.',
    power: { detectableDifference: null, casesFor: null },
    measuredAs: null,
    missingItems: { ...NONE_MISSING, summary: null },
    corrected: null,
    ...change,
  }
}

const [NONE, SOME] = [{ count: 0 }, { count: 20 }]
const SAME_ITEMS = { summary: null, changed: NONE, removed: NONE, added: NONE }

describe('a gate', () => {
  it('cannot be decided if items were edited or deleted between the two evaluations', () => {
    const itemChanges = { ...SAME_ITEMS, changed: SOME, summary: '20 items were edited between the two evaluations' }
    expect(decideGate({ metrics: [metric({})], notCompared: [], itemChanges }, { metric: 'helpful' })).toEqual({
      passed: false,
      summary:
        'Cannot decide: 20 items were edited between the two evaluations, and 100 items of helpful are left. Evaluate the baseline again, so that both runs are judged by the same items.',
    })
  })

  const gate = (change: Partial<ComparedMetric>, margin?: number, maxMissing?: number) =>
    decideGate(
      { metrics: [metric(change)], notCompared: [{ name: 'other', reason: 'why' }], itemChanges: SAME_ITEMS },
      { metric: 'helpful', margin, maxMissing },
    )

  it('with a margin opens only if the whole interval is within it', () => {
    expect(gate({}, 0.031)).toEqual({
      passed: true,
      summary: 'Passed: helpful is not worse by more than the margin of 0.031 (0.03 at most, 100 items). The summary.',
    })
    expect(gate({}, 0.03)).toEqual({
      passed: false,
      summary:
        'Not passed: helpful may be worse by more than the margin of 0.03 (0.03 at most, 100 items). If nothing changed, about 99 items are needed to pass in 80 of 100 attempts. The summary.',
    })
  })

  it('with a margin is undecided with few items', () => {
    const few = gate({ items: 29, marginCi: [0.1, 0.2] }, 0.02)
    expect(few).toEqual({
      passed: false,
      summary: 'Cannot decide: helpful has 29 items in both runs, and a gate needs 30 items.',
    })
    expect(gate({ items: 30, marginCi: [0.1, 0.2] }, 0.02).passed).toBe(true)
  })

  it('with a margin opens for a regression that is shown to be small enough', () => {
    expect(gate({ verdict: 'regressed', marginCi: [-0.01, -0.005] }, 0.02).passed).toBe(true)
    expect(gate({ verdict: 'regressed', marginCi: [-0.01, -0.005] }, 0.01).passed).toBe(false)
  })

  it('without a margin requires proof that not more than 5 % of the scale is lost', () => {
    expect(gate({})).toEqual({
      passed: true,
      summary:
        'Passed: helpful is not worse by more than the margin of 0.05 (0.03 at most, 100 items). The margin is the default, 5 % of the scale. The summary.',
    })
    expect(gate({ marginCi: [-0.06, 0.03] })).toEqual({
      passed: false,
      summary:
        'Not passed: helpful may be worse by more than the margin of 0.05 (0.06 at most, 100 items). If nothing changed, about 59 items are needed to pass in 80 of 100 attempts. The margin is the default, 5 % of the scale. The summary.',
    })
    expect(gate({ scale: [1, 5], marginCi: [-0.19, 0.3] }).passed).toBe(true)
    expect(gate({ scale: null })).toEqual({
      passed: false,
      summary: 'Cannot decide: helpful has no scale, so the gate needs a margin: the loss that is accepted.',
    })
  })

  it('cannot be decided if more than 2 % of the items, or the share that it names, have no value in one run', () => {
    const without = (incomplete: number) => ({
      marginCi: [-0.04, 0.04] as const,
      missingItems: {
        ...NONE_MISSING,
        items: 200,
        incomplete,
        summary: `${incomplete} of 200 items have no answer in v2`,
      },
    })
    expect(gate(without(90), 0.05)).toEqual({
      passed: false,
      summary:
        'Cannot decide: 90 of 200 items have no answer in v2, and at most 2 % may lack helpful. Run and evaluate them first.',
    })
    expect(gate(without(5), 0.05).passed).toBe(false)
    expect(gate(without(4), 0.05).passed).toBe(true)
    expect(gate(without(5), 0.05, 0.1).passed).toBe(true)
    // They count at the worst value.
    expect(gate(without(4), 0.035).summary).toMatch(
      /^Not passed: helpful may be worse by more than the margin of 0\.035 /,
    )
  })

  it('of a ratio decides by a factor, and requires that the total keeps it, too', () => {
    const ratio = { name: 'helpful', scale: null, higherIsBetter: false, ci: null, ratio: 1.02, totalRatio: 1.03 }
    const kept = { ...ratio, ratioCi: [0.98, 1.06], marginCi: [0.98, 1.06] } as const
    expect(gate(kept)).toEqual({
      passed: true,
      summary:
        'Passed: helpful is not worse by more than the margin of 1.1 × (1.06 × at most, 100 items). The margin is the default. The summary.',
    })
    expect(gate(kept, 1.05).passed).toBe(false)
    expect(gate({ ...kept, totalRatio: 1.2 })).toEqual({
      passed: false,
      summary:
        'Not passed: A typical item of helpful keeps the margin of 1.1 ×, and the total does not (1.20 ×, 100 items). The margin is the default. The summary.',
    })
    expect(gate(kept, 200)).toEqual({
      passed: false,
      summary: 'Cannot decide: the margin of helpful is a ratio such as 1.1, not 200.',
    })
    expect(gate(kept, 0.1).summary).toMatch(/^Cannot decide/)
  })

  it('says from the second look on that it holds for one look only', () => {
    const comparison = { metrics: [metric({})], notCompared: [], itemChanges: SAME_ITEMS }
    const note =
      /These runs were compared 3 times with different results, .*: a single look is wrong in 5 of 100 cases, several in more\./
    expect(decideGate({ ...comparison, looks: 3 }, { metric: 'helpful' }).summary).toMatch(note)
    expect(decideGate({ ...comparison, looks: 1 }, { metric: 'helpful' }).summary).not.toMatch(note)
  })

  it('names no number of items where any number of looks decides: it is not known', () => {
    const comparison = { metrics: [metric({})], notCompared: [], itemChanges: SAME_ITEMS }
    const looking = { ...SINGLE_LOOK.looking, rule: 'sequential' as const }
    expect(decideGate({ ...comparison, looking }, { metric: 'helpful', margin: 0.03 }).summary).toBe(
      'Not passed: helpful may be worse by more than the margin of 0.03 (0.03 at most, 100 items). The summary.',
    )
  })

  it('passes what is equivalent', () => {
    expect(gate({ verdict: 'equivalent' }, 0.04).passed).toBe(true)
  })

  it('fails without a decision: too few cases, or a metric that is not compared', () => {
    const few = { verdict: 'tooFewCases', items: 9, n: 9 } as const
    const summary = 'Cannot decide: helpful has 9 items in both runs, and a gate needs 30 items.'
    expect([gate(few), gate(few, 1)]).toEqual([
      { passed: false, summary },
      { passed: false, summary },
    ])
    const comparison = { metrics: [], notCompared: [{ name: 'other', reason: 'why' }], itemChanges: SAME_ITEMS }
    expect(decideGate(comparison, { metric: 'other' })).toEqual({
      passed: false,
      summary: 'Cannot decide: other is not compared (why).',
    })
    expect(decideGate(comparison, { metric: 'nothing' }).summary).toBe(
      'Cannot decide: nothing is not compared (evaluate both runs with it).',
    )
  })

  it('decides by the corrected results, if it is to be corrected by ratings', () => {
    const byRatings = (corrected: ComparedMetric['corrected'], margin?: number) =>
      decideGate(
        { metrics: [metric({ corrected })], notCompared: [], itemChanges: SAME_ITEMS },
        { metric: 'helpful', corrected: true, margin },
      )
    const rated = (ci: readonly [number, number] | null, scale: readonly [number, number] | null = [0, 1]) => ({
      labels: 40,
      excluded: 0,
      scale,
      difference: 0,
      ci,
      marginCi: ci,
      judgeWeight: null,
      method: '',
      verdict: 'noClearDifference' as const,
      summary: 'The ratings.',
    })
    expect(byRatings(rated([-0.04, 0.1]))).toEqual({
      passed: true,
      summary: 'Passed: people see no loss beyond the margin of 0.05 (5 % of the scale, the default). The ratings.',
    })
    expect(byRatings(rated([-0.06, 0.1]))).toEqual({
      passed: false,
      summary: 'Not passed: people may see a loss of more than 0.05 (5 % of the scale, the default). The ratings.',
    })
    expect(byRatings(rated([-0.06, 0.1]), 0.07).passed).toBe(true)
    // The metric's own interval, which is within the margin, decides nothing.
    expect(byRatings({ ...rated([-0.01, 0.1]), labels: 29 }).summary).toBe(
      'Cannot decide: a gate by ratings needs at least 30 items that are rated in both runs. The ratings.',
    )
    expect(byRatings(null)).toEqual({
      passed: false,
      summary:
        'Cannot decide: no item of helpful is rated in both runs, and a gate by ratings needs 30 that the queue draws.',
    })
    const undecided = { passed: false, summary: 'Cannot decide: The ratings.' }
    expect([byRatings(rated(null)), byRatings(rated([-0.01, 0.1], null))]).toEqual([undecided, undecided])
  })

  it('reports that the two runs were measured with different evaluators of one name', () => {
    const warning = 'The two evaluations configure trim of helpful differently, which may cause the difference.'
    expect(gate({ warning }, 0.1).summary).toBe(
      `Passed: helpful is not worse by more than the margin of 0.1 (0.03 at most, 100 items). The summary. ${warning}`,
    )
    expect(gate({ warning }, 0.01).summary).toMatch(/^Not passed: .* The summary\. The two evaluations configure/)
  })
})
