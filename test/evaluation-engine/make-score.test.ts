import { describe, expect, it } from 'vitest'
import { DatabaseOutage } from '../../src/base/errors.ts'
import { readConfig } from '../../src/evaluations/evaluation-config.ts'
import type { LoadedCase } from '../../src/evaluations/runner/load-cases.ts'
import { scoreWithModel } from '../../src/evaluations/runner/score-with-models.ts'
import { computeScore } from '../../src/evaluations/runner/score-without-models.ts'
import type { Task } from '../../src/evaluations/runner/scoring.ts'
import type { Evaluator } from '../../src/evaluators/evaluator.ts'
import type { PendingScore } from '../../src/scores/score-queries.ts'
import { createCircuitBreaker } from '../../src/spending/circuit-breaker.ts'
import { type ModelSession, meteredModel } from '../../src/spending/metered-model.ts'

const CASE: LoadedCase = {
  itemId: 'item',
  itemHash: null,
  isTraceMissing: false,
  input: 'q',
  output: 'a',
  expected: null,
  baseline: null,
  ratings: [],
  trace: null,
}
const PENDING: PendingScore = {
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

function task(evaluator: Evaluator): Task {
  return { evaluator, pending: PENDING, input: CASE }
}

function throws(): never {
  throw new TypeError('a secret of ours')
}

describe('an evaluator that fails unexpectedly', () => {
  const failed = { state: 'failed', reason: 'the evaluator failed unexpectedly; the log of the server says more' }

  it.each([
    ['at once', throws],
    ['later', () => Promise.reject(new TypeError('a secret of ours'))],
  ])('%s fails only its case, and its message is only in the log', async (_, evaluate) => {
    const score = await computeScore(task(evaluatorThat(evaluate)), {
      workspaceId: 'w',
      config: readConfig('{}'),
      signal: new AbortController().signal,
    })
    expect(score).toMatchObject({ verdict: failed, failure: { message: 'a secret of ours' } })
    expect(JSON.stringify({ ...score, failure: undefined })).not.toContain('secret')
  })

  it('with a model fails only its case, and is not retried', async () => {
    let times = 0
    const evaluator = evaluatorThat(() => {
      times += 1
      return throws()
    }, ['output', 'model'])
    expect(await scoreOf(evaluator, throws)).toMatchObject({ verdict: failed, attempts: 1 })
    expect(times).toBe(1)
  })

  it('with a model stays pending while the database is out of reach', async () => {
    const outage = new DatabaseOutage('The database cannot be reached right now; try again')
    const question = { system: 's', user: 'u', schema: { name: 's', schema: {} }, model: 'judge-1' }
    const evaluator = evaluatorThat(
      async (_, asked) => {
        await asked.model?.complete(question)
        throw new Error('the cost was not reserved')
      },
      ['output', 'model'],
    )
    await expect(scoreOf(evaluator, () => Promise.reject(outage))).rejects.toBe(outage)
  })
})

function scoreOf(evaluator: Evaluator, reserve: ModelSession['budget']['reserve']) {
  const { signal } = new AbortController()
  const session: ModelSession = {
    client: { complete: throws, embed: throws, chat: throws, stream: throws },
    baseUrl: '',
    answerTokensMax: 1,
    defaultModelOf: () => 'judge-1',
    budget: { reserve },
    findAnswer: () => Promise.resolve(undefined),
  }
  const stops = { hardStop: signal, softStop: signal, retryPauseMs: 1 }
  return scoreWithModel(task(evaluator), stops, {
    model: meteredModel(session, { mayReuse: true }),
    breaker: createCircuitBreaker(),
    onState: () => Promise.resolve(),
  })
}
