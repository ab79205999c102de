import { setImmediate } from 'node:timers/promises'
import { context, trace } from '@opentelemetry/api'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { expect, it } from 'vitest'
import { type EvaluatedCase, evaluate, observe, type Progress, Touchstone } from '../../packages/sdk/src/sdk.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import type { TestApp } from '../harness/test-app.ts'

const ITEMS = 12

async function seed(app: TestApp, fetch?: typeof globalThis.fetch) {
  const { key } = await app.newWorkspace()
  const client = new Touchstone({ apiKey: key, baseUrl: app.url, fetch })
  const component = (await client.components.create({ name: 'Adder' })).id
  const dataset = await client.datasets.create(component, { name: 'Sums' })
  const items = Array.from({ length: ITEMS }, (_, n) => ({ input: `${n} + 1`, expected: String(n + 1) }))
  await client.datasets.items.create(component, dataset.id, items)
  return { client, component, options: { client, component: 'Adder', dataset: 'Sums' } }
}

/** Adds the numbers of the item. */
function add({ input }: { input: string | null }): string {
  const [left = 0, right = 0] = (input ?? '').split('+').map(Number)
  return String(left + right)
}

function isShort({ output }: EvaluatedCase<string>) {
  return { score: output === undefined ? 0 : 1 / output.length, reason: `${output} has ${output?.length} digits` }
}

describeEachEngine('evaluate of the SDK', (app) => {
  it('runs every item, scores it on the server and in the program, and returns both', async () => {
    const { client, component, options } = await seed(app())
    const progress: Progress[] = []
    const result = await evaluate({
      ...options,
      name: 'v1',
      task: add,
      evaluators: ['exactMatch', isShort, { name: 'odd', score: ({ output }) => Number(output) % 2 === 1 }],
      onProgress: (one) => progress.push(one),
    })
    expect(result.run).toMatchObject({ name: 'v1', traceCount: ITEMS })
    expect(result.evaluation).toMatchObject({ name: 'v1', status: 'completed', progress: { total: 3 * ITEMS } })
    expect(result.cases).toHaveLength(ITEMS)
    const ten = result.cases.find(({ input }) => input === '9 + 1')
    expect(ten).toMatchObject({
      expected: '10',
      output: '10',
      scores: {
        exactMatch: { state: 'scored', score: 1 },
        isShort: { state: 'scored', score: 0.5, reason: '10 has 2 digits' },
        odd: { state: 'scored', passed: false },
      },
    })
    expect(result).toMatchObject({ comparison: null, verdict: null, gate: null })
    expect(result.url).toBe(
      `${app().url}/a/${(await client.components.get(component)).workspaceId}/c/${component}/evaluations/${result.evaluation.id}`,
    )
    expect(progress.filter(({ phase }) => phase === 'tasks').at(-1)).toMatchObject({ done: ITEMS, total: ITEMS })
    for (const { done, total } of progress) expect(done).toBeLessThanOrEqual(total)
    expect(progress.at(-1)).toMatchObject({ phase: 'evaluation', done: 3 * ITEMS, total: 3 * ITEMS })
  })

  it('compares with a baseline by name, and decides a gate', async () => {
    const { options } = await seed(app())
    const evaluators = ['exactMatch', isShort]
    await evaluate({ ...options, name: 'v1', task: add, evaluators })
    const gate = { metric: 'exactMatch', margin: 0.1 }
    const changed = { ...options, name: 'v2', baseline: 'v1', gate, evaluators }
    const result = await evaluate({ ...changed, task: async () => 'no idea' })
    expect(result.verdict).toBe('regressed')
    expect(result.comparison).toMatchObject({ pairs: ITEMS, summary: expect.stringContaining('exactMatch') })
    expect(result.gate).toMatchObject({ passed: false, summary: expect.any(String) })
  })

  it('puts the calls of each task below a trace of its item, with the attributes of both', async () => {
    const { client, options } = await seed(app())
    const lookUp = observe(async (question: string) => `found ${question}`, { name: 'look up' })
    const result = await evaluate({
      ...options,
      task: async function answer(item) {
        await setImmediate()
        return lookUp(item.input ?? '')
      },
    })
    for (const { traceDbId, item } of result.cases.slice(0, 3)) {
      const stored = await client.traces.get(traceDbId)
      expect(stored).toMatchObject({ name: 'answer', componentName: 'Adder', input: item.input })
      expect(stored.output).toBe(`found ${item.input}`)
      expect(stored.spans.map(({ name }) => name).sort()).toEqual(['answer', 'look up'])
    }
    // Nothing is left behind in a program that was not traced before.
    expect(trace.getTracer('any').startSpan('x').isRecording()).toBe(false)
    expect(context.active()).toBeDefined()
  })

  it('records an error of a task or a scorer as a failed case, and continues', async () => {
    const { options } = await seed(app())
    const result = await evaluate({
      ...options,
      task: (item) => {
        if (item.input === '3 + 1') throw new RangeError('no threes')
        return add(item)
      },
      evaluators: [
        'exactMatch',
        function picky({ input }: EvaluatedCase<string>) {
          if (input === '4 + 1') throw new Error('no fours')
          return input === '5 + 1' ? 7 : 1
        },
      ],
    })
    expect(result.evaluation.status).toBe('completed')
    const caseOf = (input: string) => result.cases.find((one) => one.input === input)
    expect(caseOf('3 + 1')).toMatchObject({
      error: 'no threes',
      output: undefined,
      scores: { picky: { state: 'failed', error: 'The task failed: no threes' } },
    })
    expect(caseOf('4 + 1')?.scores['picky']).toMatchObject({ state: 'failed', error: 'no fours' })
    expect(caseOf('5 + 1')?.scores['picky']).toMatchObject({ state: 'failed', error: expect.stringContaining('7') })
    expect(caseOf('6 + 1')?.scores['picky']).toMatchObject({ state: 'scored', score: 1 })
  })

  it('continues an interrupted run with the items that have no trace, and scores all of them', async () => {
    const { options } = await seed(app())
    const controller = new AbortController()
    let runId = ''
    const asked: (string | null)[] = []
    const task = (item: { input: string | null }) => {
      asked.push(item.input)
      if (asked.length === 5) controller.abort(new Error('the power went out'))
      return { sum: add(item) }
    }
    const onProgress = (one: Progress) => {
      runId = one.runId
    }
    const first = evaluate({ ...options, task, onProgress, concurrency: 1, signal: controller.signal })
    await expect(first).rejects.toThrow('the power went out')
    expect(asked).toHaveLength(5)
    const evaluators = [
      function right({ output, expected }: EvaluatedCase<{ sum: string }>) {
        return output?.sum === expected
      },
    ]
    const result = await evaluate({ ...options, task, resume: runId, evaluators })
    expect(new Set(asked).size).toBe(ITEMS)
    expect(asked).toHaveLength(ITEMS)
    expect(result.run).toMatchObject({ id: runId, traceCount: ITEMS })
    expect(result.cases.map(({ scores }) => scores['right']?.passed)).toEqual(Array(ITEMS).fill(true))
  })

  it('polls the state of the evaluation if events cannot be read', { tags: 'deep' }, async () => {
    const withoutEvents: typeof fetch = async (input, init) => {
      if (String(input).endsWith('/events')) throw new TypeError('fetch failed')
      return fetch(input, init)
    }
    const { options } = await seed(app(), withoutEvents)
    const result = await evaluate({ ...options, task: add, evaluators: [isShort] })
    expect(result.evaluation.status).toBe('completed')
  })

  it('rejects invalid options before it runs a task', async () => {
    const { client, component, options } = await seed(app())
    let calls = 0
    const all = { ...options, task: () => calls++ }
    await expect(evaluate({ ...all, component: 'Nothing' })).rejects.toThrow('There is no component named "Nothing".')
    await expect(evaluate({ ...all, dataset: 'None' })).rejects.toThrow('There is no dataset named "None".')
    await expect(evaluate({ ...all, baseline: 'v0' })).rejects.toThrow('The dataset has no run named "v0".')
    await expect(evaluate({ ...all, gate: { metric: 'x' } })).rejects.toThrow('A gate needs a baseline.')
    await expect(evaluate({ ...all, evaluators: [() => 1] })).rejects.toThrow('A scorer needs a name')
    await expect(evaluate({ ...all, evaluators: ['f1', { type: 'f1' }] })).rejects.toThrow('have the name "f1"')
    await expect(evaluate({ ...all, split: 'test' })).rejects.toThrow('has no items in test')
    await expect(evaluate({ ...all, evaluators: ['noSuch'] })).rejects.toThrow(/noSuch/)
    await evaluate({ ...options, name: 'v1', task: () => 'x' })
    const gate = { metric: 'exactMatch', margin: -1 }
    await expect(evaluate({ ...all, evaluators: ['exactMatch'], baseline: 'v1', gate })).rejects.toThrow(/margin/)
    await expect(evaluate({ ...all, concurrency: 0 })).rejects.toThrow('concurrency must be')
    const other = await client.datasets.create(component, { name: 'Other' })
    const run = await client.runs.create(component, { datasetId: other.id })
    await expect(evaluate({ ...all, resume: run.id })).rejects.toThrow('belongs to another dataset')
    expect(calls).toBe(0)
    expect(await client.runs.list(component).toArray()).toHaveLength(2)
  })

  it('reports an evaluation that fails, with its page', async () => {
    const { options } = await seed(app())
    const failed = evaluate({ ...options, task: () => undefined, evaluators: ['exactMatch'] })
    await expect(failed).rejects.toThrow(/The evaluation failed: .*\/a\/.*\/evaluations\//)
  })

  it('works next to another provider, which gets the spans of the program', async () => {
    const { client, options } = await seed(app())
    const exporter = new InMemorySpanExporter()
    const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
    trace.setGlobalTracerProvider(provider)
    try {
      const inside = observe(() => 'x', { name: 'of the program' })
      const result = await evaluate({ ...options, task: inside, evaluators: ['exactMatch'] })
      expect(result.cases).toHaveLength(ITEMS)
      expect((await client.traces.get(String(result.cases[0]?.traceDbId))).spans).toHaveLength(1)
      expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual(Array(ITEMS).fill('of the program'))
      expect(trace.getTracer('any').startSpan('still there').isRecording()).toBe(true)
    } finally {
      trace.disable()
    }
  })
})
