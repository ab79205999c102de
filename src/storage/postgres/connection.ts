import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type pg from 'pg'
import { codeOf, DatabaseOutage, unavailable } from '../../base/errors.ts'
import type { Queries } from '../db.ts'
import { overdue } from '../transaction-limit.ts'
import { runCancelable } from './cancel-statement.ts'

const NAMES_MAX = 1_000

export type PooledOptions = {
  statements?: 'named' | 'unnamed'
  transactionMsMax?: number
  onOverdue?(statement: string): void
  /** Waits for a turn before a connection is taken, and resolves with what ends the turn. */
  enter?(): Promise<() => void>
  /** When it is aborted, the statement that runs is canceled. */
  signal?: AbortSignal | undefined
}

/**
 * Queries by named, server-side prepared statements: measured 19 to 38 % faster than unnamed ones. Searches differ from each other, and
 * would use up the names; for them there is a dialect without.
 */
export function pooledDialect(
  pool: pg.Pool,
  { statements = 'named', transactionMsMax, onOverdue = () => {}, enter = takeNoTurn, signal }: PooledOptions = {},
): Dialect {
  const nameOf = statements === 'named' ? statementNames() : () => ({})
  const acquire = async () => {
    const leave = await enter()
    try {
      return new PostgresConnection(await pool.connect(), { pool, nameOf, signal, onReleased: leave })
    } catch (error) {
      leave()
      throw explain(error)
    }
  }
  const driver: Driver = {
    init: async () => {},
    acquireConnection: acquire,
    releaseConnection: async (connection) => own(connection).release(),
    beginTransaction: async (connection) => {
      await own(connection).control('begin')
      if (transactionMsMax !== undefined) own(connection).endAfter(transactionMsMax, onOverdue)
    },
    commitTransaction: async (connection) => own(connection).control('commit'),
    rollbackTransaction: async (connection) => own(connection).control('rollback'),
    destroy: () => pool.end(),
  }
  return {
    createDriver: () => driver,
    createAdapter: () => new PooledAdapter(statementsBy(acquire)),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  }
}

type Statement = Pick<CompiledQuery, 'sql' | 'parameters'>

type RunStatement = <Row>(statement: Statement) => Promise<Row[]>

class PooledAdapter extends PostgresAdapter {
  readonly run: RunStatement

  constructor(run: RunStatement) {
    super()
    this.run = run
  }
}

function statementsBy(acquire: () => Promise<PostgresConnection>): RunStatement {
  return async <Row>(statement: Statement) => {
    const connection = await acquire()
    try {
      return (await connection.executeQuery<Row>(statement)).rows
    } finally {
      connection.release()
    }
  }
}

/** Runs single statements behind a handle, without the query builder; undefined for other engines and in a transaction. */
export function pooledStatements(q: Queries): Pick<PooledAdapter, 'run'> | undefined {
  const { adapter } = q.getExecutor()
  return adapter instanceof PooledAdapter && !q.isTransaction ? adapter : undefined
}

type NameOf = (sql: string) => { name?: string }

/** A statement has the same name on all connections; each one prepares it on its first use. */
function statementNames(): NameOf {
  const names = new Map<string, { name: string }>()
  return (sql) => {
    const known = names.get(sql)
    if (known) return known
    if (names.size >= NAMES_MAX) return {}
    const given = { name: `touchstone_${names.size}` }
    names.set(sql, given)
    return given
  }
}

async function takeNoTurn(): Promise<() => void> {
  return () => {}
}

type ConnectionOptions = {
  pool: pg.Pool
  nameOf: NameOf
  signal: AbortSignal | undefined
  onReleased(): void
}

class PostgresConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient
  readonly #options: ConnectionOptions
  #isBroken = false
  #isReleased = false
  #deadline: NodeJS.Timeout | undefined
  #lastSql = ''

  constructor(client: pg.PoolClient, options: ConnectionOptions) {
    this.#client = client
    this.#options = options
  }

  async executeQuery<Row>(query: Statement): Promise<QueryResult<Row>> {
    this.#lastSql = query.sql
    if (this.#isReleased) throw overdue()
    try {
      const { rows, rowCount, command } = await this.#run<Row & pg.QueryResultRow>(query)
      return command === 'SELECT' ? { rows } : { rows, numAffectedRows: BigInt(rowCount ?? 0) }
    } catch (error) {
      if (isConnectionLost(error)) this.#isBroken = true
      throw explain(error)
    }
  }

  #run<Row extends pg.QueryResultRow>({ sql, parameters }: Statement): Promise<pg.QueryResult<Row>> {
    const client = this.#client
    const { pool, signal, nameOf } = this.#options
    const run = () => client.query<Row>({ ...nameOf(sql), text: sql, values: [...parameters] })
    if (!signal) return run()
    const onUnconfirmed = () => {
      this.#isBroken = true
    }
    return runCancelable({ pool, client, signal, onUnconfirmed }, run)
  }

  // biome-ignore lint/correctness/useYield: the interface asks for it; nothing here streams
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Streaming queries are not used; page through the rows instead')
  }

  /**
   * Closes the connection when a transaction exceeds its limit: the server rolls it back, and its slot in the pool is free, regardless of
   * what the work is waiting for. The limits of the engine end a statement and an idle connection, but not the wait for a slot.
   */
  endAfter(ms: number, onOverdue: (statement: string) => void): void {
    this.#deadline = setTimeout(() => {
      onOverdue(this.#lastSql)
      this.#isBroken = true
      this.release()
    }, ms)
  }

  async control(command: 'begin' | 'commit' | 'rollback'): Promise<void> {
    if (this.#isReleased) throw overdue()
    if (command !== 'begin') clearTimeout(this.#deadline)
    try {
      await this.#client.query(command)
    } catch (error) {
      this.#isBroken = true
      throw explain(error)
    }
  }

  /** A failed connection is closed and not returned to the pool. */
  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    clearTimeout(this.#deadline)
    this.#client.release(this.#isBroken)
    this.#options.onReleased()
  }
}

function own(connection: DatabaseConnection): PostgresConnection {
  if (connection instanceof PostgresConnection) return connection
  throw new Error('This connection belongs to another driver')
}

/** Class 08 and 57P are the server's codes for a lost connection; the others are of the operating system and the client. */
function isConnectionLost(error: unknown): boolean {
  const message = error instanceof Error ? error.message : ''
  return (
    /^(08|57P)|^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EAI_)/.test(codeOf(error)) ||
    /Connection terminated|timeout ex(?:ceeded|pired)|Query read timeout|Client was closed|not queryable/i.test(message)
  )
}

/** A database that is unreachable, full or overloaded is a transient error and becomes a 503; all others stay unchanged. */
function explain(error: unknown): unknown {
  if (isConnectionLost(error)) return new DatabaseOutage('The database cannot be reached right now; try again', error)
  if (codeOf(error) === '53100') return new DatabaseOutage('The disk of the database is full; try again later', error)
  if (/^(53|58)/.test(codeOf(error)))
    return new DatabaseOutage('The database is out of resources; try again later', error)
  if (codeOf(error) === '57014' || codeOf(error) === '55P03') {
    return unavailable('The database did not respond in time; try again', error)
  }
  if (codeOf(error) === '25006') return new DatabaseOutage('The database is read-only right now', error)
  return error
}
