import { closeSync, fdatasync, openSync } from 'node:fs'
import { codeOf } from '../../base/errors.ts'

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
