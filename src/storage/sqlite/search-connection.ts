/** The connection of searches. It has the search index attached, or an empty one in its place while there is none that can be read. */
import Database from 'better-sqlite3'
import { codeOf } from '../../base/errors.ts'
import { type Failure, failureOf } from '../../base/thread-failure.ts'
import type { SearchAttachment } from './search-hooks.ts'
import { StatementCache } from './statement-cache.ts'

type Open = {
  statements: StatementCache
  /** What the index needs besides the connection; undefined if there is none. */
  index: { close(): void } | undefined
}

export class SearchConnection {
  readonly #file: string
  readonly #index: SearchAttachment
  readonly #isCanceled: Int32Array
  /** Why the index is not used, until the indexer has opened it again. */
  #indexError: Failure | undefined
  #isIndexErrorTaken = false
  #open: Open

  constructor(file: string, index: SearchAttachment, isCanceled: Int32Array) {
    this.#file = file
    this.#index = index
    this.#isCanceled = isCanceled
    this.#open = this.#connect()
  }

  all(sql: string, parameters: readonly unknown[]): unknown[] {
    if (!this.#open.index && !this.#indexError) this.#reopen(this.#connect())
    try {
      return this.#open.statements.all(sql, parameters)
    } catch (error) {
      if (!this.#open.index || this.#shouldStop()) throw error
      // If the statement works without the index, the index is what is wrong; otherwise the next statement uses the index again.
      this.#reopen(this.#connectWithoutIndex())
      const rows = this.#open.statements.all(sql, parameters)
      this.#indexError = failureOf(error)
      return rows
    }
  }

  /** What is wrong with the index; each error only once. */
  takeIndexError(): Failure | undefined {
    if (this.#isIndexErrorTaken) return undefined
    this.#isIndexErrorTaken = this.#indexError !== undefined
    return this.#indexError
  }

  reopenIndex(): void {
    this.#indexError = undefined
    this.#isIndexErrorTaken = false
    this.#reopen(this.#connect())
  }

  #shouldStop(): boolean {
    return Atomics.load(this.#isCanceled, 0) === 1
  }

  #reopen(open: Open): void {
    this.#open.statements.database.close()
    this.#open.index?.close()
    this.#open = open
  }

  #connect(): Open {
    return this.#connectWithIndex() ?? this.#connectWithoutIndex()
  }

  /** Undefined if there is no index of this database: none yet, an older one, or none that can be read. The next search tries again. */
  #connectWithIndex(): Open | undefined {
    const database = new Database(this.#file, { readonly: true, timeout: 5_000 })
    try {
      const index = this.#index.attach(database)
      if (index) return this.#prepare(database, index)
    } catch (error) {
      if (!codeOf(error).startsWith('SQLITE_BUSY')) this.#indexError = failureOf(error)
    }
    database.close()
    return undefined
  }

  /** Opened for writing, because a database attached to a read-only connection is read-only too; then made read-only. */
  #connectWithoutIndex(): Open {
    const database = new Database(this.#file, { fileMustExist: true, timeout: 5_000 })
    this.#index.attachEmpty(database)
    database.pragma('query_only = on')
    return this.#prepare(database, undefined)
  }

  #prepare(database: Database.Database, index: Open['index']): Open {
    database.pragma('cache_size = -8000')
    // The driver cannot interrupt a statement; one that calls this for every text stops by itself.
    database.function('not_canceled', () => {
      if (this.#shouldStop()) throw new Error('The search was canceled')
      return 1
    })
    return { statements: new StatementCache(database), index }
  }
}
