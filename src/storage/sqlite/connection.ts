import type Database from 'better-sqlite3'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type LimitNode,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  ValueNode,
} from 'kysely'
import { codeOf, DatabaseOutage, unavailable } from '../../base/errors.ts'
import type { Queries } from '../db.ts'
import type { Tables } from '../tables.ts'
import { overdue } from '../transaction-limit.ts'

const STATEMENTS_MAX = 500

/** A Kysely handle on one SQLite connection. Transactions are begun and ended by the owner of the connection. */
export function queriesOn(database: Database.Database): Queries {
  return queriesBy(new SqliteConnection(database))
}

export function queriesBy(connection: SqliteConnection): Queries {
  return new Kysely<Tables>({ dialect: dialectOn(connection, new DirectAdapter(connection)) })
}

/** Runs statements and keeps them prepared: preparing each time would cost more than most queries. */
export class SqliteConnection implements DatabaseConnection {
  readonly #database: Database.Database
  readonly #statements = new Map<string, Database.Statement<unknown[], unknown>>()
  #endsAt = Number.POSITIVE_INFINITY
  #lastSql = ''

  constructor(database: Database.Database) {
    this.#database = database
  }

  /** The statement that was last run or prepared. */
  get lastSql(): string {
    return this.#lastSql
  }

  /** From this moment on, by `performance.now`, every statement is rejected. */
  endAt(moment: number): void {
    this.#endsAt = moment
  }

  isOverdue(): boolean {
    return this.#endsAt !== Number.POSITIVE_INFINITY && performance.now() > this.#endsAt
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.execute<Row>(query)
  }

  execute<Row>(query: Pick<CompiledQuery, 'sql' | 'parameters'>): QueryResult<Row> {
    try {
      const statement = this.#prepare(query.sql)
      // The row type comes from the query builder, which knows what was selected; the driver cannot know it.
      if (statement.reader) return { rows: statement.all(query.parameters) as Row[] }
      const { changes } = statement.run(query.parameters)
      return { rows: [], numAffectedRows: BigInt(changes) }
    } catch (error) {
      throw explain(error)
    }
  }

  /** Runs one statement for each row, without the query builder; returns for each whether it changed anything. */
  runEach(sql: string, rows: readonly (readonly unknown[])[]): boolean[] {
    try {
      const statement = this.#prepare(sql)
      return rows.map((row) => statement.run(row).changes === 1)
    } catch (error) {
      throw explain(error)
    }
  }

  // biome-ignore lint/correctness/useYield: the interface asks for it; nothing here streams
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Streaming queries are not used; page through the rows instead')
  }

  #prepare(sql: string): Database.Statement<unknown[], unknown> {
    this.#lastSql = sql
    // Checked here as well as by a timer: statements that follow each other without a pause leave a timer no time to fire.
    if (this.isOverdue()) throw overdue()
    const known = this.#statements.get(sql)
    if (known) return known
    // Lists of values make many different statements; remove all of them rather than grow without limit.
    if (this.#statements.size >= STATEMENTS_MAX) this.#statements.clear()
    const statement = this.#database.prepare<unknown[], unknown>(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}

/** The connection of a handle, if it is an embedded one, which responds synchronously and needs no queue. */
export function directConnection(q: Queries): SqliteConnection | undefined {
  const { adapter } = q.getExecutor()
  return adapter instanceof DirectAdapter ? adapter.connection : undefined
}

class DirectAdapter extends SqliteAdapter {
  readonly connection: SqliteConnection

  constructor(connection: SqliteConnection) {
    super()
    this.connection = connection
  }
}

/** Handles are distinguished by their adapter: see `directConnection` and `hasSearchIndex`. */
export function dialectOn(connection: DatabaseConnection, adapter: SqliteAdapter): Dialect {
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    beginTransaction: rejectTransaction,
    commitTransaction: rejectTransaction,
    rollbackTransaction: rejectTransaction,
    destroy: async () => {},
  }
  return {
    createDriver: () => driver,
    createAdapter: () => adapter,
    createQueryCompiler: () => new StableQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
}

/**
 * SQLite plans a query by the value of its limit, so it prepares a statement with `limit ?` again whenever a value is bound: 25 to 250 µs
 * for each list. The value of an expression is not looked at.
 */
class StableQueryCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    if (!ValueNode.is(node.limit)) {
      super.visitLimit(node)
      return
    }
    this.append('limit cast(')
    this.visitNode(node.limit)
    this.append(' as integer)')
  }
}

async function rejectTransaction(): Promise<void> {
  throw new Error('Use Db.transaction, which shares one commit among concurrent requests')
}

/** Errors of the disk and of locks are transient and become a 503; all others are bugs and stay unchanged. */
export function explain(error: unknown): unknown {
  const code = codeOf(error)
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return unavailable('The database is busy; try again in a moment', error)
  if (code === 'SQLITE_FULL') return new DatabaseOutage('The disk is full; free some space and try again', error)
  if (/^SQLITE_(IOERR|READONLY|CANTOPEN)/.test(code)) {
    return unwritable(error)
  }
  return error
}

export function unwritable(cause: unknown) {
  return new DatabaseOutage('The database cannot be written to right now', cause)
}
