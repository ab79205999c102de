import { describe, expect, it } from 'vitest'
import { distributionOf, estimate } from '../../src/evaluations/metric.ts'
import { readEvaluators } from '../../src/evaluations/read-config.ts'

describe('config.evaluators', () => {
  it.each([
    ['nothing', {}, 'humanRating'],
    ['only keys that are not ours', { note: 'kept' }, 'humanRating'],
    ['an evaluator with a name', { evaluators: [{ type: 'humanRating', name: 'people' }] }, 'people'],
    ['an evaluator that reads traces', { evaluators: [{ type: 'exactMatch' }] }, 'exactMatch'],
  ])('is read from %s', (_, config, name) => {
    expect(readEvaluators(config).map((evaluator) => evaluator.name)).toEqual([name])
  })

  it.each([
    [{ evaluators: 'all' }, 'config.evaluators must be a list'],
    [{ evaluators: [] }, 'config.evaluators must be a list of at least one'],
    [{ evaluators: [5] }, 'config.evaluators[0] must be an object'],
    [{ evaluators: [{}] }, 'config.evaluators[0].type must be'],
    [{ evaluators: [{ type: 'nope' }] }, 'config.evaluators[0].type: there is no evaluator "nope"'],
    [{ evaluators: [{ type: 'humanRating' }, { type: 'humanRating' }] }, 'two entries named humanRating'],
    [{ evaluators: [{ type: 'humanRating', name: '' }] }, 'config.evaluators[0].name'],
    [{ evaluators: [{ type: 'humanRating', positive: 'good' }] }, 'config.evaluators[0].positive'],
    [{ evaluators: [{ type: 'humanRating', negative: [] }] }, 'config.evaluators[0].negative'],
  ])('that makes no sense is refused by a sentence naming the key: %j', (config, sentence) => {
    expect(() => readEvaluators(config)).toThrow(sentence)
  })
})

describe('humanRating', () => {
  const [rating] = readEvaluators({
    evaluators: [{ type: 'humanRating', positive: ['good', 'great'], negative: ['bad'] }],
  })

  it.each([
    [['good'], 1],
    [['bad'], 0],
    [['good', 'great', 'bad', 'no opinion'], 2 / 3],
  ])('is the share of positive among the ratings that count: %j', (ratings, score) => {
    expect(rating?.evaluate({ ref: 't', ratings })).toEqual({ state: 'scored', score })
  })

  it('skips a trace that nobody has rated, with the reason', () => {
    expect(rating?.evaluate({ ref: 't', ratings: ['no opinion'] })).toEqual({
      state: 'skipped',
      reason: 'nobody has rated the trace',
    })
  })
})

describe('a metric', () => {
  const scores = (...values: number[]) => values.map((value, place) => ({ value, cluster: String(place) }))

  it('of zeros and ones is a rate with the interval of Wilson: 3 of 4 is 0.30 to 0.95', async () => {
    const { kind, mean, ci } = await estimate(scores(1, 1, 1, 0), 'seed')
    expect({ kind, mean }).toEqual({ kind: 'binary', mean: 0.75 })
    expect(ci?.map((end) => end.toFixed(4))).toEqual(['0.3006', '0.9544'])
  })

  it('of shares is a mean with a bootstrap interval around it, the same for the same seed', async () => {
    const first = await estimate(scores(0, 0.5, 1, 0.5, 0.25, 1), 'seed')
    expect(first.kind).toBe('numeric')
    expect(first.mean).toBeCloseTo(3.25 / 6)
    const [low, high] = first.ci ?? []
    expect(low).toBeLessThan(3.25 / 6)
    expect(high).toBeGreaterThan(3.25 / 6)
    expect(await estimate(scores(0, 0.5, 1, 0.5, 0.25, 1), 'seed')).toEqual(first)
  })

  it('without scores has neither mean nor interval', async () => {
    expect(await estimate([], 'seed')).toMatchObject({ mean: null, ci: null })
  })

  it('tells how its scores are spread over tenths of the scale', () => {
    expect(distributionOf(scores(0, 0.05, 0.5, 0.999, 1))).toEqual([2, 0, 0, 0, 0, 1, 0, 0, 0, 2])
  })
})
