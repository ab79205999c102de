// @module-tag deep
/** Work that waits inside its transaction for something that never comes; others write meanwhile. */
import { sql } from 'kysely'
import { afterEach, expect, it } from 'vitest'
import type { Queries } from '../../src/storage/db.ts'
import { openStorage, type Storage } from '../../src/storage/storage.ts'
import { collectingLog } from '../harness/collecting-log.ts'
import { createTestDatabase, describeEngines, type TestDatabase } from '../harness/each-engine.ts'

/** Short, because the test waits for the limit that is made from it. */
const STATEMENT_MS = 400
const STUCK = 4
const WRITES = 20

describeEngines('transactions that never end', (engine) => {
  let storage: Storage | undefined
  let database: TestDatabase | undefined
  afterEach(async () => {
    await storage?.close()
    database?.remove()
  })

  it('are undone and logged at their time limit, and every other write is served', async () => {
    database = await createTestDatabase(engine, 'migrated')
    const { log, logged } = collectingLog('error')
    const options = { url: database.url, log, use: 'server' as const, onFatal: () => {} }
    // Fewer connections than stuck transactions: those must not keep theirs.
    storage = await openStorage({ ...options, poolSizeMax: 2, statementTimeoutMs: STATEMENT_MS })
    const { transaction } = storage
    const insert = (id: string) => (tx: Queries) =>
      sql`insert into instance_settings (name, value) values (${id}, '1')`.execute(tx)
    const stuck = Array.from({ length: STUCK }, (_, place) =>
      transaction(async (tx) => {
        await insert(`stuck ${place}`)(tx)
        await new Promise(() => {})
      }).catch((error: unknown) => error),
    )
    let served = 0
    for (let write = 0; write < WRITES; write += 1) {
      await transaction(insert(`write ${write}`))
      served += 1
    }
    expect(served).toBe(WRITES)
    for (const error of await Promise.all(stuck)) expect(error).toMatchObject({ status: 503 })
    const { rows } = await sql<{ name: string }>`select name from instance_settings where name like 'stuck%'`.execute(
      storage.read,
    )
    expect(rows).toEqual([])
    expect(logged.filter((line) => /time limit.*/.test(line) && line.includes('instance_settings'))).toHaveLength(STUCK)
  })
})
