/**
 * Keeps the index for searching up to date, on a thread of its own, which starts when it is first needed.
 *
 * The thread reports when it has opened a file, so that searches open the same one. Errors of the index
 * are only logged: searches do without it in the meantime.
 */
import { Worker } from 'node:worker_threads'
import type { Logger } from '../../base/log.ts'
import { THREAD_LIMITS } from './thread-limits.ts'

export type IndexWork = 'index' | 'sweep' | 'reopen' | 'rebuild'
export type IndexerMessage = { kind: 'opened' } | { kind: 'rebuilding' | 'failed'; reason: string }

/** Few large steps cost less than many small ones, and what is not indexed yet is found all the same. */
const INDEX_AFTER_MS = 1_000

export class SqliteIndexer {
  readonly #file: string
  readonly #log: Logger
  readonly #onOpened: (() => void)[] = []
  #thread: Worker | undefined
  #wake: NodeJS.Timeout | undefined

  constructor(file: string, log: Logger) {
    this.#file = file
    this.#log = log
  }

  onOpened(listener: () => void): void {
    this.#onOpened.push(listener)
  }

  /** What an earlier process stored and did not index is indexed from the first search on. */
  start(): void {
    if (!this.#thread) this.#send('index')
  }

  /** Spans may have been stored: index them, a moment later, once for all that come until then. */
  indexSoon(): void {
    this.#wake ??= setTimeout(() => {
      this.#wake = undefined
      this.#send('index')
    }, INDEX_AFTER_MS).unref()
  }

  /** Spans have been deleted: forget what the index still has of them. */
  sweep(): void {
    this.#send('sweep')
  }

  /** A search could not read the index: it is opened again, or rebuilt. */
  repair(how: 'reopen' | 'rebuild'): void {
    this.#send(how)
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
    const thread = new Worker(new URL('./indexer-thread.ts', import.meta.url), {
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
