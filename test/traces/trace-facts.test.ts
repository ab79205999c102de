/** The facts of a trace when its spans differ: its totals, its status, its name and its component. */
import { expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { otlpRequest, type SpanSketch, sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'

const START = Date.UTC(2026, 10, 15, 9, 30)
const MODEL = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'gpt-4o-mini',
  'gen_ai.provider.name': 'openai',
}

type Sent = { span: SpanSketch; scope?: string }

/** All orders of a few batches, each in a trace of its own; the resulting facts must be the same. */
async function inEveryOrder(client: Client, sent: Omit<SpanSketch, 'traceId'>[], scopes: string[] = []) {
  const answers: Record<string, unknown>[] = []
  for (const [number, order] of permutationsOf(sent.map((span, place) => ({ span, scope: scopes[place] }))).entries()) {
    const traceId = traceIdOf(number + 1)
    for (const { span, scope } of order) await send(client, { span: { ...span, traceId }, ...(scope && { scope }) })
    const { body } = await client.get(`/traces/${traceId}`)
    const { name, status, totalTokens, totalCostUsd, sessionId, userId, tags, componentName } = body
    answers.push({ name, status, totalTokens, totalCostUsd, sessionId, userId, tags, componentName })
  }
  for (const answer of answers) expect(answer).toEqual(answers[0])
  return answers[0]
}

async function send(client: Client, { span, scope }: Sent): Promise<void> {
  const { status, text } = await client.post('/v1/traces', otlpRequest([span], undefined, scope))
  expect([status, text]).toEqual([200, '{}'])
}

function permutationsOf<Item>(items: Item[]): Item[][] {
  if (items.length < 2) return [items]
  return items.flatMap((item, place) => permutationsOf(items.toSpliced(place, 1)).map((rest) => [item, ...rest]))
}

const span = (number: number, sketch: Partial<SpanSketch> = {}): Omit<SpanSketch, 'traceId'> => ({
  spanId: spanIdOf(number),
  start: START + number,
  end: START + 1_000,
  ...sketch,
})

const below = (number: number, sketch: Partial<SpanSketch> = {}) =>
  span(number, { parentSpanId: spanIdOf(1), ...sketch })

const call = (responseId: string, input: number, output: number) => ({
  ...MODEL,
  'gen_ai.response.id': responseId,
  'gen_ai.usage.input_tokens': input,
  'gen_ai.usage.output_tokens': output,
})

describeEachEngine('a call that two instrumentations report', (app) => {
  it('counts once when its spans are siblings', async () => {
    const { client } = await app().newWorkspace()
    const spans = [
      span(1),
      below(2, { end: START + 100, attributes: call('r', 52, 17) }),
      below(3, { end: START + 90, attributes: call('r', 52, 17) }),
    ]
    expect(await inEveryOrder(client, spans, ['app', 'instrumentation', 'provider'])).toMatchObject({
      totalTokens: 69,
      totalCostUsd: 1.8e-5,
    })
    expect((await client.get('/traces/stats')).body).toMatchObject({ totalTokens: 6 * 69 })
  })

  it('counts once when one span is below the other', async () => {
    const { client } = await app().newWorkspace()
    const spans = [
      span(1, { attributes: call('r', 52, 17) }),
      below(2, { attributes: call('r', 52, 17) }),
      below(3, { attributes: call('r', 52, 17) }),
    ]
    const answer = await inEveryOrder(client, spans, ['instrumentation', 'provider', 'another'])
    expect(answer).toMatchObject({ totalTokens: 69, totalCostUsd: 1.8e-5 })
  })

  it('counts with the reported cost, else with the one that includes the cache', async () => {
    const { client } = await app().newWorkspace()
    const plain = below(2, { attributes: call('r', 37, 11) })
    const detailed = below(3, { attributes: { ...call('r', 37, 11), 'gen_ai.usage.cache_read.input_tokens': 8 } })
    const reported = below(4, { attributes: { ...call('r', 37, 11), 'gen_ai.usage.cost': 0.5 } })
    const answer = await inEveryOrder(client, [plain, detailed], ['one', 'two'])
    expect(answer).toMatchObject({ totalTokens: 48, totalCostUsd: 1.155e-5 })
    const other = await app().newWorkspace()
    const dearer = await inEveryOrder(other.client, [plain, detailed, reported], ['one', 'two', 'three'])
    expect(dearer).toMatchObject({ totalTokens: 48, totalCostUsd: 0.5 })
  })

  it('is another call if the same id occurs again later, or if one instrumentation reports both', async () => {
    const { client } = await app().newWorkspace()
    const first = below(2, { start: START, end: START + 10, attributes: call('r', 52, 17) })
    const firstAgain = below(3, { start: START + 1, end: START + 9, attributes: call('r', 52, 17) })
    const second = below(4, { start: START + 20, end: START + 30, attributes: call('r', 37, 11) })
    const secondAgain = below(5, { start: START + 21, end: START + 29, attributes: call('r', 37, 11) })
    const scopes = ['instrumentation', 'provider', 'instrumentation', 'provider']
    const answer = await inEveryOrder(client, [first, firstAgain, second, secondAgain], scopes)
    expect(answer).toMatchObject({ totalTokens: 117 })
    const other = await app().newWorkspace()
    expect(await inEveryOrder(other.client, [first, firstAgain], ['same', 'same'])).toMatchObject({ totalTokens: 138 })
  })

  it('is not guessed without the id of a response', async () => {
    const { client } = await app().newWorkspace()
    const { 'gen_ai.response.id': _, ...attributes } = call('r', 52, 17)
    const answer = await inEveryOrder(client, [below(2, { attributes }), below(3, { attributes })], ['one', 'two'])
    expect(answer).toMatchObject({ totalTokens: 138 })
  })
})

describeEachEngine('the status of a trace', (app) => {
  const llm = (sketch: Partial<SpanSketch>) => ({ attributes: MODEL, ...sketch })
  const agent = (sketch: Partial<SpanSketch>) => ({ attributes: { 'openinference.span.kind': 'AGENT' }, ...sketch })

  it('is an error when the root is ok over an agent and a model that failed', async () => {
    const { client } = await app().newWorkspace()
    const spans = [
      span(1, { status: 'ok' }),
      below(2, agent({ status: 'error' })),
      below(3, llm({ status: 'error', end: START + 500 })),
    ]
    expect(await inEveryOrder(client, spans)).toMatchObject({ status: 'error' })
  })

  it('is an error when the only call of a model failed below a chain that is ok', async () => {
    const { client } = await app().newWorkspace()
    expect(await inEveryOrder(client, [span(1, { status: 'ok' }), below(2, llm({ status: 'error' }))])).toMatchObject({
      status: 'error',
    })
  })

  it('is an error when the agent failed after its models had answered', async () => {
    const { client } = await app().newWorkspace()
    const spans = [
      span(1, { status: 'ok' }),
      below(2, agent({ status: 'error', end: START + 900 })),
      below(3, llm({ end: START + 800 })),
    ]
    expect(await inEveryOrder(client, spans)).toMatchObject({ status: 'error' })
  })

  it('stays ok when the root is ok and a later call succeeded', async () => {
    const { client } = await app().newWorkspace()
    const spans = [
      span(1, { status: 'ok' }),
      below(2, llm({ status: 'error', end: START + 100 })),
      below(3, llm({ end: START + 500 })),
      below(4, { attributes: { 'openinference.span.kind': 'TOOL' }, status: 'error', end: START + 900 }),
    ]
    expect(await inEveryOrder(client, spans)).toMatchObject({ status: 'ok' })
  })

  it('is an error when anything failed, the root has no status and no model answered', async () => {
    const { client } = await app().newWorkspace()
    expect(await inEveryOrder(client, [span(1), below(2, { status: 'error' })])).toMatchObject({ status: 'error' })
  })

  it('is ok when the root has no status and a model answered after a tool had failed', async () => {
    const { client } = await app().newWorkspace()
    const tool = { attributes: { 'openinference.span.kind': 'TOOL' }, status: 'error', end: START + 100 } as const
    const spans = [span(1, agent({})), below(2, tool), below(3, llm({ end: START + 500 }))]
    expect(await inEveryOrder(client, spans)).toMatchObject({ status: 'ok' })
  })

  it('is an error when the root has no status and the last call of a model failed', async () => {
    const { client } = await app().newWorkspace()
    const spans = [span(1), below(2, llm({ end: START + 100 })), below(3, llm({ status: 'error', end: START + 500 }))]
    expect(await inEveryOrder(client, spans)).toMatchObject({ status: 'error' })
  })
})

describeEachEngine('attributes of a trace from several spans', (app) => {
  it('come from the root, then from the span that began first, then from the smaller id', async () => {
    const { client } = await app().newWorkspace()
    const attributesOf = (letter: string, names: string[]) =>
      Object.fromEntries(names.map((name) => [name, `${name} of ${letter}`]))
    const spans = [
      span(9, { start: START + 50, attributes: attributesOf('root', ['session.id']) }),
      below(4, { start: START + 2, attributes: attributesOf('first', ['session.id', 'user.id']) }),
      below(3, { start: START + 3, attributes: attributesOf('b', ['session.id', 'user.id', 'langfuse.trace.name']) }),
      below(5, { start: START + 3, attributes: attributesOf('c', ['session.id', 'user.id', 'langfuse.trace.name']) }),
    ]
    expect(await inEveryOrder(client, spans)).toMatchObject({
      sessionId: 'session.id of root',
      userId: 'user.id of first',
      name: 'langfuse.trace.name of b',
    })
  })

  it('include the same hundred tags, in order, if more were sent', async () => {
    const { client } = await app().newWorkspace()
    const tags = (from: number) => Array.from({ length: 80 }, (_, place) => `t${String(from + place).padStart(3, '0')}`)
    const spans = [
      span(1, { attributes: { 'touchstone.tags': tags(80) } }),
      below(2, { attributes: { 'touchstone.tags': tags(0) } }),
    ]
    const answer = await inEveryOrder(client, spans)
    expect(answer?.tags).toEqual([...tags(0), ...tags(80)].slice(0, 100))
  })

  it('have the component of the root, even if other spans name another', async () => {
    const { client } = await app().newWorkspace()
    for (const name of ['Of root', 'Of child']) await client.create('/components', { name })
    const spans = [
      span(1, { attributes: { 'touchstone.component': 'Of root' } }),
      below(2, { attributes: { 'touchstone.component': 'Of child' } }),
    ]
    expect(await inEveryOrder(client, spans)).toMatchObject({ componentName: 'Of root' })
  })

  it('does not take a trace away from the component that it was sent to', async () => {
    const { client } = await app().newWorkspace()
    const componentId = await client.create('/components', { name: 'Sent to' })
    await client.create('/components', { name: 'Other' })
    const traceId = traceIdOf(1)
    await client.post(`/components/${componentId}/traces`, { traceId, name: 'native' })
    await sendSpans(client, [
      { traceId, spanId: spanIdOf(1), start: 1, attributes: { 'touchstone.component': 'Other' } },
    ])
    expect((await client.get(`/traces/${traceId}`)).body.componentName).toBe('Sent to')
  })
})
