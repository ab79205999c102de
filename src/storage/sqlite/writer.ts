/**
 * The one writer of an embedded database, with group commit.
 *
 * Order of events: `run` queues a piece of work. When the event loop has taken in all requests that arrived together,
 * the queue is drained: BEGIN IMMEDIATE, each piece of work between SAVEPOINT and RELEASE, one COMMIT, one wait for the disk, during
 * which others are served, and only then are the callers answered. Thirty-two writers thus share one fsync. A piece that throws is
 * rolled back alone. If the commit or the disk fails, nothing has been acknowledged yet, and all callers get an error.
 *
 * Each piece has a deadline. When it has passed, the piece is rolled back, its statements are rejected from then on, and the next one goes
 * on, so that others never wait longer than the deadline.
 *
 * What survives a crash: everything that was acknowledged, and perhaps the last transactions, which were not.
 */
import type Database from 'better-sqlite3'
import { codeOf, unavailable } from '../../base/errors.ts'
import { invariant } from '../../base/invariant.ts'
import type { Queries } from '../db.ts'
import { overdue } from '../transaction-limit.ts'
import { directConnection, explain, queriesOn, type SqliteConnection, unwritable } from './connection.ts'

const BATCH_MAX = 128
const LOCK_RETRY_MS = 10
const LOCK_TIMEOUT_MS = 5_000

/** How long a piece of work may hold the write transaction, and with it block all other writers. */
export const NO_LIMIT_MS = Number.POSITIVE_INFINITY

type Work = {
  msMax: number
  run(tx: Queries): Promise<unknown>
  succeed(): void
  fail(error: unknown): void
}

export type WriterHooks = {
  /** For each piece of work; `run` may be given another. */
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
  #queries: Queries
  readonly #savepoint: Database.Statement
  readonly #release: Database.Statement
  readonly #hooks: WriterHooks
  #queue: Work[] = []
  #draining: Promise<void> | undefined

  constructor(database: Database.Database, hooks: WriterHooks) {
    this.#database = database
    this.#hooks = hooks
    this.#queries = queriesOn(database)
    this.#savepoint = database.prepare('savepoint work')
    this.#release = database.prepare('release work')
  }

  run<Result>(work: (tx: Queries) => Promise<Result>, msMax = this.#hooks.workMsMax): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      let result: Result
      this.#queue.push({
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

  /** Resolves when everything queued so far has been answered. */
  async idle(): Promise<void> {
    while (this.#draining) await this.#draining
  }

  async #drain(): Promise<void> {
    // One turn of the event loop: requests that arrived in the same instant join the same commit.
    await new Promise<void>((resolve) => setImmediate(resolve))
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, BATCH_MAX)
      this.#queue = this.#queue.slice(BATCH_MAX)
      await this.#commitTogether(batch)
    }
    this.#draining = undefined
  }

  async #commitTogether(batch: Work[]): Promise<void> {
    const done: Work[] = []
    try {
      await this.#begin()
      for (const work of batch) {
        if (await this.#runAlone(work)) done.push(work)
      }
      this.#database.exec('commit')
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec('rollback')
      // Those that have failed on their own were rejected already; a promise is settled only once.
      for (const work of batch) work.fail(explain(error))
      // The system may have dropped what it could not write: only reopening shows what is there. The same holds below.
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

  /** True if the work stands and waits for the commit. */
  async #runAlone(work: Work): Promise<boolean> {
    this.#savepoint.run()
    try {
      await this.#runInTime(work)
      this.#release.run()
      return true
    } catch (error) {
      // A full disk or a failing one may have ended the whole transaction: then nothing of the batch stands.
      if (!this.#database.inTransaction) throw error
      this.#database.exec('rollback to work; release work')
      work.fail(error)
      return false
    }
  }

  async #runInTime(work: Work): Promise<void> {
    const connection = connectionOf(this.#queries)
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

  /** The work may go on behind our back. Its handle stays rejected for good, and those who follow get another. */
  #replaceConnection(connection: SqliteConnection): void {
    connection.endAt(0)
    this.#queries = queriesOn(this.#database)
    this.#hooks.onOverdue(connection.lastSql)
  }

  /** Takes the write lock. A command that runs at the same time may hold it: wait without blocking the event loop, then give up. */
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

function connectionOf(queries: Queries): SqliteConnection {
  const connection = directConnection(queries)
  invariant(connection, 'the writer has a connection of its own')
  return connection
}
