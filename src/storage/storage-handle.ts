import type { Logger } from '../base/log.ts'
import type { DbOutsideTransaction, Queries } from './db.ts'
import type { CreateSearchIndexer } from './sqlite/search-hooks.ts'

export type Storage = DbOutsideTransaction & {
  readonly engine: 'sqlite' | 'postgres'
  /** The location of the data, for display; never contains a password. */
  readonly location: string
  /** True if no other process can be serving or working on this database at the same time. */
  readonly isOnlyProcess: boolean
  /** A transaction without a time limit that only one process at a time can run; used at startup. */
  exclusiveTransaction<Result>(work: (tx: Queries) => Promise<Result>): Promise<Result>
  /** Throws when the database cannot be written to right now. */
  checkWritable(): Promise<void>
  /** Throws when a node of a database that is spread over several cannot be reached. */
  checkNodes(): Promise<void>
  /** Copies a consistent snapshot into a new file while the server runs. */
  backup(file: string): Promise<void>
  /** Returns the space of deleted rows to the disk, if there is enough of it; in small steps, between other transactions. */
  releaseSpace(): Promise<void>
  /** The bytes on disk; cheap enough to be polled. */
  readSize(): Promise<number>
  /** The size of the write-ahead log and how often it was copied into the database; undefined where the database server does that. */
  readLog(): { bytes: number; checkpoints: number } | undefined
  /** The version of the database software. */
  readVersion(): Promise<string>
  close(): Promise<void>
}

export type StorageOptions = {
  url: string
  log: Logger
  /** A server locks an embedded database exclusively; a command does not. */
  use: 'server' | 'command'
  /** Called when the disk has failed, so that it is unknown what is stored: the process should end. */
  onFatal(error: unknown): void
  /** What the program adds to the embedded database of a server. Without it, tasks run in the calling thread, and searches have no index. */
  embedded?: EmbeddedOptions
  poolSizeMax: number
  /** Of one statement, where the engine can end one; a transaction may take `transactionTimeoutMs` of it. */
  statementTimeoutMs: number
}

type EmbeddedOptions = {
  /** The module of the read workers, which knows the tasks and attaches the search index: `read-worker-tasks.ts`. */
  readWorkerEntry: URL
  createSearchIndexer: CreateSearchIndexer
}
