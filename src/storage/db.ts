import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** Where a query runs: the read side of a database, or a transaction. Query functions take this and need not know which. */
export type Queries = Kysely<Tables>

/**
 * What operations work with. Reads see everything that has been acknowledged. Writes happen only inside `transaction`,
 * whose promise resolves when the work is on disk; if `work` throws, nothing of it remains. `work` may be run again
 * after a serialization failure, so it must not touch anything but the database.
 */
export type Db = {
  readonly read: Queries
  /** For reads that may take long, such as searching: the same data, but nobody else waits while they run. */
  readonly bulk: Queries
  /** Does much reading, with all that is computed from it, where nobody else waits for it. */
  readApart<Input, Output>(work: ReadingWork<Input, Output>, input: Input, signal: AbortSignal): Promise<Output>
  transaction<Result>(work: (tx: Queries) => Promise<Result>): Promise<Result>
}

/**
 * Work that reads much and learns little, such as summing up: what goes in and what comes out are plain data, which another thread can
 * be sent. It writes nothing. What may be done on a thread is listed in `reading-thread.ts`.
 */
export type ReadingWork<Input, Output> = {
  readonly name: string
  /** When `signal` is aborted nobody waits for the outcome any more, and it may be anything. */
  run(q: Queries, input: Input, signal: AbortSignal): Promise<Output>
}

/** A Db that is one open transaction: operations that open their own join it. */
export function joined(tx: Queries): Db {
  return {
    read: tx,
    bulk: tx,
    readApart: (work, input, signal) => work.run(tx, input, signal),
    transaction: (work) => work(tx),
  }
}
