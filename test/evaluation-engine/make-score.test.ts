import { describe, expect, it } from 'vitest'
import { createLogger } from '../../src/base/log.ts'
import { readConfig } from '../../src/evaluations/evaluation-config.ts'
import { createBudget } from '../../src/evaluations/runner/budget.ts'
import type { LoadedCase } from '../../src/evaluations/runner/load-cases.ts'
import type { ModelSession } from '../../src/evaluations/runner/metered-model.ts'
import { createCircuitBreaker, scoreByModel, scoreWithoutModel } from '../../src/evaluations/runner/score-case.ts'
import type { Evaluator } from '../../src/evaluators/evaluator.ts'
import type { PendingScore } from '../../src/scores/score-queries.ts'

const CASE: LoadedCase = {
  itemId: 'item',
  isTraceMissing: false,
  input: 'q',
  output: 'a',
  expected: null,
  baseline: null,
  ratings: [],
  trace: null,
}
const OPEN: PendingScore = {
  caseRef: 'item',
  evaluator: 'x',
  repetition: 1,
  itemId: 'item',
  traceRef: null,
  attempts: 0,
}

function evaluatorThat(evaluate: Evaluator['evaluate'], needs: Evaluator['needs'] = ['output']): Evaluator {
  return { type: 'x', name: 'x', kind: 'binary', scale: [0, 1], higherIsBetter: true, needs, evaluate }
}

function throws(): never {
  throw new TypeError('a secret of ours')
}

const log = createLogger('silent')

describe('an evaluator that fails unexpectedly', () => {
  const failed = { state: 'failed', reason: 'the evaluator failed unexpectedly; the log of the server says more' }

  it.each([
    ['at once', throws],
    ['later', () => Promise.reject(new TypeError('a secret of ours'))],
  ])('%s costs its own case, and tells nothing of itself', async (_, evaluate) => {
    const mishaps: unknown[] = []
    const score = await scoreWithoutModel(evaluatorThat(evaluate), OPEN, CASE, {
      workspaceId: 'w',
      config: readConfig('{}'),
      signal: new AbortController().signal,
      onMishap: (error) => mishaps.push(error),
    })
    expect(mishaps).toEqual([new TypeError('a secret of ours')])
    expect(score).toMatchObject({ ...failed, score: null, passed: null })
    expect(JSON.stringify(score)).not.toContain('secret')
  })

  it('with a model costs its own case, and is not asked again', async () => {
    let times = 0
    const evaluator = evaluatorThat(() => {
      times += 1
      return throws()
    }, ['output', 'model'])
    const { signal } = new AbortController()
    const session: ModelSession = {
      client: { complete: throws, embed: throws },
      place: '',
      answerTokensMax: undefined,
      defaultModelOf: () => 'judge-1',
      hardStop: signal,
      budget: createBudget(() => null, { maxCostUsd: undefined, spentUsd: 0 }),
      findAnswer: () => Promise.resolve(undefined),
    }
    const made = await scoreByModel(evaluator, OPEN, CASE, {
      session,
      mayReuse: true,
      refusals: createCircuitBreaker(),
      pauseMs: 1,
      hardStop: signal,
      softStop: signal,
      onRetry: () => Promise.resolve(),
      log,
    })
    expect(made.score).toMatchObject({ ...failed, attempts: 1 })
    expect(times).toBe(1)
  })
})

describe('the limit on spending', () => {
  it('sets more aside once an answer has been longer than thought', () => {
    const budget = createBudget((_, { inputTokens, outputTokens }) => inputTokens + outputTokens, {
      maxCostUsd: 100_000,
      spentUsd: 0,
    })
    budget.reserve('m', 100).settle({ inputTokens: 100, outputTokens: 60_000 })
    expect(() => budget.reserve('m', 100)).toThrow(/leaves no room/)
  })

  it('gives back what was set aside for a question that was not asked, once', () => {
    const budget = createBudget(() => 1, { maxCostUsd: 2, spentUsd: 0 })
    const [first, second] = [budget.reserve('m', 1), budget.reserve('m', 1)]
    expect(() => budget.reserve('m', 1)).toThrow(/leaves no room/)
    first.release()
    first.release()
    budget.reserve('m', 1)
    expect(() => budget.reserve('m', 1)).toThrow(/leaves no room/)
    second.settle({ inputTokens: 1, outputTokens: 1 })
    expect(() => budget.reserve('m', 1)).toThrow(/leaves no room/)
  })

  it('counts what was spent before', () => {
    const budget = createBudget(() => 1, { maxCostUsd: 2, spentUsd: 1.5 })
    expect(() => budget.reserve('m', 1)).toThrow(/leaves no room/)
  })
})
