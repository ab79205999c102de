/**
 * Folds the write-ahead log back into the database, on a thread of its own.
 *
 * Left to the driver, this happens inside some commit and holds the whole process for as long as the disk takes. Here somebody looks
 * at the size of the log a moment after a commit; the copying is done beside it and blocks neither readers nor the writer. The thread
 * starts when it is first needed, so that an idle server does without.
 */
import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type Database from 'better-sqlite3'
import type { Logger } from '../base/log.ts'
import { THREAD_LIMITS } from './thread-limits.ts'

/** Twice what the log keeps of its length when it begins anew, so that reaching it means that there is something to do. */
const LOG_BYTES_MAX = 8 << 20
const LOOK_AFTER_MS = 100

export class SqliteCheckpointer {
  readonly #file: string
  readonly #log: Logger
  readonly #database: Database.Database
  #thread: Worker | undefined
  #look: NodeJS.Timeout | undefined
  #isBusy = false
  #isGone = false
  #isNearlyDone = false

  /** Given the writer's connection, from which automatic checkpoints are taken away. */
  constructor(database: Database.Database, log: Logger) {
    this.#file = database.name
    this.#database = database
    this.#log = log
    database.pragma('wal_autocheckpoint = 0')
  }

  /** Called between two transactions of the writer. Looks a moment later, once for all the commits until then. */
  afterCommit(): void {
    if (this.#isNearlyDone) this.#finish()
    this.#look ??= setTimeout(() => {
      this.#look = undefined
      this.#checkpointIfLong()
    }, LOOK_AFTER_MS).unref()
  }

  /**
   * Copies the little that was committed while the thread was copying. Only a log of which nothing is left to copy begins anew, and
   * under steady load the thread alone would always be a few commits behind: the log would grow for ever.
   */
  #finish(): void {
    this.#isNearlyDone = false
    this.#database.pragma('wal_checkpoint(PASSIVE)')
  }

  #checkpointIfLong(): void {
    const size = statSync(`${this.#file}-wal`, { throwIfNoEntry: false })?.size ?? 0
    if (this.#isGone || size < LOG_BYTES_MAX) return
    if (this.#isBusy) {
      // What was committed after the copying began is left for the next time: see that there is one.
      this.afterCommit()
      return
    }
    this.checkpoint()
  }

  /** Begins now, however short the log is; does nothing while the thread is copying. */
  checkpoint(): void {
    if (this.#isGone || this.#isBusy) return
    this.#isBusy = true
    this.#thread ??= this.#start()
    this.#thread.postMessage('checkpoint')
  }

  async stop(): Promise<void> {
    clearTimeout(this.#look)
    await this.#thread?.terminate()
  }

  #start(): Worker {
    const thread = new Worker(new URL('./sqlite-checkpoint-thread.ts', import.meta.url), {
      workerData: this.#file,
      resourceLimits: THREAD_LIMITS,
    })
    thread.unref()
    thread.on('message', () => {
      this.#isBusy = false
      this.#isNearlyDone = true
    })
    thread.on('error', (error) => {
      this.#isGone = true
      this.#log.warn({ err: error }, 'the checkpoint thread has ended; commits do its work from now on')
      this.#database.pragma('wal_autocheckpoint = 1000')
    })
    return thread
  }
}
