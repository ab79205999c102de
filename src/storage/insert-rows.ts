import { CompiledQuery } from 'kysely'
import { chunksOf, yieldToEventLoop } from '../base/event-loop.ts'
import { invariant } from '../base/invariant.ts'
import { quoteText } from '../base/json.ts'
import type { Queries } from './db.ts'
import { cutIntoBatches, type RowValue } from './row-batches.ts'
import { directConnection } from './sqlite/connection.ts'
import type { Tables } from './tables.ts'

const ROWS_PER_TURN = 25
/** Over a network. PostgreSQL indexes the texts of a statement while it runs: with more of them, it could reach its time limit. */
const PER_STATEMENT = { rowsMax: 500, charactersMax: 1 << 15 }

export type NewRows<Table extends keyof Tables> = {
  table: Table
  columns: readonly (keyof Tables[Table] & string)[]
  rows: readonly (readonly RowValue[])[]
}

/**
 * Inserts many rows and leaves existing ones unchanged; returns, for each row, whether it is new, identified by its key.
 *
 * An embedded database is called once per row, with a statement that stays prepared: nothing is faster there. Over a network
 * each call would be a round trip, so many rows are sent in one parameter. Others may run between two chunks.
 */
export async function insertNewRows<Table extends keyof Tables>(
  tx: Queries,
  rows: NewRows<Table>,
  key: readonly (keyof Tables[Table] & string)[],
): Promise<boolean[]> {
  invariant(key.length > 0, 'rows are distinguished by at least one column')
  return writeRows(tx, rows, { onConflict: 'on conflict do nothing', key })
}

/** Inserts many rows, in order, and does for existing ones what `onConflict` says. No two rows may have the same key. */
export async function upsertRows<Table extends keyof Tables>(
  tx: Queries,
  rows: NewRows<Table>,
  onConflict: string,
): Promise<void> {
  await writeRows(tx, rows, { onConflict, key: [] })
}

type WriteOptions<Table extends keyof Tables> = { onConflict: string; key: readonly (keyof Tables[Table] & string)[] }

async function writeRows<Table extends keyof Tables>(
  tx: Queries,
  { table, columns, rows }: NewRows<Table>,
  { onConflict, key }: WriteOptions<Table>,
): Promise<boolean[]> {
  const isNew: boolean[] = []
  const connection = directConnection(tx)
  if (!connection) {
    for (const batch of cutIntoBatches(rows, PER_STATEMENT)) {
      for (const one of await writeBatch(tx, { table, columns, rows: batch }, { onConflict, key })) isNew.push(one)
    }
    return isNew
  }
  const statement = `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')}) ${onConflict}`
  for (const chunk of chunksOf(rows, ROWS_PER_TURN)) {
    for (const one of connection.runEach(statement, chunk)) isNew.push(one)
    if (chunk.length === ROWS_PER_TURN) await yieldToEventLoop()
  }
  return isNew
}

/** As text, and not by the query builder, whose work for so many columns costs as much as the rest. */
async function writeBatch<Table extends keyof Tables>(
  tx: Queries,
  { table, columns, rows }: NewRows<Table>,
  { onConflict, key }: WriteOptions<Table>,
): Promise<boolean[]> {
  const names = quoted(columns)
  const returning = key.length === 0 ? '' : `returning ${quoted(key)}`
  const statement = `insert into ${table} (${names}) select ${names} from json_populate_recordset(null::${table}, $1::json) ${onConflict} ${returning}`
  const query = CompiledQuery.raw(statement, [rowsJson(columns, rows)])
  const { rows: inserted } = await tx.executeQuery<Record<string, unknown>>(query)
  if (inserted.length === rows.length) return rows.map(() => true)
  const isNew = new Set(inserted.map((row) => JSON.stringify(key.map((column) => row[column]))))
  const places = key.map((column) => columns.indexOf(column))
  // Of two rows with the same key only the first is new.
  return rows.map((row) => isNew.delete(JSON.stringify(places.map((place) => row[place]))))
}

function quoted(columns: readonly string[]): string {
  return columns.map((column) => `"${column}"`).join(', ')
}

/** A JSON list of objects. Absent members are null to the database, so that nulls need not be sent. */
export function rowsJson(columns: readonly string[], rows: readonly (readonly RowValue[])[]): string {
  const names = columns.map((column) => `${JSON.stringify(column)}:`)
  let json = ''
  for (const row of rows) {
    let members = ''
    for (const [place, name] of names.entries()) {
      const value = row[place]
      if (value === null || value === undefined) continue
      members += `${members === '' ? '' : ','}${name}${typeof value === 'string' ? quoteText(value) : value}`
    }
    json += `${json === '' ? '' : ','}{${members}}`
  }
  return `[${json}]`
}
