// @module-tag sql
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLogger } from '../../src/base/log.ts'
import { containsText } from '../../src/storage/dialect.ts'
import { openStorage, type Storage } from '../../src/storage/storage.ts'
import { createTestDatabase } from '../harness/each-engine.ts'
import { openTestStorage } from '../harness/test-storage.ts'

const ROUNDS = 60

describe('statements of a client that has left, on PostgreSQL', () => {
  let storage: Storage
  const log = createLogger('silent')

  beforeEach(async () => {
    const { url } = await createTestDatabase('postgres')
    // Two connections: what is canceled, and what cancels it. Every other statement uses one of them again.
    storage = await openStorage({
      url,
      log,
      use: 'server',
      onFatal: () => {},
      poolSizeMax: 2,
      statementTimeoutMs: 60_000,
    })
  })
  afterEach(() => storage.close())

  const searchFor = (signal: AbortSignal, seconds: number) =>
    sql`select pg_sleep(${seconds})`.execute(storage.search({ application: 'a', signal, from: 'request' }))

  it('end at once, long before their time limit', async () => {
    const leaving = new AbortController()
    const left = searchFor(leaving.signal, 600)
    setImmediate(() => leaving.abort())
    await expect(left).rejects.toMatchObject({ status: 499, message: 'The client closed the connection' })
  })

  it('are not started when the client has left before', async () => {
    await expect(searchFor(AbortSignal.abort(), 600)).rejects.toMatchObject({ status: 499 })
  })

  it('are canceled, and no later statement of the same connection', async () => {
    let served = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const leaving = new AbortController()
      // About when the statement ends by itself: sometimes before, sometimes after.
      setTimeout(() => leaving.abort(), 2)
      await searchFor(leaving.signal, 0.002).catch(() => {})
      const following = [1, 2].map((value) =>
        sql<{ value: number }>`select ${value}::int as value`.execute(storage.read),
      )
      for (const { rows } of await Promise.all(following)) served += rows.length
    }
    expect(served).toBe(2 * ROUNDS)
  })
})

it('a search of a client that has left ends long before its time limit, on SQLite', async () => {
  const database = await createTestDatabase('sqlite', 'migrated')
  const storage = await openTestStorage(database.url)
  const leaving = new AbortController()
  const q = storage.search({ application: 'a', signal: leaving.signal, from: 'request' })
  // A condition as searches have it, over rows without end.
  const endless = sql`with recursive c (n) as (select 1 union all select n + 1 from c)
    select count(*) from c where ${containsText(q, sql<string>`'text'`, 'never')}`.execute(q)
  setImmediate(() => leaving.abort())
  await expect(endless).rejects.toMatchObject({ status: 499, message: 'The client closed the connection' })
  await storage.close()
  database.remove()
})
