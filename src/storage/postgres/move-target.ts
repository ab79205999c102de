/** The statements of a move on the side of the database that is moved to. */
import { sql } from 'kysely'
import type { Queries } from '../db.ts'
import { MOVE_PROGRESS } from '../dialect.ts'
import { rowsJson } from '../insert-rows.ts'
import type { RowValue } from '../row-batches.ts'
import { TABLE_NAMES } from '../table-placements.ts'
import type { TableShape } from './catalog.ts'

type TableProgress = { table: string; lastKey: RowValue[] | undefined; isComplete: boolean }

export type MoveProgress = { source: string; tables: TableProgress[] }

export type Rows = readonly (readonly RowValue[])[]

/** It is in the target, so that a batch and its progress are one transaction. It exists only as long as the move is not finished. */
export async function createProgress(tx: Queries, source: string): Promise<void> {
  await sql`create table ${sql.table(MOVE_PROGRESS)} (table_name text not null primary key, source text not null,
    last_key text, is_complete boolean not null default false)`.execute(tx)
  for (const table of TABLE_NAMES)
    await sql`insert into ${sql.table(MOVE_PROGRESS)} (table_name, source) values (${table}, ${source})`.execute(tx)
}

export async function readProgress(q: Queries): Promise<MoveProgress> {
  const { rows } = await sql<{ table: string; source: string; key: string | null; isComplete: boolean }>`
    select table_name as table, source, last_key as key, is_complete as "isComplete" from ${sql.table(MOVE_PROGRESS)}`.execute(
    q,
  )
  const tables = rows.map(({ table, key, isComplete }) => ({
    table,
    lastKey: key === null ? undefined : JSON.parse(key),
    isComplete,
  }))
  return { source: rows[0]?.source ?? '', tables }
}

export async function completeTable(q: Queries, table: string): Promise<void> {
  await sql`update ${sql.table(MOVE_PROGRESS)} set is_complete = true where table_name = ${table}`.execute(q)
}

export async function dropProgress(tx: Queries): Promise<void> {
  await sql`drop table ${sql.table(MOVE_PROGRESS)}`.execute(tx)
}

export async function emptyTables(tx: Queries): Promise<void> {
  await sql`truncate ${sql.join(TABLE_NAMES.map((table) => sql.table(table)))}`.execute(tx)
}

/** Inserts a batch and notes how far it goes. A row that exists already is an error: no other process may write here. */
export async function insertBatch(tx: Queries, { name, columns, key }: TableShape, rows: Rows): Promise<void> {
  const names = columns.map((column) => column.name)
  const list = sql.join(names.map((column) => sql.ref(column)))
  await sql`insert into ${sql.table(name)} (${list}) overriding system value
    select ${list} from json_populate_recordset(null::${sql.table(name)}, ${rowsJson(names, rows)}::json)`.execute(tx)
  const last = rows.at(-1) ?? []
  const lastKey = JSON.stringify(key.map((column) => jsonValue(last[names.indexOf(column)])))
  await sql`update ${sql.table(MOVE_PROGRESS)} set last_key = ${lastKey} where table_name = ${name}`.execute(tx)
}

/** The numbers in keys are small: hours and repetitions. */
function jsonValue(value: RowValue | undefined): unknown {
  return typeof value === 'bigint' ? Number(value) : value
}

/** The rows with the same keys, read as all queries read them, except that integers are text: a double would lose digits. */
export async function readSameRows(q: Queries, { name, columns, key }: TableShape, rows: Rows): Promise<unknown[][]> {
  const places = key.map((column) => columns.findIndex((one) => one.name === column))
  const keys = rows.map((row) => places.map((place) => row[place] ?? null))
  const selected = columns.map(({ name: column, type }) =>
    isInteger(type) ? sql`t.${sql.ref(column)}::text as ${sql.ref(column)}` : sql`t.${sql.ref(column)}`,
  )
  const found = await sql<Record<string, unknown>>`select ${sql.join(selected)}
    from json_populate_recordset(null::${sql.table(name)}, ${rowsJson(key, keys)}::json) as k
    join ${sql.table(name)} as t using (${sql.join(key.map((column) => sql.ref(column)))})`.execute(q)
  return found.rows.map((row) => columns.map((column) => row[column.name]))
}

function isInteger(type: string): boolean {
  return type === 'int4' || type === 'int8'
}

export async function countRows(q: Queries, table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(q)
  return rows[0]?.count ?? 0
}

/** The first of our tables that has a row. */
export async function findUsedTable(q: Queries): Promise<string | undefined> {
  for (const table of TABLE_NAMES) {
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(q)
    if (rows.length > 0) return table
  }
  return undefined
}

/** The next row gets a greater number than every row has had before the move. */
export async function continueNumbers(q: Queries, table: string, column: string, last: bigint): Promise<void> {
  if (last > 0n)
    await sql`select setval(pg_get_serial_sequence(${table}, ${column}), ${String(last)}::bigint)`.execute(q)
}

/** Without statistics the first queries would read whole tables. */
export async function analyzeTables(q: Queries): Promise<void> {
  for (const table of TABLE_NAMES) await sql`analyze ${sql.table(table)}`.execute(q)
}
