import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLogger } from '../../src/base/log.ts'
import type { ReadTask } from '../../src/storage/db.ts'
import { containsText } from '../../src/storage/dialect.ts'
import { ReadWorker } from '../../src/storage/sqlite/read-worker.ts'
import { workerQueries } from '../../src/storage/sqlite/worker-queries.ts'
import { makeFolder, waitFor } from '../harness/server-process.ts'
import type * as tasks from './read-worker-test-tasks.ts'

const entry = new URL('./read-worker-test-tasks.ts', import.meta.url)
const TIMEOUT = { timeout: 120_000 }

/** By name: only the worker may load the module itself. */
function named<Name extends keyof typeof tasks>(name: Name): (typeof tasks)[Name]
function named(name: string): Pick<ReadTask<never, never>, 'name'> {
  return { name }
}

describe('a read worker', () => {
  const { signal } = new AbortController()
  const log = createLogger('silent')
  let folder: ReturnType<typeof makeFolder>
  let database: Database.Database
  let worker: ReadWorker
  let start: (statementMsMax: number) => ReadWorker

  beforeEach(() => {
    folder = makeFolder()
    const file = join(folder.folder, 'numbers.db')
    database = new Database(file)
    database.exec('pragma journal_mode = wal; create table numbers (value); insert into numbers values (2), (3)')
    start = (statementMsMax) => new ReadWorker({ file, entry, log, statementMsMax })
    worker = start(120_000)
  })
  afterEach(async () => {
    await worker.stop()
    database.close()
    folder.remove()
  })

  describe('running tasks', () => {
    it('reads commits from before and after it started', async () => {
      expect(await worker.run(named('addUp'), { factor: 10 }, signal)).toBe(50)
      database.exec('insert into numbers values (4)')
      expect(await worker.run(named('addUp'), { factor: 1 }, signal)).toBe(9)
    })

    it('cannot write', async () => {
      await expect(worker.run(named('write'), null, signal)).rejects.toMatchObject({ status: 503 })
      expect(await worker.run(named('addUp'), { factor: 1 }, signal)).toBe(5)
    })

    it('rejects the task that failed, and no other', async () => {
      const [failed, added] = await Promise.allSettled([
        worker.run(named('fail'), 'this one', signal),
        worker.run(named('addUp'), { factor: 1 }, signal),
      ])
      expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'this one' } })
      expect(added).toMatchObject({ value: 5 })
    })

    it('rejects a task that it does not know', async () => {
      await expect(worker.run({ name: 'unknown' }, null, signal)).rejects.toThrow('has no task unknown')
    })

    it('runs others while one waits, and aborts that one when its signal is aborted', async () => {
      const leaving = new AbortController()
      const waiting = worker.run(named('wait'), null, leaving.signal)
      expect(await worker.run(named('addUp'), { factor: 1 }, signal)).toBe(5)
      leaving.abort()
      await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
      await expect(worker.run(named('wait'), null, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
      expect(await worker.run(named('aborted'), null, signal)).toBe(2)
    })

    it('sends batches in order, each after the one before has been handled', async () => {
      const handled: number[] = []
      let isBusy = false
      const onBatch = async ({ number }: { number: number }) => {
        expect(isBusy).toBe(false)
        isBusy = true
        // Time for the next one to come too early.
        await worker.run(named('addUp'), { factor: 1 }, signal)
        handled.push(number)
        isBusy = false
      }
      expect(await worker.run(named('count'), { last: 5 }, signal, onBatch)).toBe(5)
      expect(handled).toEqual([1, 2, 3, 4, 5])
    })

    it('sends no more batches when one could not be handled, and rejects with the reason', async () => {
      let handled = 0
      const onBatch = async () => {
        handled += 1
        if (handled === 2) throw new Error('enough')
      }
      await expect(worker.run(named('count'), { last: 5 }, signal, onBatch)).rejects.toThrow('enough')
      expect(await worker.run(named('addUp'), { factor: 1 }, signal)).toBe(5)
      expect(handled).toBe(2)
    })

    it('waits for the batch that is being handled when the task is aborted', async () => {
      const leaving = new AbortController()
      let isHandled = false
      const onBatch = async () => {
        leaving.abort()
        await worker.run(named('addUp'), { factor: 1 }, signal)
        isHandled = true
      }
      await worker.run(named('count'), { last: 5 }, leaving.signal, onBatch).catch(() => {})
      expect(isHandled).toBe(true)
      expect(await worker.run(named('aborted'), null, signal)).toBe(1)
    })
  })

  describe('running searches', () => {
    const threads: Worker[] = []
    const note = (thread: Worker) => threads.push(thread)
    const search = (text: string) => worker.query({ kind: 'search', sql: text, parameters: [] })
    const endedThreads = () => threads.filter(({ threadId }) => threadId === -1)

    beforeEach(() => {
      process.on('worker', note)
    })
    afterEach(() => {
      process.off('worker', note)
      threads.length = 0
    })

    /** A condition as searches have it, over rows without end. */
    function searchEndlessly(canceled?: AbortSignal, by = worker): Promise<unknown> {
      const q = workerQueries('search', (text, parameters) =>
        by.query({ kind: 'search', sql: text, parameters }, canceled),
      )
      const isFound = containsText(q, sql<string>`'text'`, 'never')
      return sql`with recursive c (n) as (select 1 union all select n + 1 from c)
        select count(*) from c where ${isFound}`.execute(q)
    }

    it('ends a search at the time limit, together with its thread, and serves the next one', async () => {
      const impatient = start(2_000)
      await expect(searchEndlessly(undefined, impatient)).rejects.toMatchObject({
        status: 503,
        message: expect.stringContaining('exceeded the time limit'),
      })
      // On a busy machine, starting another thread can need longer than the limit.
      const next = () => impatient.query({ kind: 'search', sql: 'select 2 as n', parameters: [] })
      await vi.waitFor(async () => expect(await next()).toEqual([{ n: 2 }]), TIMEOUT)
      await vi.waitFor(() => expect(endedThreads()).not.toHaveLength(0), TIMEOUT)
      await impatient.stop()
    })

    it('stops a search whose client has left, and serves the next one on the same thread', async () => {
      expect(await search('select 1 as n')).toEqual([{ n: 1 }])
      for (let time = 0; time < 3; time += 1) {
        const leaving = new AbortController()
        const left = expect(searchEndlessly(leaving.signal)).rejects.toMatchObject({ status: 499 })
        await new Promise((resolve) => setImmediate(resolve))
        leaving.abort()
        await left
        expect(await search('select 2 as n')).toEqual([{ n: 2 }])
      }
      expect(endedThreads()).toHaveLength(0)
    })

    it('aborts a search when the database is closed', async () => {
      expect(await search('select 1 as n')).toEqual([{ n: 1 }])
      const endless = expect(searchEndlessly()).rejects.toMatchObject({ status: 503 })
      // The statement is on its way when the event loop comes round.
      await new Promise((resolve) => setImmediate(resolve))
      await worker.stop()
      await endless
      await expect(search('select 1')).rejects.toMatchObject({ status: 503 })
    })

    it('rejects a statement that is wrong, and one that writes', async () => {
      await expect(search('select nothing')).rejects.toMatchObject({ code: 'SQLITE_ERROR' })
      expect(await search('select 1 as n')).toEqual([{ n: 1 }])
      await expect(search('delete from numbers')).rejects.toThrow()
    })
  })

  it('rejects running tasks when its thread fails, and starts another for the next request', async () => {
    const others = worker.run(named('wait'), null, signal)
    const broken = worker.run(named('breakDown'), null, signal)
    for (const task of [others, broken]) await expect(task).rejects.toMatchObject({ status: 503 })
    expect(await worker.run(named('addUp'), { factor: 1 }, signal)).toBe(5)
  })

  it('rejects everything when it is stopped', async () => {
    const waiting = expect(worker.run(named('wait'), null, signal)).rejects.toMatchObject({ status: 503 })
    await worker.stop()
    await waiting
    await expect(worker.run(named('addUp'), { factor: 1 }, signal)).rejects.toMatchObject({ status: 503 })
  })

  it('ends its thread when it is idle, and starts another when it is needed', async () => {
    const brief = new ReadWorker({ file: database.name, entry, log, idleMsMax: 1 })
    expect(await brief.run(named('addUp'), { factor: 1 }, signal)).toBe(5)
    await waitFor('the thread to end', async () => !brief.isRunning || undefined)
    expect(await brief.run(named('addUp'), { factor: 1 }, signal)).toBe(5)
    await brief.stop()
  })
})
