import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { WorkerQueue } from '../../src/base/worker-queue.ts'
import { readConfig } from '../../src/evaluations/evaluation-config.ts'
import {
  CHARACTERS_IN_PLACE_MAX,
  compileEvaluators,
  type EvaluatorReply,
  type EvaluatorTask,
  evaluateCase,
} from '../../src/evaluations/runner/evaluate-case.ts'
import { EVALUATOR_DEFINITIONS } from '../../src/evaluators/definitions.ts'
import { type Case, ConfigError } from '../../src/evaluators/evaluator.ts'
import { ENTRIES } from '../abuse/adversarial-cases.ts'
import { traceWith, verdictBy } from '../evaluations/verdict-of.ts'

const thread = new URL('../../src/evaluations/runner/evaluator-thread.ts', import.meta.url)

function openQueue(timeoutMs = 60_000) {
  const limits = { cpuMsMax: 60_000, timeoutMs, memoryMbMax: 256 }
  return new WorkerQueue<EvaluatorTask, EvaluatorReply>({ thread, ...limits, idleMs: 60_000 })
}

function configOf(entries: readonly Record<string, unknown>[]) {
  const config = readConfig(JSON.stringify({ evaluators: entries }))
  return { workspaceId: 'w', config, signal: new AbortController().signal }
}

/** Texts that some evaluators can say something about. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.json({ maxDepth: 3 }),
  fc.lorem({ maxCount: 12 }),
  fc.double().map(String),
  fc
    .array(fc.record({ name: fc.constantFrom('a', 'b'), arguments: fc.json({ maxDepth: 1 }) }))
    .map((calls) => JSON.stringify(calls)),
)
const maybeText = fc.option(text)
const number = fc.option(fc.double({ min: 0, noNaN: true }))
const step = fc.record({ name: fc.constantFrom('a', 'b'), arguments: fc.jsonValue({ maxDepth: 2 }) })

const anyCase: fc.Arbitrary<Case> = fc
  .record({
    input: maybeText,
    output: maybeText,
    expected: maybeText,
    baseline: maybeText,
    steps: fc.array(step),
    number,
  })
  .map(({ steps, number: some, ...texts }) => {
    const { trace } = traceWith(steps, { durationMs: some, totalTokens: some, costUsd: some })
    return { ...texts, ratings: [], trace }
  })

describe('a case that is scored in a worker', () => {
  const queue = openQueue()
  afterAll(() => queue.stop())
  const types = EVALUATOR_DEFINITIONS.filter(({ needs }) => !needs.includes('model') && !needs.includes('ratings'))

  it.each(types.map(({ type }) => type))('gets the same verdict of %s as in place', async (type) => {
    const entries = (ENTRIES[type] ?? []).map((options, place) => ({ type, ...options, name: `${place}` }))
    const { text: config, evaluators } = configOf(entries.slice(0, 2)).config
    expect(evaluators.length).toBeGreaterThan(0)
    await fc.assert(
      fc.asyncProperty(anyCase, fc.constantFrom(...evaluators), async (input, evaluator) => {
        const task = { kind: 'evaluate', config, evaluator: evaluator.name, input } as const
        expect(await queue.run('w', task)).toEqual({ verdict: verdictBy(evaluator, input) })
      }),
      { numRuns: 40 },
    )
  })
})

describe('where a case is scored', () => {
  const none: Case = { input: null, output: null, expected: null, baseline: null, ratings: [], trace: null }
  /** Its time limit ends all that is run in the worker. */
  const ending = openQueue(1)
  afterAll(() => ending.stop())
  const limit = 'did not end within 1 seconds'

  it('is in place for short texts, and in the worker for long ones', async () => {
    const of = configOf([{ type: 'exactMatch' }])
    const [evaluator] = of.config.evaluators
    if (!evaluator) throw new Error('there is no evaluator')
    const score = (output: string) =>
      evaluateCase(evaluator, { ...none, output, expected: '' }, { ...of, queue: ending })
    expect(await score('a'.repeat(CHARACTERS_IN_PLACE_MAX))).toMatchObject({ state: 'scored' })
    expect(await score('a'.repeat(CHARACTERS_IN_PLACE_MAX + 1))).toEqual({
      state: 'failed',
      reason: `the evaluator was stopped: it ${limit}`,
    })
  })

  it('is the worker for cases that need much work', async () => {
    const of = configOf([{ type: 'jsonEqual', ignoreOrder: true, subset: true }])
    const [evaluator] = of.config.evaluators
    if (!evaluator) throw new Error('there is no evaluator')
    const list = (from: number) => JSON.stringify(Array.from({ length: 300 }, (_, place) => ({ a: place + from })))
    const score = (queue = ending) =>
      evaluateCase(evaluator, { ...none, output: list(0), expected: list(1_000) }, { ...of, queue })
    expect(await score()).toMatchObject({ state: 'failed' })
    const enough = openQueue()
    expect(await score(enough)).toMatchObject({ state: 'scored', score: 0 })
    await enough.stop()
  })

  it('does not matter for evaluators that read no texts: they run in place', async () => {
    const of = configOf([{ type: 'latency', maxMs: 5 }])
    const [evaluator] = of.config.evaluators
    if (!evaluator) throw new Error('there is no evaluator')
    const input = { ...none, ...traceWith([], { durationMs: 1 }), output: 'a'.repeat(CHARACTERS_IN_PLACE_MAX + 1) }
    expect(await evaluateCase(evaluator, input, { ...of, queue: ending })).toMatchObject({ state: 'scored', score: 1 })
  })

  it('is an error of the config if its schemas need too long to compile', async () => {
    const config = configOf([{ type: 'jsonSchema', schema: {} }])
    await expect(compileEvaluators({ ...config, use: 'dry run', queue: ending })).rejects.toEqual(
      new ConfigError(`config.evaluators cannot be used: compiling its schemas and patterns ${limit}`),
    )
  })

  it('is 429 for a dry run while too many of the same workspace wait for the worker', async () => {
    const config = configOf([{ type: 'jsonSchema', schema: {} }])
    const queue = openQueue()
    const compile = (use: 'dry run' | 'evaluation') =>
      compileEvaluators({ ...config, use, queue }).then(
        () => 'compiled',
        (error: unknown) => Object(error).status,
      )
    const dryRuns = await Promise.all(Array.from({ length: 30 }, () => compile('dry run')))
    expect(dryRuns.filter((outcome) => outcome === 'compiled')).toHaveLength(21)
    expect(dryRuns.filter((outcome) => outcome === 429)).toHaveLength(9)
    const evaluations = await Promise.all(Array.from({ length: 30 }, () => compile('evaluation')))
    expect(new Set(evaluations)).toEqual(new Set(['compiled']))
    await queue.stop()
  })
})
