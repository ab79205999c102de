import type Database from 'better-sqlite3'
import { hasSpansTable, onSpanDeleted, prepareLastPosition } from './indexed-spans-queries.ts'

/** Whether spans have been stored, or deleted, on the writing connection since the last call. */
export class SpansWatch {
  readonly #database: Database.Database
  #lastPosition: Database.Statement<unknown[], number> | undefined
  #position = 0
  #hasDeleted = false

  constructor(database: Database.Database) {
    this.#database = database
  }

  /** Call it between transactions. The first call after the table of spans was created starts the watch. */
  hasNew(): boolean {
    this.#lastPosition ??= this.#begin()
    const position = this.#lastPosition?.get() ?? 0
    const isNew = position !== this.#position
    this.#position = position
    return isNew
  }

  hasDeleted(): boolean {
    const hasDeleted = this.#hasDeleted
    this.#hasDeleted = false
    return hasDeleted
  }

  #begin(): Database.Statement<unknown[], number> | undefined {
    if (!hasSpansTable(this.#database)) return undefined
    onSpanDeleted(this.#database, () => {
      this.#hasDeleted = true
    })
    return prepareLastPosition(this.#database)
  }
}
