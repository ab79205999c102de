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
  readonly inTransaction: boolean
  /** For reads that may take long, such as searching: the same data, but nobody else waits while they run. */
  readonly bulk: Queries
  /**
   * Does much reading, with all that is computed from it, where nobody else waits for it. `take` is told what comes out on the way. When
   * `signal` is aborted it rejects or resolves soon, with anything.
   */
  readApart<Input, Output, Part = never>(
    work: ReadingWork<Input, Output, Part>,
    input: Input,
    signal: AbortSignal,
    take?: Take<Part>,
  ): Promise<Output>
  /**
   * Runs a search, whose handle can see the index of texts where there is one. Few run at a time and applications take turns; throws 429
   * when an application sends too many. When `signal` is aborted the search ends soon.
   */
  search<Result>(by: SearchCaller, work: (q: Queries) => Promise<Result>): Promise<Result>
  transaction<Result>(work: (tx: Queries) => Promise<Result>): Promise<Result>
}

export type SearchCaller = { application: string; signal: AbortSignal }

/**
 * A Db that is not an open transaction. Code that waits for anything but the database, such as a model or DNS, requires this type: inside
 * a transaction it would make every other writer wait as well.
 */
export type OutsideDb = Db & { readonly inTransaction: false }

/** Resolves when there may be more. If it rejects, nobody wants the rest. */
export type Take<Part> = (part: Part) => Promise<void>

/** For work that tells nothing on the way. */
export const takeNothing: Take<unknown> = async () => {}

/**
 * Work that reads much and learns little, such as summing up: what goes in and what comes out are plain data, which another thread can
 * be sent. It writes nothing. What may be done on a thread is listed in `reading-thread.ts`.
 */
export type ReadingWork<Input, Output, Part = never> = {
  readonly name: string
  /** When `signal` is aborted nobody waits for the outcome any more, and it may be anything. */
  run(q: Queries, input: Input, signal: AbortSignal, take: Take<Part>): Promise<Output>
}

/** A Db that is one open transaction: operations that open their own join it. */
export function joined(tx: Queries): Db {
  return {
    inTransaction: true,
    read: tx,
    bulk: tx,
    readApart: (work, input, signal, take = takeNothing) => work.run(tx, input, signal, take),
    search: (_by, work) => work(tx),
    transaction: (work) => work(tx),
  }
}
