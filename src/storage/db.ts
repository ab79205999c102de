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
  transaction<Result>(work: (tx: Queries) => Promise<Result>): Promise<Result>
}

/** A Db that is one open transaction: operations that open their own join it. */
export function joined(tx: Queries): Db {
  return { read: tx, bulk: tx, transaction: (work) => work(tx) }
}
