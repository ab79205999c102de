/**
 * A thread beside the server, for questions that would hold the process, such as searching.
 *
 * It starts when it is first needed, so that an idle server does without, and answers one question at a time. One that takes too long
 * is ended together with the thread; those that wait are asked on the next one. So it is when the thread fails. The index that it
 * reads is written on another thread, by `SqliteIndexer`: no question waits for that.
 */
import { Worker } from 'node:worker_threads'
import { type CompiledQuery, type DatabaseConnection, Kysely, type QueryResult, SqliteAdapter } from 'kysely'
import { type AppError, unavailable } from '../../base/errors.ts'
import type { Logger } from '../../base/log.ts'
import { errorOf, type Failure } from '../../base/thread-failure.ts'
import type { Queries } from '../db.ts'
import { gone } from '../search-gate.ts'
import type { Tables } from '../tables.ts'
import { dialectOn, explain, rowsOf } from './connection.ts'
import type { SqliteIndexer } from './indexer.ts'
import { THREAD_LIMITS } from './thread-limits.ts'

export type SideData = { file: string; isUnwanted: Int32Array }
export type Asked = { kind: 'query'; sql: string; parameters: readonly unknown[] } | { kind: 'reconnect' }
export type Answer = { rows: unknown[] } | Failure
/** `indexError` tells what is wrong with the index, the first time that a question had to do without it. */
export type Told = Answer & { indexError?: Failure | undefined }

type Question = {
  sql: string
  parameters: readonly unknown[]
  resolve(rows: unknown[]): void
  reject(error: unknown): void
}

/** More than people ask at a time; whoever comes then is told to come again, rather than wait without end. */
const WAITING_MAX = 64
const QUESTION_MS_MAX = 30_000

type SideOptions = { file: string; log: Logger; indexer: SqliteIndexer; questionMsMax?: number }

export class SqliteSide {
  readonly #file: string
  readonly #log: Logger
  readonly #indexer: SqliteIndexer
  readonly #questionMsMax: number
  readonly #waiting: Question[] = []
  #asked: Question | undefined
  #patience: NodeJS.Timeout | undefined
  #thread: Worker | undefined
  /** Shared with the thread: 1 when nobody waits for its answer any more. */
  #isUnwanted = newFlag()
  #isStopped = false

  constructor({ file, log, indexer, questionMsMax = QUESTION_MS_MAX }: SideOptions) {
    this.#file = file
    this.#log = log
    this.#indexer = indexer
    this.#questionMsMax = questionMsMax
    indexer.onOpened(() => this.#thread?.postMessage({ kind: 'reconnect' } satisfies Asked))
  }

  /** When the signal is aborted the question is forgotten, or its statement ended at the next text that it compares. */
  query(sql: string, parameters: readonly unknown[], signal?: AbortSignal): Promise<unknown[]> {
    if (signal?.aborted) return Promise.reject(gone())
    if (this.#isStopped) return Promise.reject(interrupted(new Error('the database has been closed')))
    if (this.#waiting.length >= WAITING_MAX) {
      return Promise.reject(unavailable('Too many searches are running; try again in a moment'))
    }
    this.#indexer.start()
    return new Promise<unknown[]>((resolve, reject) => {
      const question: Question = { sql, parameters, resolve, reject }
      const cancel = () => this.#cancel(question)
      const settled = <Given extends unknown[]>(settle: (...given: Given) => void) => {
        return (...given: Given) => {
          signal?.removeEventListener('abort', cancel)
          settle(...given)
        }
      }
      question.resolve = settled(resolve)
      question.reject = settled(reject)
      signal?.addEventListener('abort', cancel, { once: true })
      this.#waiting.push(question)
      this.#askNext()
    })
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    const ended = this.#endThread()
    const error = interrupted(new Error('the database is being closed'))
    this.#takeAsked()?.reject(error)
    for (const { reject } of this.#waiting.splice(0)) reject(error)
    await ended
  }

  #cancel(question: Question): void {
    const place = this.#waiting.indexOf(question)
    if (place !== -1) this.#waiting.splice(place, 1)
    // The thread says when it has stopped; until then nothing else is asked of it.
    if (this.#asked === question) Atomics.store(this.#isUnwanted, 0, 1)
    question.reject(gone())
  }

  #askNext(): void {
    if (this.#asked) return
    this.#asked = this.#waiting.shift()
    if (!this.#asked) return
    const { sql, parameters } = this.#asked
    this.#patience = setTimeout(() => this.#giveUp(), this.#questionMsMax).unref()
    this.#thread ??= this.#start()
    this.#thread.postMessage({ kind: 'query', sql, parameters } satisfies Asked)
  }

  #takeAsked(): Question | undefined {
    const asked = this.#asked
    this.#asked = undefined
    clearTimeout(this.#patience)
    return asked
  }

  #giveUp(): void {
    this.#log.warn({ sql: this.#asked?.sql }, 'a search took too long and was ended')
    void this.#endThread()
    this.#takeAsked()?.reject(unavailable('The search took too long; ask for less, or for a shorter time'))
    this.#askNext()
  }

  /**
   * Ends the thread; what it tells meanwhile is no longer heard. Terminating it would stop no statement that is running, and would even
   * keep it from looking at the flag: so a thread that has a question is terminated when it has answered.
   */
  async #endThread(): Promise<void> {
    const thread = this.#thread
    if (!thread) return
    this.#thread = undefined
    const ended = new Promise((resolve) => thread.once('exit', resolve))
    Atomics.store(this.#isUnwanted, 0, 1)
    if (this.#asked) thread.once('message', () => void thread.terminate())
    else void thread.terminate()
    await ended
  }

  #start(): Worker {
    this.#isUnwanted = newFlag()
    const workerData: SideData = { file: this.#file, isUnwanted: this.#isUnwanted }
    const thread = new Worker(new URL('./side-thread.ts', import.meta.url), {
      workerData,
      resourceLimits: THREAD_LIMITS,
    })
    thread.unref()
    thread.on('message', (told: Told) => {
      if (this.#thread !== thread) return
      const asked = this.#takeAsked()
      Atomics.store(this.#isUnwanted, 0, 0)
      if ('rows' in told) asked?.resolve(told.rows)
      else asked?.reject(explain(errorOf(told)))
      if (told.indexError) this.#repairIndex(told.indexError)
      this.#askNext()
    })
    thread.on('error', (error) => {
      if (this.#thread !== thread) return
      this.#log.error({ err: error }, 'the search thread has failed; the next search starts it anew')
      this.#thread = undefined
      this.#takeAsked()?.reject(interrupted(error))
      this.#askNext()
    })
    return thread
  }

  #repairIndex(failure: Failure): void {
    this.#log.warn({ err: errorOf(failure) }, 'the search index could not be read; searches do without it for now')
    this.#indexer.repair(/^SQLITE_(CORRUPT|NOTADB)/.test(failure.code) ? 'rebuild' : 'reopen')
  }
}

function newFlag(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
}

function interrupted(cause: unknown): AppError {
  return unavailable('The search was interrupted; try again', cause)
}

/** A handle whose queries run on the thread. It reads only, and it can see the search index. */
export function queriesBeside(side: SqliteSide, signal?: AbortSignal): Queries {
  return new Kysely<Tables>({ dialect: dialectOn(new SideConnection(side, signal), new SideAdapter()) })
}

/** Whether a handle can see the search index. */
export function seesSearchIndex(q: Queries): boolean {
  return q.getExecutor().adapter instanceof SideAdapter
}

class SideAdapter extends SqliteAdapter {}

class SideConnection implements DatabaseConnection {
  readonly #side: SqliteSide
  readonly #signal: AbortSignal | undefined

  constructor(side: SqliteSide, signal?: AbortSignal) {
    this.#side = side
    this.#signal = signal
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    return { rows: rowsOf<Row>(await this.#side.query(sql, parameters, this.#signal)) }
  }

  // biome-ignore lint/correctness/useYield: the interface asks for it; nothing here streams
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Streaming queries are not used; page through the rows instead')
  }
}
