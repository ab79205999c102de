import { describe, expect, it } from 'vitest'
import { measure } from '../../src/evaluations/results/metric.ts'
import type { ScoreColumns } from '../../src/evaluations/results/score-columns.ts'
import { readEvaluators } from '../../src/evaluators/read-evaluators.ts'

const verdictsOf = (values: readonly number[], rest: Partial<ScoreColumns> = {}): ScoreColumns => ({
  n: values.length,
  cases: values.length,
  scores: { values: [...values], clusters: null },
  passes: { values: [], clusters: null },
  attempts: new Map(),
  judged: { n: 0, c: 0 },
  labels: { values: [], clusters: null },
  labelNames: [],
  unlabelled: { values: [], clusters: null },
  classified: [],
  duplicates: 0,
  ...rest,
})

const metricOf = (type: string, verdicts: ScoreColumns) => {
  const [evaluator] = readEvaluators([{ type }])
  if (!evaluator) throw new Error('there is no evaluator')
  return measure(evaluator, verdicts, 'seed')
}

describe('a metric', () => {
  it('of zeros and ones is a rate with the interval of Wilson: 3 of 4 is 0.30 to 0.95', async () => {
    const { kind, mean, ci, passed } = await metricOf('exactMatch', verdictsOf([1, 1, 1, 0]))
    expect({ kind, mean, passed }).toEqual({ kind: 'binary', mean: 0.75, passed: null })
    expect(ci?.map((end) => end.toFixed(4))).toEqual(['0.3006', '0.9544'])
  })

  it('of ones on another scale than yes and no has an interval on that scale', async () => {
    const worst = { type: 'llmJudge', name: 'quality', instructions: 'How good?', scale: [1, 5], model: 'm' }
    const [evaluator] = readEvaluators([worst])
    if (!evaluator) throw new Error('there is no evaluator')
    const { mean, ci } = await measure(evaluator, verdictsOf(new Array(12).fill(1)), 'seed')
    expect([mean, ci?.[0]]).toEqual([1, 1])
    expect(ci?.[1]).toBeGreaterThan(1.5)
  })

  it('of items that were tried twice and always passed has the interval of the items', async () => {
    const items = Array.from({ length: 50 }, (_, place) => `item ${place}`)
    const once = await metricOf('exactMatch', verdictsOf(items.map(() => 1)))
    const values = [...items, ...items].map(() => 1)
    const twice = verdictsOf(values, { scores: { values, clusters: [...items, ...items] } })
    expect((await metricOf('exactMatch', twice)).ci).toEqual(once.ci)
    expect(once.ci?.[0]).toBeCloseTo(0.929, 3)
  })

  it('of shares is a mean with a bootstrap interval around it, the same for the same seed', async () => {
    const shares = verdictsOf([0, 0.5, 1, 0.5, 0.25, 1])
    const first = await metricOf('tokenF1', shares)
    expect(first.kind).toBe('numeric')
    expect(first.mean).toBeCloseTo(3.25 / 6)
    const [low, high] = first.ci ?? []
    expect(low).toBeLessThan(3.25 / 6)
    expect(high).toBeGreaterThan(3.25 / 6)
    expect(await metricOf('tokenF1', shares)).toEqual(first)
  })

  it('without scores has neither mean nor interval', async () => {
    expect(await metricOf('exactMatch', verdictsOf([]))).toMatchObject({ mean: null, ci: null, distribution: null })
  })

  it('has a histogram of its scores in tenths of the scale', async () => {
    const { distribution } = await metricOf('tokenF1', verdictsOf([0, 0.05, 0.5, 0.999, 1]))
    expect(distribution).toEqual([2, 0, 0, 0, 0, 1, 0, 0, 0, 2])
  })

  it('of labels has no mean, but each label a share with its interval', async () => {
    const labels = { values: [0, 1, 0, 0], clusters: null }
    const [evaluator] = readEvaluators([{ type: 'classify', labels: ['kind', 'rude'], instructions: 'How?' }])
    if (!evaluator) throw new Error('there is an evaluator')
    const verdicts = { ...verdictsOf([]), n: 4, cases: 4, labels, labelNames: ['kind', 'rude'] }
    const measured = await measure(evaluator, verdicts, 'seed')
    expect(measured).toMatchObject({ mean: null, ci: null, method: 'none: labels have no mean, but each has a share' })
    expect(measured.labels?.map(({ label, n, mean }) => [label, n, mean])).toEqual([
      ['kind', 3, 0.75],
      ['rude', 1, 0.25],
    ])
    expect(measured.labels?.[0]?.ci?.map((end) => end.toFixed(4))).toEqual(['0.3006', '0.9544'])
  })

  it('of classes is their macro F1: 2/3 of one and 4/5 of the other give 11/15', async () => {
    const pairs = [
      ['spam', 'spam'],
      ['spam', 'ham'],
      ['ham', 'ham'],
      ['ham', 'ham'],
    ]
    const classified = pairs.map(([predicted = '', expected = '']) => ({ predicted, expected }))
    const { kind, mean, classes } = await metricOf('f1', verdictsOf([1, 0, 1, 1], { classified }))
    expect(kind).toBe('categorical')
    expect(mean).toBeCloseTo(11 / 15)
    expect(classes).toHaveLength(2)
  })
})
