import type Database from 'better-sqlite3'

const STATEMENTS_MAX = 200

/**
 * Reads by SQL text and keeps the statements prepared. Read workers use it and not `SqliteConnection`: the modules of the query builder would
 * double the time in which they start.
 */
export class StatementCache {
  readonly database: Database.Database
  readonly #statements = new Map<string, Database.Statement<unknown[], unknown>>()

  constructor(database: Database.Database) {
    this.database = database
  }

  all(sql: string, parameters: readonly unknown[]): unknown[] {
    if (this.#statements.size >= STATEMENTS_MAX) this.#statements.clear()
    const statement = this.#statements.get(sql) ?? this.database.prepare<unknown[], unknown>(sql)
    this.#statements.set(sql, statement)
    return statement.all(parameters)
  }
}
