/**
 * Folds the write-ahead log back into the database, on a thread of its own.
 *
 * Left to the driver, this happens inside some commit and holds the whole process for as long as the disk takes. Here somebody looks
 * at the size of the log a moment after a commit; the copying is done beside it and blocks neither readers nor the writer. The thread
 * starts when it is first needed, so that an idle server does without.
 */
import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { Logger } from '../base/log.ts'

/** Twice what the log keeps of its length when it begins anew, so that reaching it means that there is something to do. */
const LOG_BYTES_MAX = 8 << 20
const LOOK_AFTER_MS = 100

export class SqliteCheckpointer {
  readonly #file: string
  readonly #log: Logger
  /** What is done if there can be no thread. */
  readonly #fallBack: () => void
  #thread: Worker | undefined
  #look: NodeJS.Timeout | undefined
  #isBusy = false

  constructor(file: string, log: Logger, fallBack: () => void) {
    this.#file = file
    this.#log = log
    this.#fallBack = fallBack
  }

  /** Looks a moment later, once for all the commits until then, so that the last of many is looked at too. */
  afterCommit(): void {
    this.#look ??= setTimeout(() => {
      this.#look = undefined
      this.#checkpointIfLong()
    }, LOOK_AFTER_MS).unref()
  }

  #checkpointIfLong(): void {
    const size = statSync(`${this.#file}-wal`, { throwIfNoEntry: false })?.size ?? 0
    if (this.#isBusy || size < LOG_BYTES_MAX) return
    this.#isBusy = true
    this.#thread ??= this.#start()
    this.#thread.postMessage('checkpoint')
  }

  async stop(): Promise<void> {
    clearTimeout(this.#look)
    await this.#thread?.terminate()
  }

  #start(): Worker {
    const thread = new Worker(new URL('./sqlite-checkpoint-thread.ts', import.meta.url), { workerData: this.#file })
    thread.unref()
    thread.on('message', () => {
      this.#isBusy = false
    })
    thread.on('error', (error) => {
      // Stays busy, and so is never asked again.
      this.#log.warn({ err: error }, 'the checkpoint thread has ended; commits do its work from now on')
      this.#fallBack()
    })
    return thread
  }
}
