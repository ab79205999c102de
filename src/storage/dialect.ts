/** What the two engines say differently. Everything else in the repository is written once for both. */
import { PostgresAdapter, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { type Clock, timestamp } from '../base/clock.ts'
import type { Queries } from './db.ts'

/** Names of column types in migrations. */
export type ColumnTypes = {
  uuid: string
  timestamp: string
  real: string
  bigint: string
  /** A number that grows with every row and is never used twice. */
  sequence: string
  clustered: string
}

export function columnTypes(q: Queries): ColumnTypes {
  if (isPostgres(q)) {
    return {
      uuid: 'uuid',
      timestamp: 'timestamptz(3)',
      real: 'double precision',
      bigint: 'bigint',
      sequence: 'bigint generated always as identity',
      clustered: '',
    }
  }
  return {
    uuid: 'text',
    timestamp: 'text',
    real: 'real',
    bigint: 'integer',
    sequence: 'integer primary key autoincrement',
    // WITHOUT ROWID keeps a small row in its primary key: one tree less to write and one look-up less to read.
    clustered: 'without rowid',
  }
}

/**
 * Keeps a row as it is until this transaction ends: whoever wants to delete it waits, and we see it if they were first.
 * Where there is only one writer, nobody can come between anyway.
 */
export function lockForShare<Db, Table extends keyof Db, Row>(
  q: Queries,
  query: SelectQueryBuilder<Db, Table, Row>,
): SelectQueryBuilder<Db, Table, Row> {
  return isPostgres(q) ? query.forShare() : query
}

/**
 * Rows of text to insert from, sent as one parameter: a parameter per value would run into the engines' limits (32,766 and
 * 65,535) and costs several times as much to build. Columns are named as given.
 */
export function textRows(
  q: Queries,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): RawBuilder<unknown> {
  const json = JSON.stringify(rows)
  const picks = columns.map((column, place) =>
    isPostgres(q)
      ? sql`value ->> ${sql.lit(place)} as ${sql.ref(column)}`
      : sql`json_extract(value, ${sql.lit(`$[${place}]`)}) as ${sql.ref(column)}`,
  )
  const source = isPostgres(q) ? sql`json_array_elements(${json}::json)` : sql`json_each(${json})`
  return sql`(select ${sql.join(picks)} from ${source})`
}

/** Text to an id, where the engine has a type of its own for ids. */
export function asId(q: Queries, column: string): RawBuilder<string> {
  return isPostgres(q) ? sql<string>`${sql.ref(column)}::uuid` : sql<string>`${sql.ref(column)}`
}

/** Makes others who want to change something of the workspace wait until this transaction ends; false if it is gone. */
export async function holdWorkspace(tx: Queries, workspaceId: string): Promise<boolean> {
  const query = tx.selectFrom('workspaces').select('id').where('id', '=', workspaceId).where('deleted_at', 'is', null)
  return (await (isPostgres(tx) ? query.forUpdate() : query).executeTakeFirst()) !== undefined
}

/** Takes rows for update and leaves out those that another worker is taking at this moment. */
export function lockSkippingLocked<Db, Table extends keyof Db, Row>(
  q: Queries,
  query: SelectQueryBuilder<Db, Table, Row>,
): SelectQueryBuilder<Db, Table, Row> {
  return isPostgres(q) ? query.forUpdate().skipLocked() : query
}

/** The time that leases are compared with: one clock for all workers, the database's where it has one of its own. */
export function leaseTime(q: Queries, clock: Clock, plusSeconds: number): RawBuilder<string> {
  if (isPostgres(q)) return sql<string>`now() + make_interval(secs => ${plusSeconds})`
  return sql<string>`${timestamp(clock.now() + plusSeconds * 1_000)}`
}

/** Lets only one process at a time change what belongs to the installation; held until the transaction ends. */
export async function lockInstallation(tx: Queries): Promise<void> {
  if (isPostgres(tx)) await sql`select pg_advisory_xact_lock(7305801)`.execute(tx)
}

function isPostgres(q: Queries): boolean {
  return q.getExecutor().adapter instanceof PostgresAdapter
}
