// @module-tag sql
/** Events as log records: joined to their span in any order of arrival, once, and never to a span of another workspace. */
import { expect, it } from 'vitest'
import { timestamp } from '../../src/base/clock.ts'
import { deleteOldPendingEvents } from '../../src/ingestion/pending-events.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { deleteExcessPending, insertPendingEvents } from '../../src/traces/storing/pending-event-queries.ts'
import { DAY } from '../conformance/movable-clock.ts'
import { browserWith } from '../conformance/team.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import {
  type LogSketch,
  otlpLogs,
  type SpanSketch,
  sendLogs,
  sendSpans,
  spanIdOf,
  traceIdOf,
} from '../harness/otlp-json.ts'
import { countRows, waitForJobs } from '../isolation/workspace-rows.ts'
import { countRollups, readRollups } from './stored-traces.ts'

const START_MS = Date.now() - 60_000

function callOf(number: number, changed: Partial<SpanSketch> = {}): SpanSketch {
  return {
    traceId: traceIdOf(number),
    spanId: spanIdOf(1),
    name: 'chat gpt-4o-mini',
    start: START_MS,
    attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-4o-mini' },
    ...changed,
  }
}

const conversation = [
  { name: 'gen_ai.system.message', body: { content: 'Answer shortly.' } },
  { name: 'gen_ai.user.message', body: { content: 'How warm is it in Zürich?' } },
  { name: 'gen_ai.choice', body: { index: 0, finish_reason: 'stop', message: { content: 'It is 21 degrees.' } } },
]

/** All at one moment, as senders whose clock counts milliseconds send them. */
function logsOf(number: number): LogSketch[] {
  return conversation.map(({ name, body }) => ({
    traceId: traceIdOf(number),
    spanId: spanIdOf(1),
    name,
    time: START_MS + 5,
    attributes: { 'gen_ai.system': 'openai' },
    body,
  }))
}

function withEvents(span: SpanSketch): SpanSketch {
  const events = conversation.map(({ name, body }) => {
    return { name, time: START_MS + 5, attributes: { 'gen_ai.system': 'openai', ...body } }
  })
  return { ...span, events }
}

describeEachEngine('GenAI events in log records', (app) => {
  async function pendingCount(workspaceId: string): Promise<number> {
    const { storage } = app()
    const rows = await storage.read
      .selectFrom('pending_span_events')
      .select('hash')
      .where('workspace_id', '=', workspaceId)
      .execute()
    return rows.length
  }

  it('give the same span and trace as events of the span, before it, after it, in pieces or twice', async () => {
    const together = await app().newWorkspace()
    await sendSpans(together.client, [withEvents(callOf(1))])
    const expected = await seen(app().storage, together)
    expect(expected.trace).toMatchObject({
      input: expect.stringContaining('Zürich'),
      output: expect.stringContaining('21'),
    })

    const span = () => [callOf(1)]
    const logs = logsOf(1)
    const orders: ((client: Client) => Promise<void>)[] = [
      async (client) => {
        await sendLogs(client, logs)
        await sendSpans(client, span())
      },
      async (client) => {
        await sendSpans(client, span())
        await sendLogs(client, logs)
      },
      async (client) => {
        await sendLogs(client, logs.slice(0, 1))
        await sendSpans(client, span())
        await sendLogs(client, logs.slice(1, 2))
        await sendLogs(client, logs.slice(2))
      },
      async (client) => {
        await sendLogs(client, logs)
        await sendLogs(client, logs)
        await sendSpans(client, span())
        await sendLogs(client, logs)
        await sendSpans(client, span())
        await sendLogs(client, logs)
      },
    ]
    for (const send of orders) {
      const workspace = await app().newWorkspace()
      await send(workspace.client)
      expect(await seen(app().storage, workspace)).toEqual(expected)
      expect(await pendingCount(workspace.workspaceId)).toBe(0)
    }
  })

  it('are recognized by the attribute event.name, too, and a body of text becomes the attribute body', async () => {
    const { client } = await app().newWorkspace()
    await sendSpans(client, [callOf(2)])
    const attributes = { 'event.name': 'gen_ai.evaluation.result', 'gen_ai.evaluation.score.value': 0.5 }
    await sendLogs(client, [
      { traceId: traceIdOf(2), spanId: spanIdOf(1), attributes, body: 'half right', time: START_MS },
    ])
    const { body } = await client.get(`/traces/${traceIdOf(2)}`)
    expect(body).toMatchObject({
      spans: [
        {
          events: [
            {
              name: 'gen_ai.evaluation.result',
              body: { 'gen_ai.evaluation.score.value': 0.5, body: 'half right' },
            },
          ],
        },
      ],
    })
  })

  it('may have their fields as JSON in the body, which stays readable', async () => {
    const { client } = await app().newWorkspace()
    await sendSpans(client, [callOf(3)])
    const said = [
      ['gen_ai.system.message', { role: 'system', content: 'Be brief.' }],
      ['gen_ai.user.message', { role: 'user', content: 'Hi?' }],
      ['gen_ai.choice', { message: { role: 'assistant', content: 'Ho!' }, finish_reason: 'stop' }],
    ] as const
    await sendLogs(
      client,
      said.map(([name, fields], place) => ({
        traceId: traceIdOf(3),
        spanId: spanIdOf(1),
        attributes: { 'event.name': name, 'code.file.path': '/app/main.py' },
        body: JSON.stringify(fields),
        time: START_MS + place,
      })),
    )
    const { body } = await client.get(`/traces/${traceIdOf(3)}`)
    expect(body).toMatchObject({ input: 'Hi?', output: 'Ho!' })
    expect(body.spans).toMatchObject([
      {
        messages: [
          { role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] },
          { role: 'user', parts: [{ type: 'text', text: 'Hi?' }] },
          { role: 'assistant', parts: [{ type: 'text', text: 'Ho!' }], extra: { finish_reason: 'stop' } },
        ],
        events: said.map(([name, fields]) => ({ name, body: { body: JSON.stringify(fields) } })),
      },
    ])
  })

  it('update the facets and sums of their trace when they arrive late', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const root = callOf(3, { spanId: spanIdOf(2), name: 'answer', attributes: { 'openinference.span.kind': 'CHAIN' } })
    await sendSpans(client, [root, callOf(3, { parentSpanId: spanIdOf(2) })])
    expect((await client.get('/traces?q=Zürich')).body).toMatchObject({ total: 0 })
    await sendLogs(client, logsOf(3))
    expect((await client.get('/traces?q=Zürich')).body).toMatchObject({ total: 1 })
    expect((await client.get(`/traces/${traceIdOf(3)}`)).body).toMatchObject({
      input: 'How warm is it in Zürich?',
      output: 'It is 21 degrees.',
    })
    const { storage } = app()
    expect(await readRollups(storage, workspaceId)).toEqual(await countRollups(storage, workspaceId))
  })

  it('fill in the items that were created from their trace', async () => {
    const { client } = await app().newWorkspace()
    const componentId = await client.create('/components', { name: 'Weather' })
    await sendSpans(client, [
      callOf(4, {
        attributes: { ...callOf(4).attributes, 'touchstone.component': 'Weather', 'touchstone.dataset': 'Questions' },
      }),
    ])
    await sendLogs(client, logsOf(4))
    const [dataset] = await client.list(`/components/${componentId}/datasets`)
    const items = await client.list(`/components/${componentId}/datasets/${dataset?.id}/items`)
    expect(items).toMatchObject([{ input: expect.stringContaining('Zürich'), output: expect.stringContaining('21') }])
  })

  it('are never joined to a span of another workspace, and wait for their own', async () => {
    const [owner, stranger] = [await app().newWorkspace(), await app().newWorkspace()]
    await sendSpans(owner.client, [callOf(5)])
    const before = await seen(app().storage, owner, 5)
    await sendLogs(stranger.client, logsOf(5))
    expect(await seen(app().storage, owner, 5)).toEqual(before)
    expect(await pendingCount(stranger.workspaceId)).toBe(3)
    await sendSpans(owner.client, [callOf(5, { spanId: spanIdOf(7), parentSpanId: spanIdOf(1) })])
    expect(await pendingCount(stranger.workspaceId)).toBe(3)
    expect((await owner.client.get(`/traces/${traceIdOf(5)}`)).body).toMatchObject({ input: null, output: null })
    await sendSpans(stranger.client, [callOf(5)])
    expect((await stranger.client.get(`/traces/${traceIdOf(5)}`)).body).toMatchObject({
      output: expect.stringContaining('21'),
    })
  })

  it('meet their span also when both are stored at the same moment', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const numbers = Array.from({ length: 25 }, (_, place) => 100 + place)
    await Promise.all(
      numbers.flatMap((number) => [sendSpans(client, [callOf(number)]), sendLogs(client, logsOf(number))]),
    )
    const outputs = await Promise.all(
      numbers.map(async (number) => (await client.get(`/traces/${traceIdOf(number)}`)).body.output),
    )
    expect(outputs.filter((output) => output === null)).toEqual([])
    expect(await pendingCount(workspaceId)).toBe(0)
  })

  it('go with their trace, with their workspace, and after a day', async () => {
    const { storage, clock } = app()
    const { client, workspaceId } = await app().newWorkspace()
    await sendSpans(client, [callOf(6)])
    await sendLogs(client, [{ ...logsOf(6)[0], spanId: spanIdOf(9) }, ...logsOf(7)])
    expect(await pendingCount(workspaceId)).toBe(4)
    expect((await client.delete(`/traces/${traceIdOf(6)}`)).status).toBe(204)
    expect(await pendingCount(workspaceId)).toBe(3)
    await deleteOldPendingEvents(storage, { now: () => clock.now() + DAY - 60_000 })
    expect(await pendingCount(workspaceId)).toBe(3)
    await deleteOldPendingEvents(storage, { now: () => clock.now() + DAY + 60_000 })
    expect(await pendingCount(workspaceId)).toBe(0)

    await sendLogs(client, logsOf(8))
    const owner = await browserWith(app(), workspaceId, 'owner')
    expect((await owner.delete(`/workspaces/${workspaceId}`)).status).toBe(204)
    await waitForJobs(storage, workspaceId)
    expect(await countRows(storage, workspaceId)).not.toHaveProperty('pending_span_events')
  })

  it('that wait are bounded: the newest stay', async () => {
    const { storage, clock } = app()
    const { workspaceId } = await app().newWorkspace()
    const events = Array.from({ length: 6 }, (_, place) => {
      return { traceId: traceIdOf(place), spanId: spanIdOf(1), hash: `hash ${place}`, json: 'x'.repeat(100) }
    })
    const left = async () => {
      const rows = await storage.read
        .selectFrom('pending_span_events')
        .select('hash')
        .where('workspace_id', '=', workspaceId)
        .orderBy('position')
        .execute()
      return rows.map(({ hash }) => hash)
    }
    await storage.transaction((tx) =>
      insertPendingEvents(tx, workspaceId, { events, receivedAt: timestamp(clock.now()) }),
    )
    await storage.transaction((tx) => deleteExcessPending(tx, workspaceId, { rowsMax: 4, bytesMax: 10_000 }))
    expect(await left()).toEqual(['hash 2', 'hash 3', 'hash 4', 'hash 5'])
    await storage.transaction((tx) => deleteExcessPending(tx, workspaceId, { rowsMax: 4, bytesMax: 250 }))
    expect(await left()).toEqual(['hash 4', 'hash 5'])
  })

  it('without ids are ignored with a warning, and ordinary log records without a word', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const ordinary = { traceId: traceIdOf(9), spanId: spanIdOf(1), body: 'GET /', attributes: { 'http.route': '/' } }
    const plain = await client.post('/v1/logs', otlpLogs([ordinary, { ...ordinary, name: 'session.start' }]))
    expect([plain.status, plain.text]).toEqual([200, '{}'])
    const idless = await client.post('/v1/logs', otlpLogs([{ name: 'gen_ai.choice', body: { index: 0 } }]))
    expect([idless.status, idless.body]).toEqual([
      200,
      {
        partialSuccess: {
          rejectedLogRecords: '0',
          errorMessage: '1 GenAI event without a trace id and a span id: ignored',
        },
      },
    ])
    expect(await pendingCount(workspaceId)).toBe(0)
  })

  it('beyond a thousand for one span are rejected', async () => {
    const { client } = await app().newWorkspace()
    await sendSpans(client, [callOf(10)])
    const events = Array.from({ length: 1_001 }, (_, place) => {
      return { ...logsOf(10)[1], name: 'gen_ai.user.message', time: START_MS + place }
    })
    const { status, body } = await client.post('/v1/logs', otlpLogs(events))
    expect([status, body]).toEqual([
      200,
      { partialSuccess: { rejectedLogRecords: '1', errorMessage: 'A span has too many events (1 log records)' } },
    ])
  })
})

type Workspace = { client: Client; workspaceId: string }

/** All that is returned of a trace, without what the server generates. */
async function seen(storage: Storage, { client, workspaceId }: Workspace, number = 1) {
  const { body } = await client.get(`/traces/${traceIdOf(number)}`)
  const { id: _, workspaceId: _own, createdAt: _at, spans, ...trace } = body
  const shown = Array.isArray(spans) ? spans.map(withoutOurs) : []
  const { body: listed } = await client.get('/traces?q=kind:llm')
  const facets = await storage.read
    .selectFrom('trace_facets')
    .select(['facet', 'value'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('facet')
    .orderBy('value')
    .execute()
  expect(await readRollups(storage, workspaceId)).toEqual(await countRollups(storage, workspaceId))
  return { trace, spans: shown, total: listed.total, facets }
}

function withoutOurs({ id: _, traceDbId: _trace, createdAt: _at, events, ...span }: Record<string, unknown>) {
  const list: Record<string, unknown>[] = Array.isArray(events) ? events : []
  return { ...span, events: list.map(({ id: _event, spanDbId: _span, ...event }) => event) }
}
