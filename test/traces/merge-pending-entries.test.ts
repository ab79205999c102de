import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLogger } from '../../src/base/log.ts'
import { preparePostgresIndex } from '../../src/traces/search/postgres-index.ts'
import type { Client } from '../harness/client.ts'
import { collectingLog } from '../harness/collecting-log.ts'
import { createTestDatabase } from '../harness/each-engine.ts'
import { otlpRequest, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { startTestApp } from '../harness/test-app.ts'
import { until } from '../harness/wait-for.ts'

const LIMIT = 'gin_pending_list_limit=131072'
/** Its digits are as many as those of all others, which ids are filled up to. */
const FIRST_ID = 0x10000

describe('the pending entries of the search index on PostgreSQL', () => {
  const log = createLogger('silent')
  let url: string
  let other: pg.Client

  beforeEach(async () => {
    url = (await createTestDatabase('postgres', 'migrated')).url
    other = new pg.Client({ connectionString: url })
    await other.connect()
    await other.query('create extension pgstattuple')
    await preparePostgresIndex({ url, log })
  })

  afterEach(async () => {
    await other.end()
  })

  async function countPending(): Promise<number> {
    const { rows } = await other.query("select pending_tuples::int as count from pgstatginindex('spans_text')")
    return rows[0].count
  }

  async function readOptions(): Promise<string[] | null> {
    const { rows } = await other.query("select reloptions from pg_class where oid = 'spans_text'::regclass")
    return rows[0].reloptions
  }

  function findConnections(condition: string): Promise<pg.QueryResult> {
    return other.query(
      `select pid from pg_stat_activity
        where application_name = 'touchstone search index' and datname = current_database() and ${condition}`,
    )
  }

  /** Each with texts whose entries fill a page. */
  async function sendSpans(client: Client, first: number, count: number): Promise<void> {
    const spans = Array.from({ length: count }, (_, place) => ({
      traceId: traceIdOf(FIRST_ID + first + place),
      spanId: spanIdOf(FIRST_ID + first + place),
      name: 'needle',
      attributes: { 'input.value': randomBytes(300).toString('hex') },
    }))
    expect((await client.post('/v1/traces', otlpRequest(spans))).status).toBe(200)
  }

  async function countFound(client: Client): Promise<unknown> {
    return (await client.get('/traces?q=needle&limit=1')).body['total']
  }

  it('are merged in the background, and spans are found before and after', async () => {
    const app = await startTestApp(url)
    const { client } = await app.newWorkspace()
    for (const first of [0, 300, 600]) {
      await sendSpans(client, first, 300)
      expect(await countFound(client)).toBe(first + 300)
    }
    await until(async () => expect(await countPending()).toBe(0))
    expect(await countFound(client)).toBe(900)
    await app.close()
  })

  it('are merged together with the first statistics of traces, without which storing becomes slower and slower', {
    tags: 'deep',
  }, async () => {
    const app = await startTestApp(url)
    const { client } = await app.newWorkspace()
    await sendSpans(client, 0, 600)
    await until(async () => {
      const { rows } = await other.query("select reltuples::int as count from pg_class where oid = 'traces'::regclass")
      expect(rows).toEqual([{ count: 600 }])
    })
    await app.close()
  })

  it('may be so many that no insert has to merge them', { tags: 'deep' }, async () => {
    expect(await readOptions()).toEqual([LIMIT])
    const app = await startTestApp(url)
    const { client } = await app.newWorkspace()
    // Nothing else merges while this lock is held.
    await other.query('select pg_advisory_lock(7305803)')
    for (const first of [0, 300, 600]) await sendSpans(client, first, 300)
    expect(await countPending()).toBe(900)
    await other.query('select pg_advisory_unlock_all()')
    await until(async () => expect(await countPending()).toBe(0))
    await app.close()
  })

  it('are as few as by default in a database that is spread over nodes, where only inserts merge them', async () => {
    await other.query('create table pg_dist_partition ()')
    await preparePostgresIndex({ url, log })
    expect(await readOptions()).toBeNull()
  })

  it('are merged again after the connection for it was lost', { tags: 'deep' }, async () => {
    const app = await startTestApp(url)
    const { client } = await app.newWorkspace()
    const merging = await until(async () => {
      const { rows } = await findConnections("query like '%reltuples%'")
      expect(rows).toHaveLength(1)
      return rows[0].pid
    })
    await other.query('select pg_terminate_backend($1)', [merging])
    await sendSpans(client, 0, 10)
    await until(async () => expect(await countPending()).toBe(0))
    await app.close()
  })

  it('do not delay the end of a server, and their connection ends with it', { tags: 'deep' }, async () => {
    const app = await startTestApp(url)
    const blocking = new pg.Client({ connectionString: url })
    await blocking.connect()
    await blocking.query('begin')
    await blocking.query('alter index spans_text set (fastupdate = on)')
    await until(async () => expect((await findConnections("wait_event_type = 'Lock'")).rowCount).toBe(1))
    await app.close()
    await blocking.end()
    await until(async () => expect((await findConnections('true')).rowCount).toBe(0))
  })

  it('are left to inserts if another user owns the index', { tags: 'deep' }, async () => {
    const role = `touchstone_test_${randomBytes(6).toString('hex')}`
    await other.query(`create role ${role} login`)
    await other.query(`grant all on schema public to ${role}`)
    await other.query(`grant all on all tables in schema public to ${role}`)
    await other.query(`grant all on all sequences in schema public to ${role}`)
    await other.query('alter index spans_text reset (gin_pending_list_limit)')
    const roleUrl = new URL(url)
    roleUrl.username = role
    try {
      const { log: collecting, logged } = collectingLog('info')
      const app = await startTestApp(roleUrl.href, { log: collecting })
      const { client } = await app.newWorkspace()
      await sendSpans(client, 0, 10)
      await until(() => expect(logged.join('')).toContain('another user owns the index'))
      await sendSpans(client, 10, 10)
      expect(await countFound(client)).toBe(20)
      await app.close()
      expect(await readOptions()).toBeNull()
    } finally {
      await other.query(`drop owned by ${role}`)
      await other.query(`drop role ${role}`)
    }
  })
})
