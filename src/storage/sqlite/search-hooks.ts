/**
 * What an embedded database needs of the index that its searches use. Storage owns the connections and knows when rows were committed,
 * searched or deleted. What is indexed, and how, is passed in, because storage does not know traces.
 */
import type Database from 'better-sqlite3'
import type { Logger } from '../../base/log.ts'
import type { Failure } from '../../base/thread-failure.ts'

/** In the server: keeps the index up to date with one open database. */
export type SearchIndexer = {
  /** Called after each commit, between two transactions of the writer. */
  afterCommit(): void
  /** Called before each search. */
  beforeSearch(): void
  /** Called when the space of deleted rows is given back to the disk. */
  releaseSpace(): void
  /** Called when a search could not read the index and ran without it. */
  onReadError(failure: Failure): void
  /** The listener is called when the indexer has opened the index, which may be a new file: searches then open it again. */
  onOpened(listener: () => void): void
  stop(): Promise<void>
}

/** `writing` is the connection of the writer. */
export type CreateSearchIndexer = (writing: Database.Database, log: Logger) => SearchIndexer

/** In a read worker: gives the connection of searches the schema `search`. */
export type SearchAttachment = {
  /** Returns what must be closed with the connection; undefined if there is no index of this database yet. Throws if there is one that cannot be read. */
  attach(database: Database.Database): { close(): void } | undefined
  /** An index without entries, to run the same statements while there is no other. */
  attachEmpty(database: Database.Database): void
}
