import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** The handle of a query: the read connection of a database, or a transaction. Query functions accept both. */
export type Queries = Kysely<Tables>

/**
 * The database handle of operations. Reads see everything that has been acknowledged. Writes happen only inside `transaction`,
 * whose promise resolves when the work is on disk; if `work` throws, nothing of it remains. `work` may be run again
 * after a serialization failure, so it must not touch anything but the database.
 */
export type Db = {
  readonly read: Queries
  readonly inTransaction: boolean
  /** For reads of many rows, such as exports. Requests are not blocked, and applications take turns, statement by statement. */
  bulk(caller: ReadCaller): Queries
  /** The same for searches, which never delay bulk reads. The handle has the text index if there is one. */
  search(caller: ReadCaller): Queries
  /** Runs a read-heavy task in a worker so that requests are not blocked. After `signal` is aborted it settles soon, with any outcome. */
  inReadWorker<Input, Output, Batch = never>(
    task: ReadTask<Input, Output, Batch>,
    input: Input,
    options: TaskOptions<Batch>,
  ): Promise<Output>
  /**
   * Applications take turns, transaction by transaction: what one of them has queued delays another one by a single transaction. So work
   * that needs longer than some 50 ms should be several.
   */
  transaction<Result>(work: (tx: Queries) => Promise<Result>, application?: string): Promise<Result>
}

/**
 * Few reads run at a time. When an application has too many waiting, its next request gets 429; one from a job waits. When `signal` is
 * aborted, the statement that runs is canceled.
 */
export type ReadCaller = { application: string; signal?: AbortSignal | undefined; from: 'request' | 'job' }

/**
 * A Db that is not an open transaction. Code that waits for anything but the database, such as a model or DNS, requires this type: inside
 * a transaction it would make every other writer wait as well.
 */
export type DbOutsideTransaction = Db & { readonly inTransaction: false }

/** Resolves when the next batch may follow. If it rejects, the task is aborted. */
export type OnBatch<Batch> = (batch: Batch) => Promise<void>

export type TaskOptions<Batch> = { application: string; signal: AbortSignal; onBatch?: OnBatch<Batch> }

/** For tasks without batches. */
export const ignoreBatch: OnBatch<unknown> = async () => {}

/**
 * A task that reads many rows and returns few, such as a summary: input and output are plain data, which can be sent to a worker. It
 * writes nothing. The tasks that a worker knows are listed in `read-worker-tasks.ts`.
 */
export type ReadTask<Input, Output, Batch = never> = {
  readonly name: string
  /** After `signal` is aborted the outcome is ignored. */
  run(q: Queries, input: Input, signal: AbortSignal, onBatch: OnBatch<Batch>): Promise<Output>
}

/**
 * A Db that is one open transaction: operations that open their own join it. Large reads come before it: in the transaction they
 * would run on the main thread, while all other writers wait.
 */
export function dbWithin(tx: Queries): Db {
  return {
    inTransaction: true,
    read: tx,
    bulk: notWithin,
    search: notWithin,
    inReadWorker: notWithin,
    transaction: (work) => work(tx),
  }
}

function notWithin(): never {
  throw new Error('A large read inside a transaction; it belongs to the prepare step of the route')
}
