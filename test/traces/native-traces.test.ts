// @module-tag sql
import { expect, it } from 'vitest'
import { idGenerator } from '../../src/base/ids.ts'
import { addTraces } from '../../src/ingestion/add-traces.ts'
import { createIngest, type Ingest } from '../../src/ingestion/ingest-spans.ts'
import { createTraceLinker } from '../../src/ingestion/link-arrived-traces.ts'
import { DESCRIBED_FIELDS } from '../../src/ingestion/native-schemas.ts'
import { type Db, dbWithin } from '../../src/storage/db.ts'
import { readerOf } from '../../src/traces/storing/received-span.ts'
import { createQuotas, NO_QUOTAS } from '../../src/workspaces/quotas.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { otlpRequest, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import type { TestApp } from '../harness/test-app.ts'
import { receivedSpan } from '../mapping/golden-spans.ts'

function ingestOf({ storage, clock }: TestApp): Ingest {
  const newId = idGenerator(clock)
  return createIngest({
    db: storage,
    clock,
    newId,
    linker: createTraceLinker({ clock, newId }),
    quotas: createQuotas({ limits: NO_QUOTAS, clock }),
  })
}

const SAMPLES: Record<string, unknown> = {
  kind: 'tool',
  status: 'error',
  inputTokens: 3,
  outputTokens: 4,
  totalTokens: 7,
  costUsd: 0.5,
  modelParameters: { temperature: 0.2 },
  metadata: { customer: 'c1' },
}

function arrayOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value : []
}

async function newComponent({ client }: Awaited<ReturnType<TestApp['newWorkspace']>>): Promise<string> {
  const { body } = await client.post('/components', { name: 'Answers' })
  return String(body.id)
}

describeEachEngine('traces sent as JSON', (app) => {
  it('with times outside the range of the database are stored with its last time, and a note', async () => {
    const workspace = await app().newWorkspace()
    const { client, workspaceId } = workspace
    const componentId = await newComponent(workspace)
    const late = '9999-12-31T23:59:59Z'
    const events = [{ name: 'said', timestamp: late }]
    const sent = { name: 'late', startTime: '2026-11-15T09:30:00Z', endTime: late }
    const { status, body } = await client.post(`/components/${componentId}/traces`, {
      ...sent,
      spans: [{ ...sent, startTime: late, events }],
    })
    expect(status).toBe(201)
    const rows = await app()
      .storage.read.selectFrom('spans')
      .select(['notes', 'end_ns'])
      .where('workspace_id', '=', workspaceId)
      .where('trace_id', '=', String(body.id))
      .orderBy('start_ns')
      .execute()
    expect(rows.map(({ notes }) => JSON.parse(notes ?? '[]'))).toEqual([
      ['end time clamped'],
      ['start time clamped', 'end time clamped', 'time of an event clamped'],
    ])
    expect((await client.get(`/traces/${body.id}`)).status).toBe(200)
  })

  it('are 404 when their component is deleted while they are read', async () => {
    const workspace = await app().newWorkspace()
    const { client, workspaceId } = workspace
    const componentId = await newComponent(workspace)
    const { storage, clock } = app()
    // Between the look at the component and the transaction that stores the trace.
    const db: Db = {
      read: storage.read,
      bulk: storage.bulk.bind(storage),
      inTransaction: storage.inTransaction,
      search: storage.search.bind(storage),
      inReadWorker: storage.inReadWorker.bind(storage),
      transaction: async (work) => {
        expect((await client.delete(`/components/${componentId}`)).status).toBe(204)
        return storage.transaction(work)
      },
    }
    const added = addTraces({ db, clock, newId: idGenerator(clock) }, ingestOf(app()), {
      workspaceId,
      componentId,
      traces: [{ name: 'late' }],
    })
    await expect(added).rejects.toMatchObject({ status: 404, message: 'Component not found' })
    expect((await client.get('/traces')).body).toMatchObject({ total: 0 })
  })

  it('keep everything that describes the trace if they have spans of their own', async () => {
    const workspace = await app().newWorkspace()
    const path = `/components/${await newComponent(workspace)}/traces`
    const rootOf = async (traceId: string, fields: object) => {
      const { status, text } = await workspace.client.post(path, { traceId, ...fields })
      expect(status, text).toBe(201)
      const { body } = await workspace.client.get(`/traces/${traceId}`)
      const spans = arrayOf(body.spans)
      const {
        spanId,
        traceId: _,
        id,
        traceDbId,
        createdAt,
        startTime,
        endTime,
        durationMs,
        ...root
      } = spans.find((one) => one.parentSpanId === null) ?? {}
      return root
    }
    for (const field of DESCRIBED_FIELDS.filter((name) => !name.endsWith('Time'))) {
      const given = { [field]: SAMPLES[field] ?? `the ${field}` }
      const spans = [{ name: 'below' }]
      expect([field, await rootOf(`with-${field}`, { ...given, spans })]).toEqual([field, await rootOf(field, given)])
    }
  })

  it('again with the same content are 200, and change nothing', async () => {
    const workspace = await app().newWorkspace()
    const { client } = workspace
    const path = `/components/${await newComponent(workspace)}/traces`
    const trace = {
      traceId: 'mine',
      name: 'n',
      input: { a: 1, b: [2] },
      tags: ['t'],
      spans: [{ name: 's', model: 'm' }],
    }
    const first = await client.post(path, trace)
    expect(first.status).toBe(201)
    const stored = (await client.get('/traces/mine')).text
    const { spans, tags, input, ...rest } = trace
    const again = await client.post(path, { tags, spans, input: { b: [2], a: 1 }, ...rest })
    expect([again.status, again.body]).toEqual([200, first.body])
    const several = await client.post(path, { traces: [trace, trace] })
    expect([several.status, several.body]).toEqual([200, { data: [first.body, first.body] }])
    const mixed = await client.post(path, { traces: [trace, { traceId: 'new' }] })
    expect(mixed.status).toBe(201)
    expect((await client.get('/traces/mine')).text).toBe(stored)
    expect((await client.get('/traces')).body.total).toBe(2)
  })

  it('with the id of a trace with other content are 409, and nothing of the request is stored', async () => {
    const workspace = await app().newWorkspace()
    const { client } = workspace
    const componentId = await newComponent(workspace)
    const path = `/components/${componentId}/traces`
    const otherPath = `/components/${await newComponent(workspace)}/traces`
    const trace = { traceId: 'mine', input: 'a', output: 'b' }
    await client.post(path, trace)
    await client.post('/v1/traces', otlpRequest([{ traceId: traceIdOf(1), spanId: spanIdOf(1) }]))
    const rejected = [
      await client.post(path, { ...trace, output: 'c' }),
      await client.post(path, { ...trace, dataset: 'D', run: 'R' }),
      await client.post(path, { ...trace, spans: [{ name: 's' }] }),
      await client.post(otherPath, trace),
      await client.post(path, { traces: [{ traceId: 'new' }, { ...trace, output: 'c' }] }),
      await client.post(path, {
        traces: [
          { traceId: 'new', input: '1' },
          { traceId: 'new', input: '2' },
        ],
      }),
      await client.post(path, { traceId: traceIdOf(1), input: 'a' }),
    ]
    for (const { status, body } of rejected) {
      expect(status).toBe(409)
      expect(body.error).toMatch(/^A trace ".*" exists with other content; nothing was stored/)
    }
    expect((await client.get('/traces')).body.total).toBe(2)
    expect(await client.list(`/components/${componentId}/datasets`)).toEqual([])
    expect((await client.delete('/traces/mine')).status).toBe(204)
    expect((await client.post(path, { ...trace, output: 'c' })).status).toBe(201)
  })

  it('sent twice at once with different contents are one trace, and the other request gets 409', async () => {
    const workspace = await app().newWorkspace()
    const { client } = workspace
    const path = `/components/${await newComponent(workspace)}/traces`
    const answers = await Promise.all(['a', 'b'].map((input) => client.post(path, { traceId: 'mine', input })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
  })

  it.each(['metadata', 'modelParameters'])('may not hold more in their %s than a span over OTLP may', async (field) => {
    const workspace = await app().newWorkspace()
    const { client } = workspace
    const path = `/components/${await newComponent(workspace)}/traces`
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, place) => [`k${place}`, 1]))
    let deep: unknown = 1
    for (let depth = 0; depth < 70; depth += 1) deep = { d: deep }
    const nested = { deep }
    const wide = { list: Array.from({ length: 10_001 }, () => 1) }
    for (const [value, limit] of [
      [many, /1000 keys/],
      [nested, /64 levels/],
      [wide, /10000 values/],
    ] as const) {
      for (const body of [{ [field]: value }, { spans: [{ [field]: value }] }]) {
        const { status, body: answer } = await client.post(path, body)
        expect([status, answer.error]).toEqual([400, expect.stringMatching(limit)])
        if (value !== nested) expect(answer.error).toContain(`The field ${field} must not`)
      }
    }
    const inEvent = { spans: [{ events: [{ name: 'e', body: many }] }] }
    expect((await client.post(path, inEvent)).body.error).toMatch(/The field body must not have more than 1000 keys/)
    expect((await client.get('/traces')).body.total).toBe(0)
  })

  it('do not lose who sent them when the transaction that they were first stored in is rolled back', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const { storage } = app()
    const ingest = ingestOf(app())
    const traceId = traceIdOf(1)
    const span = { ...receivedSpan({ name: 'x', attributes: {}, resource: { 'service.name': 'kept' } }), traceId }
    const batch = readerOf([span])
    const rolledBack = storage.transaction(async (tx) => {
      await ingest({ workspaceId, within: dbWithin(tx) }, batch)
      throw new Error('rolled back')
    })
    await expect(rolledBack).rejects.toThrow('rolled back')
    await ingest({ workspaceId }, batch)
    expect((await client.get(`/traces/${traceId}`)).text).toContain('"service.name":"kept"')
  })
})
