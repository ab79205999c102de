import { expect, it } from 'vitest'
import { type CaseAnalysis, openCaseAnalysis, readTraces } from '../../src/evaluations/runner/read-case-traces.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { type SpanSketch, sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'

const START_MS = Date.UTC(2026, 10, 15, 9, 30)

type Sketch = Partial<SpanSketch> & { attributes: Record<string, unknown> }

type Root = { output?: string; status?: 'ok' | 'error'; durationMs?: number }

function traceOf(number: number, { output = 'There.', status = 'ok', durationMs = 100 }: Root, spans: Sketch[]) {
  const traceId = traceIdOf(number)
  const spanId = (place: number) => spanIdOf(number * 1_000 + place)
  const attributes = { 'input.value': 'Where?', ...(output === '' ? {} : { 'output.value': output }) }
  const root: SpanSketch = {
    traceId,
    spanId: spanId(0),
    start: START_MS,
    end: START_MS + durationMs,
    status,
    attributes,
  }
  const below = spans.map((span, place) => ({
    traceId,
    spanId: spanId(place + 1),
    parentSpanId: spanId(0),
    start: START_MS + place,
    end: START_MS + place,
    ...span,
  }))
  return [root, ...below]
}

function tool(name: string, given: string, sketch: Partial<SpanSketch> = {}): Sketch {
  return {
    ...sketch,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.call.arguments': given,
    },
  }
}

function chat(question: string, attributes: Record<string, unknown> = {}, sketch: Partial<SpanSketch> = {}): Sketch {
  const messages = JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: question }] }])
  return {
    name: 'chat',
    ...sketch,
    attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.input.messages': messages, ...attributes },
  }
}

const used = (tokens: number, costUsd: number) => ({
  'gen_ai.usage.input_tokens': tokens,
  'gen_ai.usage.output_tokens': 0,
  'gen_ai.usage.cost': costUsd,
})

describeEachEngine('the analysis of stored traces', (app) => {
  const open = (workspaceId: string) => openCaseAnalysis(app().storage.read, workspaceId)

  async function show(analysis: CaseAnalysis, workspaceId: string, refs: string[], ratings = new Map()) {
    const traces = readTraces(app().storage.read, workspaceId, refs, { steps: false, facts: true })
    for await (const read of traces) analysis.add(read, ratings)
  }

  async function analyse(workspaceId: string, refs: string[], ratings: Record<string, string[]> = {}) {
    const analysis = await open(workspaceId)
    await show(analysis, workspaceId, refs, new Map(Object.entries(ratings)))
    return analysis.finish()
  }

  it('finds every type of insight in traces that have them', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const tools = JSON.stringify([{ name: 'search' }, { name: 'book' }])
    const plain = (number: number) =>
      traceOf(number, { durationMs: 100 + (number % 5) }, [
        chat(`question ${number}`, { ...used(10, 0.01), 'gen_ai.tool.definitions': tools }),
        tool('search', '{"to":"Rome"}'),
      ])
    for (let number = 1; number <= 20; number += 1) await sendSpans(client, plain(number))
    const failing = tool('search', '{}', { status: 'error', statusMessage: 'no such city' })
    const loop = ['{"a":1,"b":2}', '{ "b": 2, "a": 1 }', '{"a":1,"b":2}'].map((given) => tool('search', given))
    const json = (number: number, output: object) => traceOf(number, { output: JSON.stringify(output) }, [])
    const again = chat('same', used(50, 0))
    await sendSpans(client, [
      ...traceOf(30, { status: 'error' }, [failing, failing, failing, failing, failing]),
      ...traceOf(31, { durationMs: 60_000 }, loop),
      ...traceOf(32, { output: '' }, [chat('lost', used(9, 0), { status: 'error' }), again, again]),
      ...traceOf(33, {}, [
        chat('long', { ...used(1, 5), 'gen_ai.response.finish_reasons': ['length'] }, { name: 'write' }),
      ]),
      ...traceOf(34, { status: 'error' }, []),
      ...json(40, { city: 'Rome' }),
      ...json(41, { city: 'Rome' }),
      ...json(42, { city: 'Rome' }),
      ...json(43, { city: 'Rome' }),
      ...json(44, { town: 'Rome' }),
    ])
    const refs = [...Array.from({ length: 20 }, (_, place) => place + 1), 30, 31, 32, 33, 34, 40, 41, 42, 43, 44].map(
      traceIdOf,
    )
    const { insights, meta } = await analyse(workspaceId, [...refs, 'not yet'], { [traceIdOf(34)]: ['negative'] })
    expect(Object.fromEntries(insights.map(({ type, title }) => [type, title]))).toEqual({
      error_rate: '2 of 30 traces (6.7 %) failed',
      negative_feedback: '1 of 1 rated trace (100 %) got a negative rating',
      tool_error: 'search failed in 5 of 28 calls (18 %)',
      tool_loop: 'search was called at least 3 times with equal arguments in 2 of 30 traces (6.7 %)',
      empty_output: '1 of 28 traces (3.6 %) have no output',
      truncated_output: 'write was cut off in 1 of 1 call (100 %)',
      schema_drift: '1 of 5 answers (20 %) in JSON do not have the most common keys',
      token_waste: '59 of 310 tokens (19 %) were wasted',
      redundant_call: 'chat was repeated with the same input in 1 of 30 traces (3.3 %)',
      latency_outlier: expect.stringMatching(/^1 of 30 traces/),
      cost_hotspot: 'write is 96 % of the cost',
      unused_tool: 'book was offered in 20 of 30 traces (67 %) and never called',
    })
    const [slow] = await client.list('/traces?q=latency:>50s')
    expect(insights.find(({ type }) => type === 'latency_outlier')?.affectedRunIds).toEqual([slow?.id])
    expect(insights.find(({ type }) => type === 'tool_error')?.details.messages).toEqual([
      { message: 'no such city', count: 5 },
    ])
    expect(meta).toMatchObject({ totalRuns: 30, totalTokens: 310, totalCostUsd: 5.2, errorRate: 2 / 30 })
  })

  it('takes a call for another one when its model, its settings or its question is another', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const settings = [
      { 'gen_ai.request.temperature': 0 },
      { 'gen_ai.request.temperature': 1 },
      { 'gen_ai.request.model': 'm' },
    ]
    await sendSpans(client, traceOf(1, {}, [...settings.map((attributes) => chat('same', attributes)), chat('other')]))
    expect((await analyse(workspaceId, [traceIdOf(1)])).insights).toEqual([])
    await sendSpans(
      client,
      traceOf(
        2,
        {},
        [...settings, ...settings].map((attributes) => chat('same', attributes)),
      ),
    )
    expect((await analyse(workspaceId, [traceIdOf(2)])).insights).toMatchObject([
      { type: 'redundant_call', details: { repeats: 3 } },
    ])
  })

  it('counts tokens and costs once, if an agent reports the sum of its calls', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const agentId = spanIdOf(1_001)
    await sendSpans(
      client,
      traceOf(1, {}, [
        {
          name: 'agent',
          attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'agent', ...used(110, 1) },
        },
        chat('a', used(100, 0.9), { parentSpanId: agentId, status: 'error' }),
        chat('b', used(10, 0.1), { parentSpanId: agentId, name: 'other' }),
      ]),
    )
    const { insights, meta } = await analyse(workspaceId, [traceIdOf(1)])
    expect(meta).toMatchObject({ totalTokens: 110, totalCostUsd: 1 })
    expect(insights.find(({ type }) => type === 'token_waste')?.details).toMatchObject({
      wastedTokens: 100,
      totalTokens: 110,
    })
    expect(insights.find(({ type }) => type === 'cost_hotspot')?.details).toMatchObject({
      step: 'chat',
      costShare: 0.9,
    })
  })

  it('counts the tool calls of a model if no span reports them', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const call = (place: number) => ({
      role: 'assistant',
      parts: [{ type: 'tool_call', id: `c${place}`, name: 'search', arguments: { to: 'Rome' } }],
    })
    const calls = [1, 2, 3].map((place) => {
      return chat(`q${place}`, {
        'gen_ai.output.messages': JSON.stringify([call(place)]),
        'gen_ai.tool.definitions': '[{"name":"search"}]',
      })
    })
    await sendSpans(client, traceOf(1, {}, calls))
    const { insights } = await analyse(workspaceId, [traceIdOf(1)])
    expect(insights.map(({ type, details }) => [type, details.tool])).toEqual([['tool_loop', 'search']])
  })

  it('adds a trace once, for any number of references, and pages give the result of one page', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const numbers = Array.from({ length: 30 }, (_, place) => place + 1)
    for (const number of numbers) {
      await sendSpans(client, traceOf(number, {}, [tool('search', '{}', number < 6 ? { status: 'error' } : {})]))
    }
    const refs = numbers.map(traceIdOf)
    const [first] = await client.list('/traces')
    const whole = await analyse(workspaceId, [...refs, String(first?.id), ...refs.map((ref) => ref.toUpperCase())])
    expect(whole.meta.totalRuns).toBe(30)
    const paged = await open(workspaceId)
    for (const page of [refs.slice(20), refs.slice(0, 20)]) {
      await show(paged, workspaceId, page)
    }
    expect(paged.finish()).toEqual(whole)
    expect(whole.insights).toMatchObject([{ title: 'search failed in 5 of 30 calls (17 %)' }])
  })
})
