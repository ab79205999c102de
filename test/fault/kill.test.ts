import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { chunksOf } from '../../src/base/event-loop.ts'
import type { Client } from '../harness/client.ts'
import { createTestDatabase, describeEngines } from '../harness/each-engine.ts'
import { randomOfTest } from '../harness/seeds.ts'
import { type ServerProcess, startServer, waitFor } from '../harness/server-process.ts'
import { rounds } from '../harness/stage.ts'
import { openTestStorage } from '../harness/test-storage.ts'
import { expectSpanRows, expectSums, expectWholeBatches, type SpanBatch, sendBatch, spanBatch } from './span-load.ts'

const ROUNDS = rounds({ test: 1, deep: 3, soak: 200 })
const SUMS_EVERY = rounds({ test: 1, deep: 3, soak: 5 })
const CLIENTS = 6
const SPAN_ENCODINGS = ['json', 'protobuf', 'json'] as const

/** One write as its client saw it: `id` once it was acknowledged, undefined if no answer came. */
type Write = { kind: 'component' | 'dataset' | 'run' | 'annotation'; path: string; body: Record<string, unknown> } & {
  id?: string
}

describeEngines('kill -9 of the server under write load', (engine) => {
  it('loses no acknowledged write and keeps no half of another', { tags: 'sized' }, async () => {
    const random = randomOfTest()
    const database = await createTestDatabase(engine, 'migrated')
    const log: Write[] = []
    const batches: SpanBatch[] = []
    let unansweredBatches = 0
    const restartsMs: number[] = []
    let server = await startServer(database.url)
    for (let round = 1; round <= ROUNDS; round += 1) {
      const { writes, sent } = await writeUntilKilled(server, { round, killAfter: 5 + random(60) })
      log.push(...writes)
      server = await startServer(database.url)
      restartsMs.push(server.readyMs)
      await expectAcknowledged(server.client, writes)
      await expectWholeBatches(server.client, sent)
      const unanswered = sent.filter(({ isAnswered }) => !isAnswered)
      unansweredBatches += unanswered.length
      // What exporters do: they send again everything without a response, stored or not.
      for (const batch of unanswered) {
        await sendBatch(server.client, batch)
        batch.isAnswered = true
      }
      await expectWholeBatches(server.client, sent)
      batches.push(...sent)
      // They are sums over everything: to add it up after each kill would need most of the time.
      if (round % SUMS_EVERY === 0) await expectSums(server.client, batches)
    }
    const workspaceId = String((await server.client.get('/workspace')).body.id)
    await expectWhole(database.url, log, workspaceId)
    await server.kill()
    database.remove()
    const sorted = restartsMs.toSorted((a, b) => a - b).map(Math.round)
    const unanswered = log.filter(({ id }) => id === undefined).length
    console.log(
      `kill -9 (${engine}): ${log.length - unanswered} acknowledged, ${unanswered} unanswered; ` +
        `${batches.length} batches of spans, ${unansweredBatches} of them sent again; ` +
        `restart until ready: median ${sorted[sorted.length >> 1]} ms, max ${sorted.at(-1)} ms`,
    )
  })
})

/** Writes with several clients at once, kills the server after so many answers, and returns what each client saw. */
async function writeUntilKilled(
  server: ServerProcess,
  { round, killAfter }: { round: number; killAfter: number },
): Promise<{ writes: Write[]; sent: SpanBatch[] }> {
  const writes: Write[] = []
  const sent: SpanBatch[] = []
  let acknowledged = 0

  async function post(write: Write): Promise<string | undefined> {
    writes.push(write)
    try {
      const { status, text, body } = await server.client.post(write.path, write.body)
      if (status !== 201) throw new Error(`${write.path}: ${status} ${text}`)
      write.id = String(body.id)
      acknowledged += 1
      return write.id
    } catch (error) {
      // A connection that fails is the only failure that a killed server may cause; any answer must be a success.
      if (error instanceof TypeError) return undefined
      throw error
    }
  }

  async function work(client: number): Promise<void> {
    for (let turn = 0; ; turn += 1) {
      const name = `${round}.${client}.${turn}`
      const traceIds = Array.from({ length: 1 + ((client * 7 + turn * 13) % 60) }, (_, place) => `${name}-${place}`)
      const component = await post({ kind: 'component', path: '/components', body: { name } })
      if (component === undefined) return
      const below = `/components/${component}`
      const dataset = await post({ kind: 'dataset', path: `${below}/datasets`, body: { name, traceIds } })
      if (dataset === undefined) return
      const run = await post({ kind: 'run', path: `${below}/runs`, body: { name, datasetId: dataset, traceIds } })
      if (run === undefined) return
      const annotation = { traceDbId: traceIds[0], rating: 'positive', comment: name }
      const saved = await post({ kind: 'annotation', path: `${below}/runs/${run}/annotations`, body: annotation })
      if (saved === undefined) return
    }
  }

  async function workWithSpans(encoding: SpanBatch['encoding'], client: number): Promise<void> {
    const sender = `${round.toString(16).padStart(2, '0')}${client}`
    for (let turn = 0; ; turn += 1) {
      const batch = spanBatch({ sender, turn }, encoding)
      sent.push(batch)
      try {
        await sendBatch(server.client, batch)
      } catch (error) {
        if (error instanceof TypeError) return
        throw error
      }
      batch.isAnswered = true
      acknowledged += 1
    }
  }

  const clients = Promise.all([
    ...Array.from({ length: CLIENTS }, (_, client) => work(client)),
    ...SPAN_ENCODINGS.map(workWithSpans),
  ])
  const killed = waitFor('enough writes', async () => acknowledged >= killAfter || undefined).then(() => server.kill())
  await Promise.all([clients, killed])
  return { writes, sent }
}

async function expectAcknowledged(client: Client, writes: Write[]): Promise<void> {
  async function expectOne({ kind, path, body, id }: Write): Promise<void> {
    if (kind === 'annotation') {
      expect(await client.list(path)).toMatchObject([{ id, ...body }])
      return
    }
    const answer = await client.get(`${path}/${id}`)
    const { traceIds, ...fields } = body
    const count = Array.isArray(traceIds) ? traceIds.length : undefined
    expect(answer.body).toMatchObject({
      id,
      ...fields,
      ...(kind === 'dataset' ? { itemCount: count } : kind === 'run' ? { traceCount: count } : {}),
    })
  }
  for (const some of chunksOf(
    writes.filter(({ id }) => id !== undefined),
    16,
  )) {
    await Promise.all(some.map(expectOne))
  }
}

/** Looks at the rows themselves: counters equal what is counted, and every row belongs to a write that a client sent. */
async function expectWhole(url: string, writes: Write[], workspaceId: string): Promise<void> {
  const storage = await openTestStorage(url, 'command')
  try {
    await expectSpanRows(storage, workspaceId)
    const { rows: wrong } = await sql`
      select id, 'dataset' as kind from datasets d where item_count <>
        (select count(*) from dataset_items i where i.workspace_id = d.workspace_id and i.dataset_id = d.id)
      union all select id, 'run' from runs r where trace_count <>
        (select count(*) from run_traces t where t.workspace_id = r.workspace_id and t.run_id = r.id)`.execute(
      storage.read,
    )
    expect(wrong).toEqual([])
    for (const [kind, table, column] of [
      ['component', 'components', 'name'],
      ['dataset', 'datasets', 'name'],
      ['run', 'runs', 'name'],
      ['annotation', 'annotations', 'comment'],
    ] as const) {
      const { rows } = await sql<{ name: string }>`select ${sql.ref(column)} as name from ${sql.table(table)}`.execute(
        storage.read,
      )
      const stored = rows.map(({ name }) => name).sort()
      const sent = new Map(
        writes
          .filter((write) => write.kind === kind)
          .map(({ body, id }) => [body.comment ?? body.name, id !== undefined]),
      )
      expect(stored).toEqual([...new Set(stored)])
      expect(stored.filter((name) => !sent.has(name))).toEqual([])
      expect([...sent].filter(([name, isSure]) => isSure && !stored.includes(String(name)))).toEqual([])
    }
    for (const { kind, body } of writes.filter((write) => write.id === undefined && write.kind !== 'component')) {
      if (kind !== 'dataset' && kind !== 'run') continue
      const [table, count] =
        kind === 'dataset' ? (['datasets', 'item_count'] as const) : (['runs', 'trace_count'] as const)
      const { rows } = await sql<{ count: number }>`select ${sql.ref(count)} as count from ${sql.table(table)}
        where name = ${body.name}`.execute(storage.read)
      for (const row of rows) expect(row.count).toBe(Array.isArray(body.traceIds) ? body.traceIds.length : 0)
    }
  } finally {
    await storage.close()
  }
}
