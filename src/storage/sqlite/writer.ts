/**
 * The one writer of an embedded database, with group commit.
 *
 * Order of events: `run` queues a piece of work. When the event loop has taken in all requests that arrived together,
 * the queue is drained: BEGIN IMMEDIATE, each piece of work between SAVEPOINT and RELEASE, one COMMIT, one wait for the disk, during
 * which other requests are served, and only then do the callers get their results. Thirty-two writers thus share one fsync. A piece
 * that throws is rolled back alone. If the commit or the disk fails, nothing has been acknowledged yet, and all callers get an error.
 *
 * Applications take turns, piece by piece. As soon as several of them have written or wait, a commit follows after `TURN_MS`: none of them
 * waits for more than a piece of another one and a commit, however much that one has queued.
 *
 * Each piece has a deadline. When it has passed, the piece is rolled back, its further statements are rejected, and the next piece
 * starts, so that others never wait longer than the deadline.
 *
 * What survives a crash: everything that was acknowledged, and perhaps the last transactions, which were not yet.
 */
import { closeSync, fdatasync, openSync } from 'node:fs'
import type Database from 'better-sqlite3'
import { codeOf, unavailable } from '../../base/errors.ts'
import { TurnQueue } from '../../base/event-loop.ts'
import type { Queries } from '../db.ts'
import { overdue } from '../transaction-limit.ts'
import { explain, queriesBy, SqliteConnection, unwritable } from './connection.ts'

const BATCH_MAX = 128
const TURN_MS = 25
const LOCK_RETRY_MS = 10
const LOCK_TIMEOUT_MS = 5_000

/** For work without a deadline, such as migrations. */
export const NO_LIMIT_MS = Number.POSITIVE_INFINITY

type Work = {
  application: string
  msMax: number
  run(tx: Queries): Promise<unknown>
  succeed(): void
  fail(error: unknown): void
}

export type WriterHooks = {
  /** The default deadline of a piece of work. */
  workMsMax: number
  /** A piece of work was ended at its deadline; `statement` is what it ran last. */
  onOverdue(statement: string): void
  /** Resolves when what was committed is on the disk. */
  toDisk(): Promise<void>
  /** Between two transactions; nothing is written until what it returns has resolved. */
  afterCommit(): Promise<void> | void
  /** The disk has failed, so that it is unknown what is stored. */
  onFatal(error: unknown): void
}

export class SqliteWriter {
  readonly #database: Database.Database
  #connection: SqliteConnection
  #queries: Queries
  readonly #savepoint: Database.Statement
  readonly #release: Database.Statement
  readonly #hooks: WriterHooks
  readonly #queue = new TurnQueue<Work>()
  #draining: Promise<void> | undefined
  #isClosing = false

  constructor(database: Database.Database, hooks: WriterHooks) {
    this.#database = database
    this.#hooks = hooks
    this.#connection = new SqliteConnection(database)
    this.#queries = queriesBy(this.#connection)
    this.#savepoint = database.prepare('savepoint work')
    this.#release = database.prepare('release work')
  }

  /** Work of the server itself belongs to no application, and takes turns with those of all. */
  run<Result>(
    work: (tx: Queries) => Promise<Result>,
    application = '',
    msMax = this.#hooks.workMsMax,
  ): Promise<Result> {
    if (this.#isClosing) return Promise.reject(unavailable('The database is being closed'))
    return new Promise<Result>((resolve, reject) => {
      let result: Result
      this.#queue.push(application, {
        application,
        msMax,
        run: async (tx) => {
          result = await work(tx)
        },
        succeed: () => resolve(result),
        fail: reject,
      })
      this.#draining ??= this.#drain()
    })
  }

  /** Rejects further work; resolves when all work queued so far is finished. */
  async close(): Promise<void> {
    this.#isClosing = true
    await this.#draining
  }

  async #drain(): Promise<void> {
    // One turn of the event loop: requests that arrived in the same instant join the same commit.
    await new Promise<void>((resolve) => setImmediate(resolve))
    while (this.#queue.applications.length > 0) await this.#commitTogether()
    this.#draining = undefined
  }

  async #commitTogether(): Promise<void> {
    const batch: Work[] = []
    const done: Work[] = []
    try {
      await this.#begin()
      const endsAt = performance.now() + TURN_MS
      for (let work = this.#queue.take(); work; work = this.#hasRoom(batch, endsAt) ? this.#queue.take() : undefined) {
        batch.push(work)
        if (await this.#runAlone(work)) done.push(work)
      }
      this.#database.exec('commit')
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec('rollback')
      // Without a lock nothing has begun: those that waited for it are rejected together, and not each after another wait.
      if (batch.length === 0) batch.push(...this.#takeWaiting())
      // Work that failed by itself was rejected already; a promise is settled only once.
      for (const work of batch) work.fail(explain(error))
      // The system may have dropped what it could not write: only reopening shows what is stored. The same holds below.
      if (/^SQLITE_(IOERR_(DIR_)?FSYNC|CORRUPT|NOTADB)/.test(codeOf(error))) this.#hooks.onFatal(error)
      return
    }
    try {
      await this.#hooks.toDisk()
    } catch (error) {
      for (const work of done) work.fail(unwritable(error))
      this.#hooks.onFatal(error)
      return
    }
    for (const work of done) work.succeed()
    await this.#hooks.afterCommit()
  }

  #takeWaiting(): Work[] {
    const waiting: Work[] = []
    for (let work = this.#queue.take(); work; work = waiting.length < BATCH_MAX ? this.#queue.take() : undefined) {
      waiting.push(work)
    }
    return waiting
  }

  #hasRoom(batch: readonly Work[], endsAt: number): boolean {
    if (batch.length >= BATCH_MAX) return false
    if (performance.now() < endsAt) return true
    return new Set([...batch.map(({ application }) => application), ...this.#queue.applications]).size === 1
  }

  /** True if the work succeeded and waits for the commit. */
  async #runAlone(work: Work): Promise<boolean> {
    this.#savepoint.run()
    try {
      await this.#runInTime(work)
      this.#release.run()
      return true
    } catch (error) {
      // A full disk or a failing one may have ended the whole transaction: then the whole batch has failed.
      if (!this.#database.inTransaction) throw error
      this.#database.exec('rollback to work; release work')
      work.fail(error)
      return false
    }
  }

  async #runInTime(work: Work): Promise<void> {
    const connection = this.#connection
    connection.endAt(performance.now() + work.msMax)
    let deadline: NodeJS.Timeout | undefined
    const isTooLate = new Promise<never>((_, reject) => {
      if (work.msMax !== NO_LIMIT_MS) deadline = setTimeout(() => reject(overdue()), work.msMax + 1)
    })
    try {
      await Promise.race([work.run(this.#queries), isTooLate])
      if (connection.isOverdue()) throw overdue()
    } catch (error) {
      if (connection.isOverdue()) this.#replaceConnection(connection)
      throw error
    } finally {
      clearTimeout(deadline)
    }
  }

  /** The overdue work may still be running. Its connection rejects all further statements, and the next work gets a new one. */
  #replaceConnection(connection: SqliteConnection): void {
    connection.endAt(0)
    this.#connection = new SqliteConnection(this.#database)
    this.#queries = queriesBy(this.#connection)
    this.#hooks.onOverdue(connection.lastSql)
  }

  /** Acquires the write lock. A command may hold it: retry without blocking the event loop, and fail after a timeout. */
  async #begin(): Promise<void> {
    for (let waited = 0; ; waited += LOCK_RETRY_MS) {
      try {
        this.#database.exec('begin immediate')
        return
      } catch (error) {
        if (!codeOf(error).startsWith('SQLITE_BUSY')) throw error
        if (waited >= LOCK_TIMEOUT_MS) throw unavailable('The database is busy; try again in a moment', error)
        await new Promise<void>((resolve) => setTimeout(resolve, LOCK_RETRY_MS))
      }
    }
  }
}

/**
 * Syncs the write-ahead log to the disk without blocking the event loop. The engine itself syncs only where the order of writes matters
 * (before a checkpoint, and when the log starts again at its beginning). The writer waits for `sync` after each commit, so that a commit
 * is on the disk before it is acknowledged.
 */
export class SqliteLogFile {
  readonly #path: string
  #descriptor: number | undefined

  constructor(databaseFile: string) {
    this.#path = `${databaseFile}-wal`
  }

  /** Resolves when everything that was committed before is on the disk. */
  async sync(): Promise<void> {
    // The file stays the same for as long as the database is open. Its descriptor may be closed at any time: unlike on the
    // database itself, the engine holds no locks on it.
    this.#descriptor ??= openIfThere(this.#path)
    const descriptor = this.#descriptor
    if (descriptor === undefined) return
    await new Promise<void>((resolve, reject) => {
      fdatasync(descriptor, (error) => (error ? reject(error) : resolve()))
    })
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
  }
}

/** Without a file nothing has been written yet. */
function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
