import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLogger } from '../../src/base/log.ts'
import { ReadPool } from '../../src/storage/sqlite/read-pool.ts'
import { makeFolder } from '../harness/server-process.ts'
import { until } from '../harness/wait-for.ts'

const entry = new URL('./read-worker-test-tasks.ts', import.meta.url)
const EXCEEDED = { status: 503, message: expect.stringContaining('exceeded the time limit; request fewer rows') }
const STILL_RUNNING = {
  status: 503,
  message: expect.stringContaining('still being stopped'),
  headers: { 'retry-after': '1' },
}

describe('bulk reads that exceed their time limit', () => {
  const threads: Worker[] = []
  const note = (thread: Worker) => threads.push(thread)
  let folder: ReturnType<typeof makeFolder>
  let locking: Database.Database
  let pool: ReadPool

  beforeEach(() => {
    folder = makeFolder()
    const file = join(folder.folder, 'locked.db')
    locking = new Database(file)
    // Without a write-ahead log, readers wait for this lock inside their statement, as long as others compute.
    locking.exec('create table numbers (value); insert into numbers values (1); begin exclusive')
    pool = new ReadPool({ file, entry, log: createLogger('silent'), indexer: undefined, statementMsMax: 200 })
    process.on('worker', note)
  })
  afterEach(async () => {
    process.off('worker', note)
    threads.length = 0
    await pool.stop()
    locking.close()
    folder.remove()
  })

  const read = async (application: string, from: 'request' | 'job' = 'request') =>
    (await sql`select value from numbers`.execute(pool.bulk({ application, from }))).rows

  it('leave one thread to their application, and four to all, until they have ended', async () => {
    await expect(read('a')).rejects.toMatchObject(EXCEEDED)
    await expect(read('a')).rejects.toMatchObject(STILL_RUNNING)
    expect(threads).toHaveLength(1)
    for (const application of ['b', 'c', 'd']) await expect(read(application)).rejects.toMatchObject(EXCEEDED)
    await expect(read('e')).rejects.toMatchObject(STILL_RUNNING)
    await expect(read('a', 'job')).rejects.toMatchObject(STILL_RUNNING)
    expect(threads).toHaveLength(4)
    locking.exec('rollback')
    await until(() => expect(threads.slice(0, 4).map(({ threadId }) => threadId)).toEqual([-1, -1, -1, -1]))
    // On a busy machine, starting another thread can need longer than the limit.
    await expect(read('e').catch(({ message }) => message)).resolves.not.toContain('still being stopped')
  })

  it('block requests of their application until the last of them has ended', async () => {
    await expect(read('a')).rejects.toMatchObject(EXCEEDED)
    // Waits for no lock, and computes for seconds.
    const counting = sql`with recursive counted (n) as (select 1 union all select n + 1 from counted where n < 60000000)
      select max(n) from counted`.execute(pool.bulk({ application: 'a', from: 'job' }))
    await expect(counting).rejects.toMatchObject(EXCEEDED)
    locking.exec('rollback')
    await until(() => expect(threads[0]?.threadId).toBe(-1))
    expect(threads[1]?.threadId).not.toBe(-1)
    await expect(read('a')).rejects.toMatchObject(STILL_RUNNING)
  })
})
