// @module-tag sql
import { sql } from 'kysely'
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../harness/each-engine.ts'
import { openTestStorage } from '../harness/test-storage.ts'
import { waitFor } from '../harness/wait-for.ts'

/** As Citus does for a node that is away: the error of a lost connection, over one that is not lost. */
const LOST = sql`do $$ begin raise exception using errcode = '08006', message = 'a node is away'; end $$`

describe('a connection that reports another lost connection (postgres)', () => {
  it('is closed: reads, searches and transactions leave no more connections than the pool may have', async () => {
    const { url } = await createTestDatabase('postgres', 'migrated')
    const storage = await openTestStorage(url)
    const watcher = new Client({ connectionString: url, application_name: 'watcher' })
    await watcher.connect()
    const connections = async () => {
      const { rows } = await watcher.query(`select count(*)::integer as count from pg_stat_activity
        where datname = current_database() and application_name = 'touchstone'`)
      return rows[0].count
    }
    const caller = { application: 'any', from: 'job' } as const
    for (let turn = 0; turn < 10; turn += 1) {
      const failing = [
        LOST.execute(storage.read),
        LOST.execute(storage.search(caller)),
        LOST.execute(storage.bulk(caller)),
        storage.transaction((tx) => LOST.execute(tx)),
      ]
      for (const one of await Promise.allSettled(failing)) expect(one).toMatchObject({ reason: { status: 503 } })
    }
    await waitFor('closed connections', async () => (await connections()) <= 5 || undefined)
    await sql`select 1`.execute(storage.read)
    await storage.close()
    await waitFor('the last connection', async () => (await connections()) === 0 || undefined)
    await watcher.end()
  })
})
