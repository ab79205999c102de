// @module-tag sql
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { otlpRequest, type SpanSketch, sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import type { SeededWorkspace } from '../harness/test-app.ts'

const llm = (usage: Record<string, unknown> = {}) => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.response.model': 'gpt-4o',
  ...usage,
})

const used = (input: number, output: number) => ({
  'gen_ai.usage.input_tokens': input,
  'gen_ai.usage.output_tokens': output,
})

async function traceOf({ client }: SeededWorkspace, traceId: string) {
  const { status, body } = await client.get(`/traces/${traceId}`)
  expect(status).toBe(200)
  return body
}

describeEachEngine('traces sent by OTLP', (app) => {
  it('are visible to every read as soon as they are acknowledged', async () => {
    const workspace = await app().newWorkspace()
    const traceId = traceIdOf(1)
    await sendSpans(workspace.client, [
      {
        traceId,
        spanId: spanIdOf(1),
        name: 'answer',
        attributes: { 'input.value': 'Where is it?', 'output.value': 'Here' },
      },
      {
        traceId,
        spanId: spanIdOf(2),
        parentSpanId: spanIdOf(1),
        name: 'chat gpt-4o',
        attributes: llm(used(1000, 100)),
      },
    ])
    const trace = await traceOf(workspace, traceId)
    expect(trace).toMatchObject({ traceId, name: 'answer', input: 'Where is it?', output: 'Here', totalTokens: 1100 })
    expect(trace.totalCostUsd).toBeCloseTo(0.0035, 10)
    const [listed] = await workspace.client.list('/traces')
    expect(listed).toMatchObject({ id: trace.id, traceId, name: 'answer', totalTokens: 1100 })
    expect(await traceOf(workspace, String(trace.id))).toEqual(trace)
    expect((await workspace.client.get('/traces?q=Where')).body).toMatchObject({ total: 1 })
    expect((await workspace.client.get('/traces?q=Nowhere')).body).toMatchObject({ total: 0, data: [], traces: [] })
    expect((await workspace.client.get('/traces/stats')).body).toMatchObject({ totalTraces: 1, totalTokens: 1100 })
  })

  it('stay as they are when the same batch is sent again', async () => {
    const workspace = await app().newWorkspace()
    const traceId = traceIdOf(2)
    const spans: SpanSketch[] = [
      { traceId, spanId: spanIdOf(1), name: 'agent', attributes: llm(used(30, 3)) },
      { traceId, spanId: spanIdOf(2), parentSpanId: spanIdOf(1), attributes: llm(used(10, 1)) },
      { traceId, spanId: spanIdOf(3), parentSpanId: spanIdOf(1), attributes: llm(used(20, 2)) },
    ]
    await sendSpans(workspace.client, spans)
    const first = await traceOf(workspace, traceId)
    const stats = (await workspace.client.get('/traces/stats')).body
    await sendSpans(workspace.client, spans)
    await sendSpans(workspace.client, spans.slice(1))
    expect(await traceOf(workspace, traceId)).toEqual(first)
    expect((await workspace.client.get('/traces/stats')).body).toEqual(stats)
    expect((await workspace.client.get('/traces')).body.total).toBe(1)
  })

  it('count tokens once, though agents repeat what the calls below them used', async () => {
    const workspace = await app().newWorkspace()
    const traceId = traceIdOf(3)
    await sendSpans(workspace.client, [
      { traceId, spanId: spanIdOf(1), name: 'invoke_agent', attributes: llm(used(300, 30)) },
      { traceId, spanId: spanIdOf(2), parentSpanId: spanIdOf(1), name: 'agent_step', attributes: llm(used(100, 10)) },
      { traceId, spanId: spanIdOf(3), parentSpanId: spanIdOf(2), name: 'http', attributes: {} },
      { traceId, spanId: spanIdOf(4), parentSpanId: spanIdOf(3), name: 'chat', attributes: llm(used(100, 10)) },
      { traceId, spanId: spanIdOf(5), parentSpanId: spanIdOf(1), name: 'agent_step', attributes: llm(used(200, 20)) },
      { traceId, spanId: spanIdOf(6), parentSpanId: spanIdOf(5), name: 'chat', attributes: llm(used(200, 20)) },
    ])
    expect((await traceOf(workspace, traceId)).totalTokens).toBe(330)
  })

  it('take their name, content and status from the root, even if it arrives late', async () => {
    const workspace = await app().newWorkspace()
    const traceId = traceIdOf(4)
    await sendSpans(workspace.client, [
      {
        traceId,
        spanId: spanIdOf(3),
        parentSpanId: spanIdOf(2),
        name: 'late child',
        start: 5_000,
        attributes: { 'session.id': 'child' },
      },
    ])
    expect(await traceOf(workspace, traceId)).toMatchObject({ name: 'late child', sessionId: 'child' })
    await sendSpans(workspace.client, [
      {
        traceId,
        spanId: spanIdOf(1),
        name: 'root',
        start: 1_000,
        end: 9_000,
        status: 'error',
        attributes: { 'input.value': 'in', 'session.id': 'root' },
      },
    ])
    expect(await traceOf(workspace, traceId)).toMatchObject({
      name: 'root',
      status: 'error',
      input: 'in',
      sessionId: 'root',
      startTime: '1970-01-01T00:00:01.000Z',
      durationMs: 8_000,
    })
    expect((await workspace.client.get('/traces?session_id=child')).body.total).toBe(0)
    expect((await workspace.client.get('/traces?session_id=root')).body.total).toBe(1)
    expect((await workspace.client.get('/traces?status=error')).body.total).toBe(1)
    expect((await workspace.client.get('/traces?status=ok')).body.total).toBe(0)
  })

  it('fall back to the first input and the last output if the root has none', async () => {
    const workspace = await app().newWorkspace()
    const traceId = traceIdOf(5)
    const messages = (text: string, role: string) =>
      JSON.stringify([{ role, parts: [{ type: 'text', content: text }] }])
    const call = (number: number, start: number) => ({
      traceId,
      spanId: spanIdOf(number),
      parentSpanId: spanIdOf(1),
      start,
      attributes: llm({
        'gen_ai.input.messages': messages(`question ${number}`, 'user'),
        'gen_ai.output.messages': messages(`answer ${number}`, 'assistant'),
      }),
    })
    await sendSpans(workspace.client, [call(3, 2_000), { traceId, spanId: spanIdOf(1), start: 500 }, call(2, 1_000)])
    expect(await traceOf(workspace, traceId)).toMatchObject({ input: 'question 2', output: 'answer 3' })
  })

  it('are linked to their component, dataset and run, which are created when missing', async () => {
    const workspace = await app().newWorkspace()
    const { client } = workspace
    const componentId = await client.create('/components', { name: 'Support Answers' })
    const named = (run: string) => ({
      'touchstone.component': 'support answers',
      'promptic.dataset': 'Hard',
      'touchstone.run': run,
    })
    const ask = (number: number, run: string, input: string) => ({
      traceId: traceIdOf(number),
      spanId: spanIdOf(number),
      attributes: { ...named(run), 'input.value': input, 'output.value': `answer of ${run}` },
    })
    await sendSpans(client, [ask(11, 'v1', 'one'), ask(12, 'v1', 'two')])
    await sendSpans(client, [ask(13, 'v2', 'one'), ask(14, 'v2', 'three')])
    await sendSpans(client, [ask(13, 'v2', 'one')])
    const datasets = await client.list(`/components/${componentId}/datasets`)
    expect(datasets).toMatchObject([{ name: 'Hard', itemCount: 3 }])
    expect(await client.list(`/components/${componentId}/runs`)).toMatchObject([
      { name: 'v2', traceCount: 2, datasetId: datasets[0]?.id },
      { name: 'v1', traceCount: 2, datasetId: datasets[0]?.id },
    ])
    const items = await client.list(`/components/${componentId}/datasets/${datasets[0]?.id}/items`)
    expect(items.map(({ input }) => input).sort()).toEqual(['one', 'three', 'two'])
    expect(await client.list(`/traces?component_id=${componentId}`)).toHaveLength(4)
  })

  it('are linked to the run whose id they name, also if another one has the same name, and to none of others', async () => {
    const { client } = await app().newWorkspace()
    const componentId = await client.create('/components', { name: 'C' })
    const datasetId = await client.create(`/components/${componentId}/datasets`, { name: 'D' })
    const itemPath = `/components/${componentId}/datasets/${datasetId}/items`
    await client.post(itemPath, [{ input: 'same' }, { input: 'same' }])
    const [first = '', second = ''] = (await client.list(itemPath)).map(({ id }) => String(id))
    const runs = `/components/${componentId}/runs`
    const older = await client.create(runs, { datasetId, name: 'v1' })
    const newer = await client.create(runs, { datasetId, name: 'v1' })
    const other = await app().newWorkspace()
    const otherComponent = await other.client.create('/components', { name: 'C' })
    const span = (number: number, itemId: string | undefined) => ({
      traceId: traceIdOf(number),
      spanId: spanIdOf(1),
      attributes: {
        'touchstone.component': 'C',
        'touchstone.run': newer.toUpperCase(),
        'touchstone.item.id': itemId,
        'touchstone.input': 'same',
      },
    })
    await sendSpans(client, [span(61, first), span(62, second)])
    await sendSpans(other.client, [span(63, undefined)])
    const linked = await client.list(`${runs}/${newer}/traces`)
    expect(linked.map(({ itemId }) => itemId).sort()).toEqual([first, second].sort())
    expect(await client.list(`${runs}/${older}/traces`)).toEqual([])
    // An id of another application is a name like any other.
    expect(await other.client.list(`/components/${otherComponent}/runs`)).toMatchObject([{ name: newer.toUpperCase() }])
  })

  it('are not linked to a missing component, and the sender gets a message', async () => {
    const { client } = await app().newWorkspace()
    const attributes = { 'touchstone.component': 'missing', 'touchstone.dataset': 'D' }
    const answer = await client.post(
      '/v1/traces',
      otlpRequest([{ traceId: traceIdOf(21), spanId: spanIdOf(1), attributes }]),
    )
    expect(answer.body.partialSuccess).toEqual({
      rejectedSpans: '0',
      errorMessage: 'There is no component "missing"; its traces were stored without one',
    })
    expect(await client.list('/traces')).toMatchObject([{ aiComponentId: null, componentName: null }])
    expect(await client.list('/components')).toEqual([])
  })

  it('that name a missing dataset are rejected, and only they', async () => {
    const { client } = await app().newWorkspace()
    const componentId = await client.create('/components', { name: 'C' })
    const datasetId = await client.create(`/components/${componentId}/datasets`, { name: 'D' })
    const other = await app().newWorkspace()
    const foreignComponent = await other.client.create('/components', { name: 'C' })
    const foreign = await other.client.create(`/components/${foreignComponent}/datasets`, { name: 'D' })
    const naming = (number: number, id: string) => ({
      traceId: traceIdOf(number),
      spanId: spanIdOf(1),
      attributes: { 'touchstone.dataset.id': id },
    })
    const request = otlpRequest([naming(31, datasetId.toUpperCase()), naming(32, foreign), naming(33, 'nonsense')])
    const answer = await client.post('/v1/traces', request)
    expect(answer.status).toBe(200)
    expect(answer.body.partialSuccess).toMatchObject({ rejectedSpans: '2' })
    expect(await client.list('/traces')).toMatchObject([{ traceId: traceIdOf(31), aiComponentId: componentId }])
    expect(await client.list(`/components/${componentId}/datasets`)).toMatchObject([{ itemCount: 1 }])
  })

  it('fill in the items and runs that named them before they arrived', async () => {
    const { client } = await app().newWorkspace()
    const componentId = await client.create('/components', { name: 'C' })
    const traceId = traceIdOf(41)
    const path = `/components/${componentId}`
    const datasetId = await client.create(`${path}/datasets`, { name: 'D', traceIds: [traceId.toUpperCase(), 'never'] })
    const runId = await client.create(`${path}/runs`, { datasetId, traceIds: [traceId] })
    expect(await client.list(`${path}/datasets/${datasetId}/items`)).toMatchObject([{ input: null }, { input: null }])
    await sendSpans(client, [
      { traceId, spanId: spanIdOf(2), parentSpanId: spanIdOf(1), attributes: llm({ 'gen_ai.input.messages': '[]' }) },
    ])
    await sendSpans(client, [
      { traceId, spanId: spanIdOf(1), attributes: { 'input.value': 'asked', 'output.value': 'answered' } },
    ])
    const items = await client.list(`${path}/datasets/${datasetId}/items`)
    const [trace] = await client.list('/traces')
    expect(items.find((item) => item.traceId === traceId)).toMatchObject({
      input: 'asked',
      output: 'answered',
      traceDbId: trace?.id,
    })
    expect(await client.list(`${path}/runs/${runId}/traces`)).toMatchObject([{ id: trace?.id, traceId }])
    expect((await client.get(`${path}/datasets/${datasetId}`)).body.itemCount).toBe(2)
  })

  it('keep attribute keys such as __proto__ as data', async () => {
    const workspace = await app().newWorkspace()
    const traceId = traceIdOf(51)
    const request = JSON.stringify(
      otlpRequest([{ traceId, spanId: spanIdOf(1), attributes: { KEY: 'data', 'constructor.prototype.x': 'y' } }]),
    )
    const answer = await workspace.client.send('POST', '/v1/traces', { body: request.replace('"KEY"', '"__proto__"') })
    expect(answer).toMatchObject({ status: 200, text: '{}' })
    const { text } = await workspace.client.get(`/traces/${traceId}`)
    expect(text).toContain('"__proto__":"data"')
    expect(text).toContain('"constructor.prototype.x":"y"')
    expect(Reflect.get({}, 'x')).toBeUndefined()
  })

  it('count each trace once when two servers receive its spans at the same moment', async () => {
    const workspace = await app().newWorkspace()
    const traceId = traceIdOf(61)
    const batches = Array.from({ length: 12 }, (_, number) => [
      { traceId, spanId: spanIdOf(number + 2), parentSpanId: spanIdOf(1), attributes: llm(used(10, 1)) },
    ])
    const root = [{ traceId, spanId: spanIdOf(1), name: 'root', attributes: llm(used(120, 12)) }]
    await Promise.all([...batches, root, ...batches].map((spans) => sendSpans(workspace.client, spans)))
    expect(await traceOf(workspace, traceId)).toMatchObject({ totalTokens: 132, name: 'root' })
    expect((await workspace.client.get('/traces/stats')).body).toMatchObject({ totalTraces: 1, totalTokens: 132 })
  })

  it('are in no response once deleted, and may be sent again as new ones', async () => {
    const workspace = await app().newWorkspace()
    const { client } = workspace
    const traceId = traceIdOf(71)
    const span = {
      traceId,
      spanId: spanIdOf(1),
      name: 'gone',
      attributes: { ...llm(used(1, 1)), 'input.value': 'searched for' },
    }
    await sendSpans(client, [span])
    const { id } = await traceOf(workspace, traceId)
    expect((await client.delete(`/traces/${traceId}`)).status).toBe(204)
    expect((await client.get(`/traces/${id}`)).status).toBe(404)
    expect((await client.delete(`/traces/${id}`)).status).toBe(404)
    expect((await client.get('/traces')).body).toEqual({ data: [], total: 0, traces: [] })
    expect((await client.get('/traces?q=searched')).body.total).toBe(0)
    expect((await client.get('/traces/stats')).body).toMatchObject({ totalTraces: 0, totalTokens: 0, totalCostUsd: 0 })
    await sendSpans(client, [span])
    expect((await traceOf(workspace, traceId)).id).not.toBe(id)
  })

  it('keep nanoseconds exact', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const request = JSON.stringify(otlpRequest([{ traceId: traceIdOf(81), spanId: spanIdOf(1) }]))
    const exact = request
      .replace(/"startTimeUnixNano":"\d+"/, '"startTimeUnixNano":"1763199000123456789"')
      .replace(/"endTimeUnixNano":"\d+"/, '"endTimeUnixNano":"1763199000123456790"')
    expect((await client.send('POST', '/api/v1/traces', { body: exact })).status).toBe(200)
    const { rows } = await sql<{
      start: string
    }>`select cast(start_ns as text) as start from spans where workspace_id = ${workspaceId}`.execute(
      app().storage.read,
    )
    expect(rows).toEqual([{ start: '1763199000123456789' }])
    const { body } = await client.get(`/traces/${traceIdOf(81)}`)
    expect(body).toMatchObject({ durationMs: 0, spans: [{ durationMs: 0.000001 }] })
  })
})
