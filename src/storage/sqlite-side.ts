/**
 * A thread beside the server, for what would hold the process: searching, and writing the index for it.
 *
 * It starts when it is first needed, so that an idle server does without. If it fails, the questions that it had are answered with
 * a passing error, and the next one starts it anew.
 */
import { Worker } from 'node:worker_threads'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { unavailable } from '../base/errors.ts'
import type { Logger } from '../base/log.ts'
import type { Queries } from './db.ts'
import { explain } from './sqlite-connection.ts'
import type { Tables } from './tables.ts'

export type Asked =
  | { kind: 'query'; id: number; sql: string; parameters: readonly unknown[] }
  | { kind: 'index' | 'sweep' }
export type Told = { id: number; rows: unknown[] } | { id: number; message: string; code: string }

type Waiting = { resolve(rows: unknown[]): void; reject(error: unknown): void }

/** More than people ask at a time; whoever comes then is told to come again, rather than wait without end. */
const WAITING_MAX = 64
/** Few large steps cost less than many small ones, and what is not indexed yet is found all the same. */
const INDEX_AFTER_MS = 1_000

export class SqliteSide {
  readonly #file: string
  readonly #log: Logger
  readonly #waiting = new Map<number, Waiting>()
  #thread: Worker | undefined
  #asked = 0
  #wake: NodeJS.Timeout | undefined

  constructor(file: string, log: Logger) {
    this.#file = file
    this.#log = log
  }

  query(sql: string, parameters: readonly unknown[]): Promise<unknown[]> {
    if (this.#waiting.size >= WAITING_MAX) {
      return Promise.reject(unavailable('Too many searches are running; try again in a moment'))
    }
    return new Promise((resolve, reject) => {
      this.#asked += 1
      this.#waiting.set(this.#asked, { resolve, reject })
      this.#send({ kind: 'query', id: this.#asked, sql, parameters })
    })
  }

  /** Spans may have been stored: index them, a moment later, once for all that come until then. */
  indexSoon(): void {
    this.#wake ??= setTimeout(() => {
      this.#wake = undefined
      this.#send({ kind: 'index' })
    }, INDEX_AFTER_MS).unref()
  }

  /** Spans have been deleted: forget what the index still has of them. */
  sweep(): void {
    this.#send({ kind: 'sweep' })
  }

  async stop(): Promise<void> {
    clearTimeout(this.#wake)
    await this.#thread?.terminate()
    this.#fail(new Error('the database is being closed'))
  }

  #send(asked: Asked): void {
    this.#thread ??= this.#start()
    this.#thread.postMessage(asked)
  }

  #start(): Worker {
    const thread = new Worker(new URL('./sqlite-side-thread.ts', import.meta.url), { workerData: { file: this.#file } })
    thread.unref()
    thread.on('message', (told: Told) => {
      const waiting = this.#waiting.get(told.id)
      this.#waiting.delete(told.id)
      if ('rows' in told) waiting?.resolve(told.rows)
      else waiting?.reject(explain(Object.assign(new Error(told.message), { code: told.code })))
    })
    thread.on('error', (error) => {
      this.#log.error({ err: error }, 'the search thread has failed; the next search starts it anew')
      if (this.#thread === thread) this.#thread = undefined
      this.#fail(error)
    })
    return thread
  }

  #fail(error: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(unavailable('The search was interrupted; try again', error))
    this.#waiting.clear()
  }
}

/** A handle whose queries run on the thread. It reads only, and it can see the search index. */
export function queriesBeside(side: SqliteSide): Queries {
  return new Kysely<Tables>({ dialect: dialectFor(new SideConnection(side)) })
}

/** Whether a handle can see the search index. */
export function seesSearchIndex(q: Queries): boolean {
  return q.getExecutor().adapter instanceof SideAdapter
}

class SideAdapter extends SqliteAdapter {}

class SideConnection implements DatabaseConnection {
  readonly #side: SqliteSide

  constructor(side: SqliteSide) {
    this.#side = side
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    return { rows: rowsOf<Row>(await this.#side.query(sql, parameters)) }
  }

  // biome-ignore lint/correctness/useYield: the interface asks for it; nothing here streams
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Streaming queries are not used; page through the rows instead')
  }
}

/** The row type comes from the query builder, which knows what was selected; the driver cannot know it. */
function rowsOf<Row>(rows: unknown[]): Row[]
function rowsOf(rows: unknown[]): unknown[] {
  return rows
}

function dialectFor(connection: SideConnection): Dialect {
  const refuse = async () => {
    throw new Error('This handle only reads')
  }
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    destroy: async () => {},
  }
  return {
    createDriver: () => driver,
    createAdapter: () => new SideAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
}
