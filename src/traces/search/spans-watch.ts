import type Database from 'better-sqlite3'

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
    const database = this.#database
    if (!database.prepare("select 1 from sqlite_schema where name = 'spans'").get()) return undefined
    database.function('note_deleted_span', () => {
      this.#hasDeleted = true
      return null
    })
    // Only this connection has it, and nothing of it is stored. Counting the spans instead would be slow.
    database.exec(`create temp trigger note_deleted_span after delete on main.spans
      begin select note_deleted_span(); end`)
    return database.prepare<unknown[], number>("select seq from sqlite_sequence where name = 'spans'").pluck()
  }
}
