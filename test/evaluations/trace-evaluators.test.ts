import { describe, expect, it } from 'vitest'
import { defaultEvaluators, readEvaluators } from '../../src/evaluators/read-evaluators.ts'
import { reasonOf, scoreOf, traceWith, verdictBy, verdictOf } from './verdict-of.ts'

const steps = (...names: string[]) => traceWith(names.map((name) => ({ name })))

describe('trajectory', () => {
  it.each([
    ['exact', ['a', 'b'], ['a', 'b'], 1],
    ['exact', ['a', 'b'], ['b', 'a'], 1 / 2],
    ['exact', ['a', 'b'], ['a', 'x', 'b'], 2 / 3],
    ['exact', ['a', 'b', 'c'], ['a'], 1 / 3],
    ['exact', [], [], 1],
    ['ordered', ['a', 'b'], ['a', 'x', 'b', 'y'], 1],
    ['ordered', ['a', 'b'], ['b', 'a'], 1 / 2],
    ['ordered', ['a', 'a'], ['a'], 1 / 2],
    ['ordered', ['a'], [], 0],
    ['unordered', ['a', 'b'], ['b', 'x', 'a'], 1],
    ['unordered', ['a', 'a'], ['a', 'b'], 1 / 2],
    ['subset', ['a', 'b'], ['b'], 1],
    ['subset', ['a', 'b'], ['b', 'x'], 1 / 2],
    ['subset', ['a'], ['a', 'a'], 1 / 2],
    ['subset', ['a'], [], 1],
  ])('%s: expected %j, got %j is %d', (match, expected, got, score) => {
    const verdict = verdictOf({ type: 'trajectory', match, steps: expected }, steps(...got))
    expect(verdict).toMatchObject({ score, passed: score === 1 })
  })

  it('reads the expected steps from the item unless they are given, and allows others between', () => {
    const entry = { type: 'trajectory' }
    expect(readEvaluators([entry])[0]?.needs).toEqual(['steps', 'expected'])
    expect(scoreOf(entry, { expected: '["a","b"]', ...steps('a', 'x', 'b') })).toBe(1)
    expect(scoreOf(entry, { expected: '{"steps":[{"name":"a"}]}', ...steps('a') })).toBe(1)
    expect(reasonOf(entry, { expected: '["a","b"]', ...steps('a', 'c') })).toBe('expected a → b, got a → c')
    for (const expected of ['a, b', '{}', '[1]', '"a"']) {
      expect(verdictOf(entry, { expected, ...steps('a') })).toEqual({
        state: 'skipped',
        reason: 'the expected value does not list steps',
      })
    }
  })

  it('uses only the configured kinds', () => {
    const trace = traceWith([
      { name: 'plan', kind: 'llm' },
      { name: 'search', kind: 'tool' },
      { name: 'answer', kind: 'llm' },
    ])
    const entry = { type: 'trajectory', match: 'exact', steps: ['search'] }
    expect(scoreOf(entry, trace)).toBe(1 / 3)
    expect(scoreOf({ ...entry, kinds: ['tool'] }, trace)).toBe(1)
  })

  it('skips a trace of so many steps that comparing them would take too long', () => {
    const many = steps(...Array.from({ length: 501 }, () => 'a'))
    expect(verdictOf({ type: 'trajectory', steps: ['a'] }, many)).toEqual({
      state: 'skipped',
      reason: 'there are more than 500 steps',
    })
  })

  it('compares the maximum number of steps, in every mode', () => {
    const names = Array.from({ length: 500 }, (_, place) => `s${place % 7}`)
    for (const match of ['exact', 'ordered', 'unordered', 'subset']) {
      expect(scoreOf({ type: 'trajectory', match, steps: names }, steps(...names)), match).toBe(1)
    }
  })
})

describe('toolCalls', () => {
  const trace = traceWith([
    { name: 'plan', kind: 'llm' },
    { name: 'search', arguments: { q: 'Paris', limit: 5 } },
    { name: 'book', arguments: '{"id":7}' },
  ])
  const search = { name: 'search', arguments: { q: 'Paris' } }

  it.each([
    [{ calls: [{ name: 'search' }, { name: 'book' }] }, 1],
    [{ calls: [{ name: 'search' }, { name: 'book' }], match: 'exact' }, 1],
    [{ calls: [{ name: 'book' }, { name: 'search' }] }, 1 / 2],
    [{ calls: [{ name: 'book' }, { name: 'search' }], match: 'unordered' }, 1],
    [{ calls: [{ name: 'book' }], match: 'exact' }, 1 / 2],
    [{ calls: [{ name: 'book' }], match: 'subset' }, 1 / 2],
    [{ calls: [], match: 'exact' }, 0],
    [{ calls: [{ name: 'book', arguments: { id: 7 } }] }, 1],
    [{ calls: [{ name: 'book', arguments: '{"id":7}' }] }, 1],
    [{ calls: [search] }, 0],
    [{ calls: [search], arguments: 'subset' }, 1],
    [{ calls: [{ name: 'search', arguments: { q: 'Lyon' } }], arguments: 'ignore' }, 1],
  ])('%j is %d', (options, score) => {
    expect(verdictOf({ type: 'toolCalls', ...options }, trace)).toMatchObject({ score, passed: score === 1 })
  })

  it.each([
    '["search","book"]',
    '[{"name":"search"},{"name":"book","arguments":{"id":7}}]',
    '{"toolCalls":[{"toolName":"search"},{"toolName":"book","args":{"id":7}}]}',
    '{"tool_calls":[{"type":"function","function":{"name":"book","arguments":"{\\"id\\":7}"}}]}',
  ])('reads the expected calls from the item: %s', (expected) => {
    expect(scoreOf({ type: 'toolCalls' }, { ...trace, expected })).toBe(1)
  })

  it('names the argument that differs', () => {
    expect(reasonOf({ type: 'toolCalls', calls: [{ name: 'book', arguments: { id: 8 } }] }, trace)).toBe(
      'expected book, got search → book; arguments of book: .id: expected 8, got 7',
    )
    expect(reasonOf({ type: 'toolCalls', calls: [{ name: 'pay' }] }, trace)).toBe('expected pay, got search → book')
  })

  it('finds a match for every call, also if the first match is needed by another', () => {
    const twice = traceWith([
      { name: 'search', arguments: { q: 'a', page: 2 } },
      { name: 'search', arguments: { q: 'a' } },
    ])
    const calls = [
      { name: 'search', arguments: { q: 'a' } },
      { name: 'search', arguments: { q: 'a', page: 2 } },
    ]
    expect(scoreOf({ type: 'toolCalls', calls, match: 'unordered', arguments: 'subset' }, twice)).toBe(1)
  })

  it('a call without arguments is the same as one with none', () => {
    const bare = traceWith([{ name: 'now', arguments: null }])
    expect(scoreOf({ type: 'toolCalls', calls: [{ name: 'now', arguments: {} }] }, bare)).toBe(1)
  })

  it('skips an item whose expected value lists no calls', () => {
    expect(verdictOf({ type: 'toolCalls' }, { ...trace, expected: 'search' })).toEqual({
      state: 'skipped',
      reason: 'the expected value does not list tool calls',
    })
  })

  it('stops for arguments that are too large to be compared', () => {
    const arguments_ = Object.fromEntries(Array.from({ length: 3_000 }, (_, place) => [`k${place}`, place]))
    const many = Array.from({ length: 100 }, (_, place) => ({ name: 'save', arguments: { ...arguments_, place } }))
    expect(verdictOf({ type: 'toolCalls', calls: many, match: 'unordered' }, traceWith(many.toReversed()))).toEqual({
      state: 'skipped',
      reason: 'the arguments are too large to be compared',
    })
  })
})

describe('limits', () => {
  it.each([
    [{ type: 'latency', maxMs: 100 }, { durationMs: 100 }, 1, undefined],
    [{ type: 'latency', maxMs: 100 }, { durationMs: 101 }, 0, 'took 101 ms, at most 100 ms are allowed'],
    [{ type: 'cost', maxUsd: 0.01 }, { costUsd: 0.01 }, 1, undefined],
    [{ type: 'cost', maxUsd: 0.01 }, { costUsd: 0.02 }, 0, 'cost 0.02 USD, at most 0.01 USD are allowed'],
    [{ type: 'tokens', max: 10 }, { totalTokens: 10 }, 1, undefined],
    [{ type: 'tokens', max: 10 }, { totalTokens: 11 }, 0, 'used 11 tokens, at most 10 are allowed'],
  ])('%j: a trace with %j is %d, and reports what was measured', (entry, measured, score, reason) => {
    const verdict = verdictOf(entry, traceWith([], measured))
    expect(verdict).toEqual({
      state: 'scored',
      score,
      passed: score === 1,
      details: measured,
      ...(reason && { reason }),
    })
  })

  it.each([
    { type: 'latency', maxMs: 1 },
    { type: 'cost', maxUsd: 1 },
    { type: 'tokens', max: 1 },
  ])('%j skips a trace of which that is not known, and one that has not arrived', (entry) => {
    expect(verdictOf(entry, traceWith([]))).toMatchObject({
      state: 'skipped',
      reason: expect.stringContaining('it is not known'),
    })
    expect(verdictOf(entry, {})).toEqual({ state: 'skipped', reason: 'the trace has not arrived' })
  })
})

describe('humanRating', () => {
  it('rejects a rating that is both positive and negative', () => {
    const isGoodRating = (rating: string) => Number(rating) > 3
    const ratings = ['1', '1', '5']
    // What is named as good is not bad by default.
    expect(scoreOf({ type: 'humanRating', positive: ['1'] }, { ratings, isGoodRating })).toBe(1)
    expect(() => scoreOf({ type: 'humanRating', positive: ['1'], negative: ['2', '1'] }, { ratings })).toThrow(
      /negative must not name “1”, which is positive/,
    )
  })

  const entry = { type: 'humanRating', positive: ['good', 'great'], negative: ['bad'] }

  it.each([
    [['good'], 1, true],
    [['bad'], 0, false],
    [['good', 'great', 'bad', 'no opinion'], 2 / 3, true],
    [['good', 'bad'], 1 / 2, false],
  ])('is the share of positive among the ratings that count, and passes by majority: %j', (ratings, score, passed) => {
    expect(verdictOf(entry, { ratings })).toEqual({ state: 'scored', score, passed })
  })

  it('interprets positive and negative by their meaning by default', () => {
    expect(scoreOf({ type: 'humanRating' }, { ratings: ['positive', 'negative', 'positive'] })).toBe(2 / 3)
  })

  it('interprets ratings by the rating scheme of the application', () => {
    const isGoodRating = (rating: string) => (rating === '3' ? undefined : Number(rating) > 3)
    const ratings = ['1', '4', '5', '3']
    expect(scoreOf({ type: 'humanRating' }, { ratings, isGoodRating })).toBe(2 / 3)
    expect(scoreOf({ type: 'humanRating', positive: ['3'] }, { ratings, isGoodRating })).toBe(1 / 2)
  })

  it('skips an unrated trace, or one with unknown ratings, with the reason', () => {
    expect(verdictOf(entry, { ratings: [] })).toEqual({ state: 'skipped', reason: 'the trace has no rating' })
    const reason = 'the trace has no positive or negative rating'
    expect(verdictOf(entry, { ratings: ['no opinion'] })).toEqual({ state: 'skipped', reason })
  })
})

describe('without a config', () => {
  const verdicts = (input: Parameters<typeof verdictBy>[1]) =>
    Object.fromEntries(
      defaultEvaluators().map((evaluator) => {
        const verdict = verdictBy(evaluator, input)
        return [evaluator.name, verdict.state === 'scored' ? verdict.score : verdict.reason]
      }),
    )

  it('every evaluator applies that has something to judge', () => {
    const input = { output: '{"a":1}', expected: '{"a":1}', ratings: ['positive'] }
    expect(verdicts(input)).toEqual({ exactMatch: 1, tokenF1: 1, jsonValid: 1, humanRating: 1 })
  })

  it('skips evaluators that do not apply to a case with the reason, and prose is not invalid JSON', () => {
    expect(verdicts({ output: 'It is Paris.' })).toEqual({
      exactMatch: 'does not apply: the item has no expected value',
      tokenF1: 'does not apply: the item has no expected value',
      jsonValid: 'does not apply: the output is not JSON',
      humanRating: 'does not apply: the trace has no rating',
    })
  })

  it('broken JSON is wrong, and not skipped', () => {
    expect(verdicts({ output: ' {"a":1' })).toMatchObject({ jsonValid: 0 })
    expect(verdicts({ output: '[1,2' })).toMatchObject({ jsonValid: 0 })
  })
})
