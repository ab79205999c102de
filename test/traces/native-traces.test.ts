import { expect, it } from 'vitest'
import { idGenerator } from '../../src/base/ids.ts'
import { createTraceLinker } from '../../src/runs/link-arrived-traces.ts'
import { joined } from '../../src/storage/db.ts'
import { addTraces } from '../../src/traces/add-traces.ts'
import { createIngest, type Ingest } from '../../src/traces/ingest-spans.ts'
import { readerOf } from '../../src/traces/spans-at-hand.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { traceIdOf } from '../harness/otlp-json.ts'
import type { TestApp } from '../harness/test-app.ts'
import { receivedSpan } from '../mapping/golden-spans.ts'

function ingestOf({ storage, clock }: TestApp): Ingest {
  const newId = idGenerator(clock)
  return createIngest({ db: storage, clock, newId, linker: createTraceLinker({ clock, newId }) })
}

async function newComponent({ client }: Awaited<ReturnType<TestApp['newWorkspace']>>): Promise<string> {
  const { body } = await client.post('/components', { name: 'Answers' })
  return String(body.id)
}

describeEachEngine('traces sent as JSON', (app) => {
  it('with times that no database can hold are stored with the last one that it can, and a note', async () => {
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

  it('are answered 404 when their component is deleted while they are being read', async () => {
    const workspace = await app().newWorkspace()
    const { client, workspaceId } = workspace
    const componentId = await newComponent(workspace)
    const { storage: db, clock } = app()
    const ingest: Ingest = async (to, read) => {
      expect((await client.delete(`/components/${componentId}`)).status).toBe(204)
      return ingestOf(app())(to, read)
    }
    const added = addTraces({ db, clock, newId: idGenerator(clock) }, ingest, {
      workspaceId,
      componentId,
      traces: [{ name: 'late' }],
    })
    await expect(added).rejects.toMatchObject({ status: 404, message: 'Component not found' })
    expect((await client.get('/traces')).body).toMatchObject({ total: 0 })
  })

  it('do not lose who sent them when the transaction that they were first stored in is rolled back', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const { storage } = app()
    const ingest = ingestOf(app())
    const traceId = traceIdOf(1)
    const span = { ...receivedSpan({ name: 'x', attributes: {}, resource: { 'service.name': 'kept' } }), traceId }
    const batch = readerOf([span])
    const rolledBack = storage.transaction(async (tx) => {
      await ingest({ workspaceId, within: joined(tx) }, batch)
      throw new Error('rolled back')
    })
    await expect(rolledBack).rejects.toThrow('rolled back')
    await ingest({ workspaceId }, batch)
    expect((await client.get(`/traces/${traceId}`)).text).toContain('"service.name":"kept"')
  })
})
