// @module-tag sql
import { expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { until } from '../harness/wait-for.ts'

async function seed(client: Client, count: number): Promise<void> {
  const spans = Array.from({ length: count }, (_, number) => ({
    traceId: traceIdOf(1_000 + number),
    spanId: spanIdOf(1),
    name: number % 2 === 0 ? 'even' : 'odd',
    attributes: { 'input.value': `question ${number}`, 'output.value': `answer ${number}` },
  }))
  await sendSpans(client, spans)
}

async function totalOf(client: Client, q = ''): Promise<unknown> {
  return (await client.get(`/traces?q=${encodeURIComponent(q)}&limit=1`)).body.total
}

describeEachEngine('POST /traces/bulk-delete', (app) => {
  it('deletes traces by their ids, ours or those of their senders, and ignores others', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const other = (await app().newWorkspace()).client
    await seed(client, 4)
    await seed(other, 4)
    const [newest] = await client.list('/traces')
    const [foreign] = await other.list('/traces')
    const ids = [
      String(newest?.id).toUpperCase(),
      String(newest?.traceId),
      traceIdOf(1_000),
      'nothing',
      String(foreign?.id),
    ]
    const { status, body } = await client.post('/traces/bulk-delete', { ids })
    expect([status, body]).toEqual([200, { deleted: 2 }])
    expect(await totalOf(client)).toBe(2)
    expect((await client.get(`/traces/${newest?.id}`)).status).toBe(404)
    expect(await totalOf(other)).toBe(4)
    expect((await client.post('/traces/bulk-delete', { ids })).body).toEqual({ deleted: 0 })
    const rowsOf = (table: 'traces' | 'spans') =>
      app().storage.read.selectFrom(table).select('trace_id').where('workspace_id', '=', workspaceId).execute()
    await until(async () => expect([(await rowsOf('traces')).length, (await rowsOf('spans')).length]).toEqual([2, 2]))
  })

  it('deletes the traces of a query if they are as many as the caller expects', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const owner = await app().newPerson([{ workspaceId, role: 'owner' }])
    await seed(client, 250)
    const wrong = await client.post('/traces/bulk-delete', { q: 'name:even', expectedCount: 124 })
    expect([wrong.status, wrong.body]).toEqual([
      409,
      { error: 'The query matches 125 traces, not 124; nothing was deleted' },
    ])
    expect(await totalOf(client)).toBe(250)
    const { status, body } = await client.post('/traces/bulk-delete', { q: 'name:even', expectedCount: 125 })
    expect([status, body]).toEqual([200, { deleted: 125 }])
    expect([await totalOf(client), await totalOf(client, 'name:even')]).toEqual([125, 0])
    const events = await app().asPerson(owner, workspaceId).list('/audit-log')
    const deletions = events.filter(({ action }) => action === 'traces.deleted')
    expect(deletions).toMatchObject([{ detail: '125 traces' }])
  })

  it('is repeated without effect with the same Idempotency-Key', async () => {
    const { client } = await app().newWorkspace()
    await seed(client, 4)
    const send = () =>
      client.post('/traces/bulk-delete', { q: 'name:odd', expectedCount: 2 }, { 'idempotency-key': 'once' })
    expect((await send()).body).toEqual({ deleted: 2 })
    expect((await send()).body).toEqual({ deleted: 2 })
    expect(await totalOf(client)).toBe(2)
  })

  it.each([
    [{}, 'The request body must have either ids or q'],
    [{ ids: ['a'], q: 'name:odd', expectedCount: 1 }, 'The request body must have either ids or q'],
    [{ ids: [] }, 'The field ids must not be empty'],
    [{ q: 'name:odd' }, 'The field expectedCount is required together with q'],
    [{ q: '  ', expectedCount: 1 }, 'The field q must have a condition'],
    [{ q: 'nofield:odd', expectedCount: 1 }, 'The query is invalid at character 1'],
  ])('rejects %o', async (sent, message) => {
    const { client } = await app().newWorkspace()
    const { status, body } = await client.post('/traces/bulk-delete', sent)
    expect([status, body.error]).toEqual([400, expect.stringContaining(message)])
  })
})

describeEachEngine('POST …/items/from-query', (app) => {
  async function newDataset(client: Client) {
    const component = `/components/${await client.create('/components', { name: 'C' })}`
    const datasetId = await client.create(`${component}/datasets`, { name: 'D', traceIds: [traceIdOf(1_000)] })
    return `${component}/datasets/${datasetId}`
  }

  it('adds the newest traces that match, and skips those that are items', async () => {
    const { client } = await app().newWorkspace()
    await seed(client, 60)
    const dataset = await newDataset(client)
    const add = (body: Record<string, unknown>) => client.post(`${dataset}/items/from-query`, body)
    const first = await add({ q: 'name:even' })
    expect([first.status, first.body]).toMatchObject([201, { added: 29, skipped: 1 }])
    expect((await add({ q: 'name:even' })).body).toEqual({ added: 0, skipped: 30, addedIds: [] })
    const second = await add({ q: 'name:odd', limit: 2, expected: 'output' })
    expect(second.body).toMatchObject({ added: 2, skipped: 0 })
    expect((await client.get(dataset)).body.itemCount).toBe(32)
    const items = await client.list(`${dataset}/items?limit=2`)
    expect(Object(second.body.addedIds).toSorted()).toEqual(items.map(({ id }) => id).toSorted())
    expect(first.body.addedIds).toHaveLength(29)
    const newest = (await client.list('/traces?q=name:odd&limit=2')).map(({ traceId }) => traceId)
    expect(new Set(items.map(({ traceId }) => traceId))).toEqual(new Set(newest))
    for (const { input, output, expected } of items) {
      expect(input).toMatch(/^question \d+$/)
      expect([output, expected]).toEqual([String(input).replace('question', 'answer'), output])
    }
  })

  it.each([
    [{}, 'The field q is required'],
    [{ q: ' ' }, 'The field q must have a condition'],
    [{ q: 'a', limit: 1_001 }, 'The field limit must be at most 1000'],
    [{ q: 'a', expected: 'input' }, 'The field expected must be one of none, output'],
    [{ q: 'cost:high' }, 'The query is invalid at character 6'],
    [{ q: 'a', offset: 1 }, 'The field offset is not known'],
  ])('rejects %o', async (sent, message) => {
    const { client } = await app().newWorkspace()
    const { status, body } = await client.post(`${await newDataset(client)}/items/from-query`, sent)
    expect([status, body.error]).toEqual([400, expect.stringContaining(message)])
  })
})
