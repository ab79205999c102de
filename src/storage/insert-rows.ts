import { sql } from 'kysely'
import { chunksOf, yieldToEventLoop } from '../base/event-loop.ts'
import { invariant } from '../base/invariant.ts'
import type { Queries } from './db.ts'
import { directConnection } from './sqlite/connection.ts'
import type { Tables } from './tables.ts'

const ROWS_PER_TURN = 25

export type RowValue = string | number | bigint | null

export type NewRows<Table extends keyof Tables> = {
  table: Table
  columns: readonly (keyof Tables[Table] & string)[]
  rows: readonly (readonly RowValue[])[]
}

/**
 * Inserts many rows and leaves alone what is there already; answers, for each row, whether it is new, told by its key.
 *
 * An embedded database is called once per row, with a statement that stays prepared: nothing is faster there. Over a network
 * each call would be a round trip, so many rows go in one parameter. Others may run between two chunks.
 */
export async function insertNewRows<Table extends keyof Tables>(
  tx: Queries,
  { table, columns, rows }: NewRows<Table>,
  key: readonly (keyof Tables[Table] & string)[],
): Promise<boolean[]> {
  invariant(key.length > 0, 'rows are distinguished by at least one column')
  const isNew: boolean[] = []
  for (const chunk of chunksOf(rows, ROWS_PER_TURN)) {
    isNew.push(...(await insertChunk(tx, { table, columns, rows: chunk }, key)))
    if (chunk.length === ROWS_PER_TURN) await yieldToEventLoop()
  }
  return isNew
}

async function insertChunk<Table extends keyof Tables>(
  tx: Queries,
  { table, columns, rows }: NewRows<Table>,
  key: readonly (keyof Tables[Table] & string)[],
): Promise<boolean[]> {
  const connection = directConnection(tx)
  if (connection) return connection.runEach(insertStatement(table, columns), rows)
  const names = sql.join(columns.map((column) => sql.ref(column)))
  const keyNames = sql.join(key.map((column) => sql.ref(column)))
  const { rows: inserted } = await sql<Record<string, unknown>>`insert into ${sql.table(table)} (${names})
    select ${names} from json_populate_recordset(null::${sql.table(table)}, ${rowsJson(columns, rows)}::json)
    on conflict do nothing returning ${keyNames}`.execute(tx)
  const isNew = new Set(inserted.map((row) => JSON.stringify(key.map((column) => row[column]))))
  const places = key.map((column) => columns.indexOf(column))
  return rows.map((row) => isNew.has(JSON.stringify(places.map((place) => row[place]))))
}

const statements = new Map<string, string>()

function insertStatement(table: string, columns: readonly string[]): string {
  const name = `${table} ${columns.join()}`
  let statement = statements.get(name)
  if (statement === undefined) {
    const places = columns.map(() => '?').join(', ')
    statement = `insert into ${table} (${columns.join(', ')}) values (${places}) on conflict do nothing`
    statements.set(name, statement)
  }
  return statement
}

export function rowsJson(columns: readonly string[], rows: readonly (readonly RowValue[])[]): string {
  const objects = rows.map((row) =>
    Object.fromEntries(
      columns.map((column, place) => {
        const value = row[place]
        return [column, typeof value === 'bigint' ? String(value) : value]
      }),
    ),
  )
  return JSON.stringify(objects)
}
