/**
 * Keeps the index for searching up to date, on a thread of its own, which starts when it is first needed.
 *
 * The thread reports when it has opened a file, so that searches open the same one. Errors of the index
 * are only logged: searches do without it in the meantime.
 */
import { Worker } from 'node:worker_threads'
import type Database from 'better-sqlite3'
import type { Logger } from '../../base/log.ts'
import { errorOf, type Failure } from '../../base/thread-failure.ts'
import { workerFile } from '../../base/worker-file.ts'
import type { CreateSearchIndexer, SearchIndexer } from '../../storage/sqlite/search-hooks.ts'
import { THREAD_LIMITS } from '../../storage/sqlite/thread-limits.ts'
import { hasSpansTable, onSpanDeleted, prepareLastPosition } from './indexed-spans-queries.ts'

export type IndexWork = 'index' | 'sweep' | 'reopen' | 'rebuild'
export type IndexerMessage = { kind: 'opened' } | { kind: 'rebuilding' | 'failed'; reason: string }

/** Few large steps cost less than many small ones, and what is not indexed yet is found all the same. */
const INDEX_AFTER_MS = 1_000

export const createSearchIndexer: CreateSearchIndexer = (writing, log) => new SqliteIndexer(writing, log)

class SqliteIndexer implements SearchIndexer {
  readonly #file: string
  readonly #log: Logger
  readonly #spans: SpansWatch
  readonly #onOpened: (() => void)[] = []
  #thread: Worker | undefined
  #wake: NodeJS.Timeout | undefined

  constructor(writing: Database.Database, log: Logger) {
    this.#file = writing.name
    this.#log = log
    this.#spans = new SpansWatch(writing)
  }

  onOpened(listener: () => void): void {
    this.#onOpened.push(listener)
  }

  /** Indexes new spans a moment later, once for all that come until then. */
  afterCommit(): void {
    if (!this.#spans.hasNew()) return
    this.#wake ??= setTimeout(() => {
      this.#wake = undefined
      this.#send('index')
    }, INDEX_AFTER_MS).unref()
  }

  /** What an earlier process stored and did not index is indexed from the first search on. */
  beforeSearch(): void {
    if (!this.#thread) this.#send('index')
  }

  releaseSpace(): void {
    if (this.#spans.hasDeleted()) this.#send('sweep')
  }

  onReadError(failure: Failure): void {
    this.#log.warn({ err: errorOf(failure) }, 'the search index could not be read; searches do without it for now')
    this.#send(/^SQLITE_(CORRUPT|NOTADB)/.test(failure.code) ? 'rebuild' : 'reopen')
  }

  async stop(): Promise<void> {
    clearTimeout(this.#wake)
    await this.#thread?.terminate()
  }

  #send(work: IndexWork): void {
    this.#thread ??= this.#start()
    this.#thread.postMessage(work)
  }

  #start(): Worker {
    const thread = new Worker(workerFile(new URL('./indexer-thread.ts', import.meta.url)), {
      workerData: this.#file,
      resourceLimits: THREAD_LIMITS,
    })
    thread.unref()
    thread.on('message', (news: IndexerMessage) => {
      if (news.kind === 'opened') for (const listener of this.#onOpened) listener()
      else if (news.kind === 'rebuilding') this.#log.warn({ reason: news.reason }, 'the search index is rebuilt')
      else this.#log.warn({ reason: news.reason }, 'the search index cannot be written; it will be tried again')
    })
    thread.on('error', (error) => {
      this.#log.error({ err: error }, 'the thread of the search index has ended; the next spans start another')
      this.#thread = undefined
    })
    return thread
  }
}

/** Whether spans have been stored, or deleted, on the writing connection since the last call. */
class SpansWatch {
  readonly #database: Database.Database
  #lastPosition: Database.Statement<unknown[], number> | undefined
  #position = 0
  #hasDeleted = false

  constructor(database: Database.Database) {
    this.#database = database
  }

  /** Call it between transactions. The first call after the table of spans was created starts the watch. */
  hasNew(): boolean {
    this.#lastPosition ??= this.#begin()
    const position = this.#lastPosition?.get() ?? 0
    const isNew = position !== this.#position
    this.#position = position
    return isNew
  }

  hasDeleted(): boolean {
    const hasDeleted = this.#hasDeleted
    this.#hasDeleted = false
    return hasDeleted
  }

  #begin(): Database.Statement<unknown[], number> | undefined {
    if (!hasSpansTable(this.#database)) return undefined
    onSpanDeleted(this.#database, () => {
      this.#hasDeleted = true
    })
    return prepareLastPosition(this.#database)
  }
}
