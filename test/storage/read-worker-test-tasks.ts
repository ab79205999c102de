/** The tasks that the tests of `ReadWorker` run. */
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { unavailable } from '../../src/base/errors.ts'
import type { ReadTask } from '../../src/storage/db.ts'
import { serveReadWorker } from '../../src/storage/sqlite/serve-read-worker.ts'
import { searchAttachment } from '../../src/traces/search/attach-search-index.ts'

export const addUp: ReadTask<{ factor: number }, number> = {
  name: 'addUp',
  async run(q, { factor }) {
    const { rows } = await sql<{ sum: number }>`select sum(value) as sum from numbers`.execute(q)
    return (rows[0]?.sum ?? 0) * factor
  },
}

export const write: ReadTask<null, null> = {
  name: 'write',
  async run(q) {
    await sql`insert into numbers (value) values (1)`.execute(q)
    return null
  },
}

export const fail: ReadTask<string, never> = {
  name: 'fail',
  run: (_, message) => Promise.reject(unavailable(message)),
}

let abortedCount = 0

/** Ends when it is aborted. */
export const wait: ReadTask<null, 'aborted'> = {
  name: 'wait',
  async run(_, __, signal) {
    await delay(2 ** 30, undefined, { signal }).catch(() => {})
    abortedCount += 1
    return 'aborted'
  },
}

/** How many tasks have ended because they were aborted. */
export const aborted: ReadTask<null, number> = {
  name: 'aborted',
  run: async () => abortedCount,
}

/** Sends all numbers up to the last, and returns how many it sent before it was aborted. */
export const count: ReadTask<{ last: number }, number, { number: number }> = {
  name: 'count',
  async run(_, { last }, signal, onBatch) {
    let sent = 0
    while (sent < last && !signal.aborted) {
      sent += 1
      await onBatch({ number: sent })
    }
    if (signal.aborted) abortedCount += 1
    return sent
  },
}

/** Throws outside of any promise, as running out of memory does. */
export const breakDown: ReadTask<null, never> = {
  name: 'breakDown',
  run: () => {
    setImmediate(() => {
      throw new Error('broken down')
    })
    return new Promise(() => {})
  },
}

const tasks = [addUp, write, fail, wait, aborted, count, breakDown]
serveReadWorker({ searchAttachment, tasks: Object.fromEntries(tasks.map((task) => [task.name, async () => task])) })
