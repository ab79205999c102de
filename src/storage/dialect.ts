/** The SQL that differs between the two engines. All other queries are written once for both. */
import {
  type Expression,
  PostgresAdapter,
  type RawBuilder,
  type Selectable,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
} from 'kysely'
import { type Clock, timestamp } from '../base/clock.ts'
import { codeOf } from '../base/errors.ts'
import type { Queries } from './db.ts'
import { hasSearchIndex } from './sqlite/worker-queries.ts'
import type { Tables } from './tables.ts'

/** Names of column types in migrations. */
export type ColumnTypes = {
  uuid: string
  timestamp: string
  real: string
  bigint: string
  /** A number that grows with every row and is never used twice. */
  sequence: string
  clustered: string
  /** A column `name` without regard to the case of ASCII letters: the expression of `foldedName`. */
  foldedName: string
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
      foldedName: 'lower(name collate "C")',
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
    foldedName: 'lower(name)',
  }
}

/** A column without regard to the case of ASCII letters, and of no others: so both engines agree. Compare it with `foldText`. */
export function foldedName(q: Queries, column: string): RawBuilder<string> {
  return isPostgres(q) ? sql<string>`lower(${sql.ref(column)} collate "C")` : sql<string>`lower(${sql.ref(column)})`
}

export function foldText(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/**
 * Locks a row until this transaction ends: a delete waits for it, and a delete that came first is visible.
 * With only one writer there is nothing to lock.
 */
export function lockForShare<Db, Table extends keyof Db, Row>(
  q: Queries,
  query: SelectQueryBuilder<Db, Table, Row>,
): SelectQueryBuilder<Db, Table, Row> {
  return isPostgres(q) ? query.forShare() : query
}

/** Locks rows for update: other transactions that change them wait until this one ends. */
export function lockForUpdate<Db, Table extends keyof Db, Row>(
  q: Queries,
  query: SelectQueryBuilder<Db, Table, Row>,
): SelectQueryBuilder<Db, Table, Row> {
  return isPostgres(q) ? query.forUpdate() : query
}

/**
 * Lets one transaction at a time look up a name below a row and create it if it is missing. Other transactions may still insert
 * references to the row: a stronger lock would wait for them, and they could wait for this transaction.
 */
export function lockForNaming<Db, Table extends keyof Db, Row>(
  q: Queries,
  query: SelectQueryBuilder<Db, Table, Row>,
): SelectQueryBuilder<Db, Table, Row> {
  return isPostgres(q) ? query.forNoKeyUpdate() : query
}

/** Whether a text is one of these, sent as one parameter: the statement is the same for any number of them. */
export function inList(
  q: Queries,
  column: string | Expression<string | null>,
  texts: readonly string[],
): RawBuilder<boolean> {
  const text = typeof column === 'string' ? sql.ref(column) : column
  return isPostgres(q)
    ? sql<boolean>`${text} = any(${listParameter(q, texts)}::text[])`
    : sql<boolean>`${text} in (select value from json_each(${listParameter(q, texts)}))`
}

/** As `inList`, for a column of ids. */
export function inIds(q: Queries, column: string, ids: readonly string[]): RawBuilder<boolean> {
  return isPostgres(q)
    ? sql<boolean>`${sql.ref(column)} = any(${listParameter(q, ids)}::uuid[])`
    : inList(q, column, ids)
}

/** A list as one parameter, as `inList` expects it. The placeholder of a prepared query stays unchanged. */
export function listParameter(q: Queries, list: readonly string[]): unknown {
  if (!Array.isArray(list)) return list
  return isPostgres(q) ? [...list] : JSON.stringify(list)
}

/**
 * Rows of text to insert from, sent as one parameter: a parameter per value would run into the engines' limits (32,766 and
 * 65,535) and costs several times as much to build. Columns are named as given. Rows may be given as JSON.
 */
export function textRows(
  q: Queries,
  columns: readonly string[],
  rows: readonly (readonly string[])[] | string,
): RawBuilder<unknown> {
  const json = Array.isArray(rows) ? JSON.stringify(rows) : rows
  const picks = columns.map((column, place) =>
    isPostgres(q)
      ? sql`value ->> ${sql.lit(place)} as ${sql.ref(column)}`
      : sql`json_extract(value, ${sql.lit(`$[${place}]`)}) as ${sql.ref(column)}`,
  )
  const source = isPostgres(q) ? sql`json_array_elements(${json}::json)` : sql`json_each(${json})`
  return sql`(select ${sql.join(picks)} from ${source})`
}

/** Rows as the text of a JSON array of arrays. */
export function jsonArrayOf(q: Queries, columns: readonly RawBuilder<unknown>[]): RawBuilder<string | null> {
  if (isPostgres(q)) return sql`cast(json_agg(json_build_array(${sql.join(columns)})) as text)`
  return sql`json_group_array(json_array(${sql.join(columns)}))`
}

/** Text to an id, where the engine has a type of its own for ids. */
export function asId(q: Queries, column: string): RawBuilder<string> {
  return isPostgres(q) ? sql<string>`${sql.ref(column)}::uuid` : sql<string>`${sql.ref(column)}`
}

/** Marks the locks of workspaces among all locks by number. */
const WORKSPACE_LOCKS = 7_305_802

/**
 * Locks a workspace until this transaction ends, alone or together with others that share it. By number and not by its row: the row has a
 * copy on every node of a cluster, where all transactions that share it and then write would wait for each other.
 */
export async function lockWorkspace(tx: Queries, workspaceId: string, how: 'alone' | 'shared'): Promise<void> {
  if (!isPostgres(tx)) return
  const lock = how === 'shared' ? sql`pg_advisory_xact_lock_shared` : sql`pg_advisory_xact_lock`
  await sql`select ${lock}(${sql.lit(WORKSPACE_LOCKS)}, hashtext(${workspaceId}))`.execute(tx)
}

/** Blocks other changes of the workspace until this transaction ends; false if the workspace is deleted. */
export async function lockWorkspaceExclusive(tx: Queries, workspaceId: string): Promise<boolean> {
  await lockWorkspace(tx, workspaceId, 'alone')
  const query = tx.selectFrom('workspaces').select('id').where('id', '=', workspaceId).where('deleted_at', 'is', null)
  return (await query.executeTakeFirst()) !== undefined
}

/** Whether writing transactions run one after the other, so that each sees all earlier writes. */
export function hasOneWriter(q: Queries): boolean {
  return !isPostgres(q)
}

/** Whether a foreign key failed: a deleted row is still referred to, or an inserted one refers to a missing row. */
export function isBrokenReference(error: unknown): boolean {
  return ['23503', 'SQLITE_CONSTRAINT_FOREIGNKEY'].includes(codeOf(error))
}

/** At the end of a select: locks its rows for update, and skips rows that another transaction has locked. */
export function skippingLocked(q: Queries): RawBuilder<unknown> {
  return isPostgres(q) ? sql`for update skip locked` : sql``
}

/** The time that leases are compared with: one clock for all workers, the database's where it has one of its own. */
export function dbNow(q: Queries, clock: Clock, plusSeconds: number): RawBuilder<string> {
  if (isPostgres(q)) return sql<string>`now() + make_interval(secs => ${plusSeconds})`
  return sql<string>`${timestamp(clock.now() + Math.round(plusSeconds * 1_000))}`
}

/** The table in which a move into this database stores its progress: see `move-database.ts`. */
export const MOVE_PROGRESS = 'move_progress'

/** The table of what `distribute-database.ts` has to restore. */
export const DISTRIBUTION_PLAN = 'distribution_plan'

export async function hasTable(q: Queries, name: string): Promise<boolean> {
  const query = isPostgres(q)
    ? sql<{ found: unknown }>`select 1 as found where to_regclass(quote_ident(${name})) is not null`
    : sql<{ found: unknown }>`select 1 as found from sqlite_schema where type = 'table' and name = ${name}`
  return (await query.execute(q)).rows.length > 0
}

/** A lock on the installation for one process at a time; held until the transaction ends. */
export async function lockInstallation(tx: Queries): Promise<void> {
  if (isPostgres(tx)) await sql`select pg_advisory_xact_lock(7305801)`.execute(tx)
}

function isPostgres(q: Queries): boolean {
  return q.getExecutor().adapter instanceof PostgresAdapter
}

/** Text as a part of the patterns of `resemblesText` and `containsText`, in which `%` and `_` stand for other characters. */
export function likeText(text: string): string {
  return text.replace(/[\\%_]/g, (sign) => `\\${sign}`)
}

/**
 * Whether text as a whole is like a pattern, ignoring the case of ASCII letters and of no others: that is all that one engine can do,
 * and the other does the same under the collation "C".
 */
export function resemblesText(q: Queries, text: Expression<string | null>, pattern: string): RawBuilder<SqlBool> {
  if (!isPostgres(q)) return cancellable(q, sql<SqlBool>`${text} like ${pattern} escape '\\'`)
  return sql<SqlBool>`lower(${text} collate "C") like ${foldText(pattern)} escape '\\'`
}

/** A search in a worker stops only where it calls this function: see `sqlite/search-connection.ts`. */
function cancellable(q: Queries, condition: RawBuilder<SqlBool>): RawBuilder<SqlBool> {
  return hasSearchIndex(q) ? sql<SqlBool>`case when not_canceled() then ${condition} end` : condition
}

/** Whether text contains something that is like the needle. The expression is that of the trigram index. */
export function containsText(q: Queries, text: Expression<string | null>, needle: string): RawBuilder<SqlBool> {
  return resemblesText(q, text, `%${needle}%`)
}

/** The text around the first occurrence of a needle, compared as `resemblesText` does; null if it does not occur. */
export function excerptAround(
  q: Queries,
  text: Expression<string | null>,
  needle: string,
  { before, length }: { before: number; length: number },
): RawBuilder<string | null> {
  const folded = foldText(needle)
  if (isPostgres(q)) {
    const at = sql`strpos(lower(${text} collate "C"), ${folded})`
    return sql`(case when ${at} > 0 then substr(${text}, greatest(${at} - ${before}::int, 1), ${length}::int) end)`
  }
  const at = sql`instr(lower(${text}), ${folded})`
  return sql`(case when ${at} > 0 then substr(${text}, max(${at} - ${before}, 1), ${length}) end)`
}

/**
 * A member of a JSON object by its exact name, if it is not a number: text, `true` or `false`, or the JSON of a list or an object.
 * Numbers are left to `jsonNumber`, because the engines write them differently.
 */
export function jsonText(q: Queries, json: Expression<string>, name: string): RawBuilder<string | null> {
  if (isPostgres(q)) {
    const member = sql`${json}::json -> ${name}::text`
    return sql`(case when json_typeof(${member}) <> 'number' then ${json}::json ->> ${name}::text end)`
  }
  return sql`(select case type when 'true' then 'true' when 'false' then 'false' else cast(value as text) end
    from json_each(${json}) where key = ${name} and type not in ('integer', 'real'))`
}

/** A member of a JSON object by its exact name, if it is a number. */
export function jsonNumber(q: Queries, json: Expression<string>, name: string): RawBuilder<number | null> {
  if (isPostgres(q)) {
    const member = sql`${json}::json -> ${name}::text`
    return sql`(case when json_typeof(${member}) = 'number' then (${json}::json ->> ${name}::text)::double precision end)`
  }
  return sql`(select value from json_each(${json}) where key = ${name} and type in ('integer', 'real'))`
}

/** A column whose index the engine must not use: without statistics it would choose a slow plan. */
export function withoutIndex(q: Queries, column: string): RawBuilder<unknown> {
  return isPostgres(q) ? sql.ref(column) : sql`+${sql.ref(column)}`
}

/** A correlated subquery that the engine must run for each row, instead of joining all rows of its table. */
export function perRow<Db, Table extends keyof Db, Row>(
  q: Queries,
  query: SelectQueryBuilder<Db, Table, Row>,
): SelectQueryBuilder<Db, Table, Row> {
  return isPostgres(q) ? query.offset(sql.lit(0)) : query
}

/**
 * A table that is read by this index, unless the engine has statistics by which to choose one. Without them, SQLite takes a workspace for
 * ten rows, and may prefer to read all of them.
 */
export function readBy<Table extends keyof Tables, Alias extends string>(
  q: Queries,
  { table, alias, index }: { table: Table; alias: Alias; index: string },
) {
  const name = isPostgres(q) ? sql.ref(alias) : sql`${sql.ref(alias)} indexed by ${sql.ref(index)}`
  return sql<Selectable<Tables[Table]>>`${sql.table(table)}`.as<Alias>(name)
}

/** Whether a column of ids is one of these, sent as one parameter, as `inList` does for text. */
export function inIdList(q: Queries, column: string, ids: readonly string[]): RawBuilder<boolean> {
  return isPostgres(q)
    ? sql<boolean>`${sql.ref(column)} = any(${[...ids]}::uuid[])`
    : sql<boolean>`${sql.ref(column)} in (select value from json_each(${JSON.stringify(ids)}))`
}
