/**
 * Copies the write-ahead log back into the database, in a worker.
 *
 * By default, the driver does this inside a commit and blocks the whole process for as long as the disk needs. Here the size of the
 * log is checked a moment after a commit; the worker blocks neither readers nor the writer, which waits only for the last part.
 */
import { statSync } from 'node:fs'
import type Database from 'better-sqlite3'
import type { Logger } from '../../base/log.ts'

/**
 * Far more than the log keeps of its length when it starts over, so that reaching it means that there is something to copy. To start over
 * waits for the disk, inside a commit: that should be rare, also while much is written.
 */
const LOG_BYTES_MAX = 32 << 20
const CHECK_AFTER_MS = 100

export type CheckpointerOptions = {
  /** The writer's connection, whose automatic checkpoints are turned off. */
  database: Database.Database
  /** Copies what can be copied without waiting for locks. */
  copy(): Promise<void>
  log: Logger
}

export class SqliteCheckpointer {
  readonly #options: CheckpointerOptions
  #check: NodeJS.Timeout | undefined
  #copying: Promise<void> | undefined
  #hasFailed = false
  #count = 0
  /** A copy is done; the next one, during which the writer waits, is the last of this checkpoint. */
  #isLastPartLeft = false

  constructor(options: CheckpointerOptions) {
    this.#options = options
    options.database.pragma('wal_autocheckpoint = 0')
  }

  /**
   * Called between two transactions of the writer. Checks a moment later, once for all the commits until then.
   *
   * After a copy, the writer waits while the few commits made meanwhile are copied. Only a log of which nothing is left to copy starts
   * over, and under steady load the worker alone would always be a few commits behind: the log would grow without limit.
   */
  afterCommit(): Promise<void> | void {
    this.#checkSoon()
    if (!this.#isLastPartLeft) return
    this.#isLastPartLeft = false
    return this.#copying ?? this.#copy()
  }

  /** Starts now, however short the log is; does nothing while a copy runs. */
  checkpoint(): void {
    if (this.#hasFailed || this.#copying) return
    void this.#copy().then(() => {
      this.#isLastPartLeft = !this.#hasFailed
    })
  }

  /** Copies that have finished. */
  get count(): number {
    return this.#count
  }

  stop(): void {
    clearTimeout(this.#check)
    this.#hasFailed = true
  }

  #checkSoon(): void {
    this.#check ??= setTimeout(() => {
      this.#check = undefined
      this.#checkpointIfLong()
    }, CHECK_AFTER_MS).unref()
  }

  #checkpointIfLong(): void {
    const size = statSync(`${this.#options.database.name}-wal`, { throwIfNoEntry: false })?.size ?? 0
    if (this.#hasFailed || size < LOG_BYTES_MAX) return
    // What was committed after the copy began is left for the next one: see that there is one.
    if (this.#copying) this.#checkSoon()
    else this.checkpoint()
  }

  /** Never rejects. */
  #copy(): Promise<void> {
    this.#copying = this.#options
      .copy()
      .then(() => {
        this.#count += 1
      })
      .catch((error: unknown) => this.#fallBack(error))
      .finally(() => {
        this.#copying = undefined
      })
    return this.#copying
  }

  #fallBack(error: unknown): void {
    if (this.#hasFailed) return
    this.#hasFailed = true
    this.#options.log.warn({ err: error }, 'a checkpoint failed in its worker; from now on, commits do checkpoints')
    this.#options.database.pragma('wal_autocheckpoint = 1000')
  }
}
