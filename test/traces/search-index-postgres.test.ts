import { sql } from 'kysely'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { createLogger } from '../../src/base/log.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { preparePostgresIndex } from '../../src/traces/search/postgres-index.ts'
import { createTestDatabase } from '../harness/each-engine.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { startTestApp } from '../harness/test-app.ts'
import { openTestStorage } from '../harness/test-storage.ts'
import { until } from '../harness/wait-for.ts'

const clock = systemClock()

describe('the search index on PostgreSQL', () => {
  const log = createLogger('silent')
  let url: string
  let other: pg.Client

  beforeEach(async () => {
    url = (await createTestDatabase('postgres')).url
    const storage = await openTestStorage(url)
    await migrate(storage, clock)
    await storage.close()
    other = new pg.Client({ connectionString: url })
    await other.connect()
  })

  afterEach(async () => {
    await other.end()
  })

  async function indexState(): Promise<'missing' | 'invalid' | 'valid'> {
    const { rows } = await other.query<{ isValid: boolean }>(
      `select indisvalid as "isValid" from pg_index where indexrelid = to_regclass('spans_text')`,
    )
    if (!rows[0]) return 'missing'
    return rows[0].isValid ? 'valid' : 'invalid'
  }

  /** Building an index concurrently waits for the transactions of writers. */
  async function blockIndexing(): Promise<pg.Client> {
    const writer = new pg.Client({ connectionString: url })
    await writer.connect()
    await writer.query('begin')
    await writer.query('lock table spans in row exclusive mode')
    return writer
  }

  function untilState(state: 'invalid' | 'valid'): Promise<void> {
    return until(async () => expect(await indexState()).toBe(state))
  }

  it('delays neither the start of a server nor its end, and is built in the end', { tags: 'deep' }, async () => {
    const writer = await blockIndexing()
    const app = await startTestApp(url, { environment: { TOUCHSTONE_STATEMENT_TIMEOUT_SECONDS: '120' } })
    await untilState('invalid')
    await app.close()
    await writer.query('rollback')
    await writer.end()
    const again = await startTestApp(url)
    await untilState('valid')
    await again.close()
  })

  it('is not waited for by searches: until it is built, they compare the latest spans and say since when', async () => {
    const writer = await blockIndexing()
    const app = await startTestApp(url)
    await untilState('invalid')
    const { client } = await app.newWorkspace()
    for (const number of [0, 1, 2, 3]) {
      const start = Date.UTC(2026, 9, 1, number)
      const attributes = { 'input.value': number % 2 === 0 ? 'a refund' : 'hello' }
      await sendSpans(client, [{ traceId: traceIdOf(number), spanId: spanIdOf(1), start, end: start + 1, attributes }])
    }
    // As many as make a search of three traces longer than it may be.
    await other.query('update traces set span_count = 9000')
    const { headers, body } = await client.get('/traces?q=refund')
    expect(body).toMatchObject({ total: 1, data: [{ traceId: traceIdOf(2) }] })
    expect(headers.get('x-searched-since')).toBe('2026-10-01T02:00:00.000Z')
    await writer.query('rollback')
    await writer.end()
    await untilState('valid')
    const { headers: complete, body: all } = await client.get('/traces?q=refund')
    expect([all.total, complete.get('x-searched-since')]).toEqual([2, null])
    await app.close()
  })

  it('is left to the process that is building it', async () => {
    const writer = await blockIndexing()
    const building = preparePostgresIndex({ url, log })
    await untilState('invalid')
    await preparePostgresIndex({ url, log })
    expect(await indexState()).toBe('invalid')
    await writer.query('rollback')
    await writer.end()
    await building
    expect(await indexState()).toBe('valid')
  })

  it('has statistics of the indexed texts as soon as it is built, or at the next start if the process ended before', async () => {
    await other.query("set session_replication_role = 'replica'")
    await other.query(`insert into spans overriding system value select (jsonb_populate_record(null::spans, jsonb_object_agg(a.attname, case
        when a.atttypid = 'uuid'::regtype then to_jsonb(gen_random_uuid())
        when a.atttypid = 'timestamptz'::regtype then to_jsonb(now())
        when a.atttypid = 'text'::regtype then to_jsonb('{}'::text) else to_jsonb(g) end))).*
      from generate_series(1, 20) as g, pg_attribute as a
      where a.attrelid = 'spans'::regclass and a.attnum > 0 and not a.attisdropped group by g`)
    const statistics = async () => (await other.query("select 1 from pg_stats where tablename = 'spans_text'")).rowCount
    await preparePostgresIndex({ url, log })
    expect(await statistics()).toBe(3)
    await other.query("delete from pg_statistic where starelid = 'spans_text'::regclass")
    await preparePostgresIndex({ url, log })
    expect(await statistics()).toBe(3)
  })

  it('is rebuilt when its build was interrupted', async () => {
    await other.query('create extension pg_trgm')
    await other.query('create index spans_text on spans using gin (lower(name collate "C") gin_trgm_ops)')
    await other.query("update pg_index set indisvalid = false where indexrelid = to_regclass('spans_text')")
    await preparePostgresIndex({ url, log })
    expect(await indexState()).toBe('valid')
    const { rows } = await other.query(
      "select pg_try_advisory_lock(7305802) as free, indnatts from pg_index where indexrelid = to_regclass('spans_text')",
    )
    expect(rows).toEqual([{ free: true, indnatts: 3 }])
  })

  it('may need longer than the time limit of requests', { tags: 'deep' }, async () => {
    const writer = await blockIndexing()
    const app = await startTestApp(url, { environment: { TOUCHSTONE_STATEMENT_TIMEOUT_SECONDS: '1' } })
    await untilState('invalid')
    await expect(sql`select pg_sleep(10)`.execute(app.storage.read)).rejects.toMatchObject({ status: 503 })
    await writer.query('rollback')
    await writer.end()
    await untilState('valid')
    await app.close()
  })
})
