/** What the tests of `ReadingApart` have done on its thread. */
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { unavailable } from '../../src/base/errors.ts'
import type { ReadingWork } from '../../src/storage/db.ts'
import { doApart } from '../../src/storage/sqlite/reading-apart-thread.ts'

export const addUp: ReadingWork<{ factor: number }, number> = {
  name: 'addUp',
  async run(q, { factor }) {
    const { rows } = await sql<{ sum: number }>`select sum(value) as sum from numbers`.execute(q)
    return (rows[0]?.sum ?? 0) * factor
  },
}

export const write: ReadingWork<null, null> = {
  name: 'write',
  async run(q) {
    await sql`insert into numbers (value) values (1)`.execute(q)
    return null
  },
}

export const fail: ReadingWork<string, never> = {
  name: 'fail',
  run: (_, message) => Promise.reject(unavailable(message)),
}

let ended = 0

/** Ends when nobody wants it any more. */
export const wait: ReadingWork<null, 'aborted'> = {
  name: 'wait',
  async run(_, __, signal) {
    await delay(2 ** 30, undefined, { signal }).catch(() => {})
    ended += 1
    return 'aborted'
  },
}

/** How many pieces of work have ended because nobody wanted them any more. */
export const aborted: ReadingWork<null, number> = {
  name: 'aborted',
  run: async () => ended,
}

/** Tells all numbers up to the last, one after the other, and answers how many it told before nobody wanted more. */
export const count: ReadingWork<{ last: number }, number, { number: number }> = {
  name: 'count',
  async run(_, { last }, signal, take) {
    let told = 0
    while (told < last && !signal.aborted) {
      told += 1
      await take({ number: told })
    }
    if (signal.aborted) ended += 1
    return told
  },
}

/** Throws where nobody catches it, as running out of memory does. */
export const breakDown: ReadingWork<null, never> = {
  name: 'breakDown',
  run: () => {
    setImmediate(() => {
      throw new Error('broken down')
    })
    return new Promise(() => {})
  },
}

doApart([addUp, write, fail, wait, aborted, count, breakDown])
