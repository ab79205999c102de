/**
 * The one writer of an embedded database, with group commit.
 *
 * Order of events: `run` queues a piece of work. When the event loop has taken in all requests that arrived together,
 * the queue is drained: BEGIN IMMEDIATE, each piece of work between SAVEPOINT and RELEASE, one COMMIT, one wait for the disk, during
 * which others are served, and only then are the callers answered. Thirty-two writers thus share one fsync. A piece that throws is
 * rolled back alone. If the commit or the disk fails, nobody has been told anything yet, and all are told that it failed.
 *
 * What survives a crash: everything that anybody was told of, and perhaps the last transactions that nobody was told of.
 */
import type Database from 'better-sqlite3'
import { codeOf, unavailable } from '../base/errors.ts'
import type { Queries } from './db.ts'
import { explain, queriesOn, unwritable } from './sqlite-connection.ts'

const BATCH_MAX = 128
const LOCK_RETRY_MS = 10
const LOCK_PATIENCE_MS = 5_000

type Work = {
  run(tx: Queries): Promise<unknown>
  succeed(): void
  fail(error: unknown): void
}

export type WriterHooks = {
  /** Resolves when what was committed is on the disk. */
  toDisk(): Promise<void>
  /** Between two transactions; nothing is written until what it returns has resolved. */
  afterCommit(): Promise<void> | void
  /** The disk has failed, so that nobody can know any more what is stored. */
  onFatal(error: unknown): void
}

export class SqliteWriter {
  readonly #database: Database.Database
  readonly #queries: Queries
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

  run<Result>(work: (tx: Queries) => Promise<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      let result: Result
      this.#queue.push({
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
      // Those that have failed on their own were told so already; a promise is settled only once.
      for (const work of batch) work.fail(explain(error))
      // The system may have dropped what it could not write: only reopening tells what is there. So it is below.
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
      await work.run(this.#queries)
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

  /** Takes the write lock. A command beside the server may hold it: wait without blocking the event loop, then give up. */
  async #begin(): Promise<void> {
    for (let waited = 0; ; waited += LOCK_RETRY_MS) {
      try {
        this.#database.exec('begin immediate')
        return
      } catch (error) {
        if (!codeOf(error).startsWith('SQLITE_BUSY')) throw error
        if (waited >= LOCK_PATIENCE_MS) throw unavailable('The database is busy; try again in a moment', error)
        await new Promise<void>((resolve) => setTimeout(resolve, LOCK_RETRY_MS))
      }
    }
  }
}
