/**
 * Folds the write-ahead log back into the database, on a thread of its own.
 *
 * Left to the driver, this happens inside some commit and holds the whole process for as long as the disk takes. Here somebody looks
 * at the size of the log a moment after a commit; the copying is done beside it and blocks neither readers nor the writer, who has to wait
 * only for the last of it. The thread starts when it is first needed, so that an idle server does without.
 */
import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type Database from 'better-sqlite3'
import type { Logger } from '../../base/log.ts'
import { THREAD_LIMITS } from './thread-limits.ts'

/**
 * Far more than the log keeps of its length when it begins anew, so that reaching it means that there is something to do. To begin anew
 * waits for the disk, inside a commit: that should be rare, also while much is written.
 */
const LOG_BYTES_MAX = 32 << 20
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
  /** Lets the writer go on, if it waits for the end of the copying. */
  #letGo: (() => void) | undefined

  /** Given the writer's connection, from which automatic checkpoints are taken away. */
  constructor(database: Database.Database, log: Logger) {
    this.#file = database.name
    this.#database = database
    this.#log = log
    database.pragma('wal_autocheckpoint = 0')
  }

  /** Called between two transactions of the writer. Looks a moment later, once for all the commits until then. */
  afterCommit(): Promise<void> | void {
    this.#lookSoon()
    if (this.#isNearlyDone) return this.#finish()
  }

  #lookSoon(): void {
    this.#look ??= setTimeout(() => {
      this.#look = undefined
      this.#checkpointIfLong()
    }, LOOK_AFTER_MS).unref()
  }

  /**
   * Copies the little that was committed while the thread was copying. Only a log of which nothing is left to copy begins anew, and
   * under steady load the thread alone would always be a few commits behind: the log would grow for ever. So the writer waits for it.
   */
  #finish(): Promise<void> {
    this.#isNearlyDone = false
    return new Promise((resolve) => {
      this.#letGo = resolve
      // A process that ends waits for its writer.
      this.#thread?.ref()
      this.checkpoint()
    })
  }

  #checkpointIfLong(): void {
    const size = statSync(`${this.#file}-wal`, { throwIfNoEntry: false })?.size ?? 0
    if (this.#isGone || size < LOG_BYTES_MAX) return
    if (this.#isBusy) {
      // What was committed after the copying began is left for the next time: see that there is one.
      this.#lookSoon()
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
    const thread = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), {
      workerData: this.#file,
      resourceLimits: THREAD_LIMITS,
    })
    thread.unref()
    thread.on('message', () => {
      this.#isBusy = false
      this.#isNearlyDone = this.#letGo === undefined
      this.#goOn()
    })
    thread.on('error', (error) => {
      this.#isGone = true
      this.#log.warn({ err: error }, 'the checkpoint thread has ended; commits do its work from now on')
      this.#database.pragma('wal_autocheckpoint = 1000')
      this.#isNearlyDone = false
      this.#goOn()
    })
    return thread
  }

  #goOn(): void {
    this.#letGo?.()
    this.#letGo = undefined
    this.#thread?.unref()
  }
}
