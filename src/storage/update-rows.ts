import { sql } from 'kysely'
import { chunksOf, yieldToEventLoop } from '../base/event-loop.ts'
import { invariant } from '../base/invariant.ts'
import type { Queries } from './db.ts'
import { rowsJson } from './insert-rows.ts'
import type { RowValue } from './row-batches.ts'
import { directConnection } from './sqlite/connection.ts'
import type { Tables } from './tables.ts'

/** Fewer than are inserted in a turn: an update needs twice as long as an insert. */
const ROWS_PER_TURN = 10
/** For PostgreSQL, where each statement is a round trip and blocks only its caller. */
const ROWS_PER_STATEMENT = 100

export type ChangedRows<Table extends keyof Tables> = {
  table: Table
  /** The columns that identify a row. */
  key: readonly (keyof Tables[Table] & string)[]
  /** The columns to update. */
  values: readonly (keyof Tables[Table] & string)[]
  /** Only rows whose `column` has one of these values are updated: final rows do not change. */
  only: { column: keyof Tables[Table] & string; words: readonly string[] }
  /** In each row the keys, then the values. */
  rows: readonly (readonly RowValue[])[]
}

/** Updates many rows by their keys; returns, for each, whether a row was updated. Works as `insertNewRows` does, for the same reasons. */
export async function updateRows<Table extends keyof Tables>(
  tx: Queries,
  changed: ChangedRows<Table>,
): Promise<boolean[]> {
  invariant(changed.key.length > 0, 'rows are distinguished by at least one column')
  const wasThere: boolean[] = []
  const size = directConnection(tx) ? ROWS_PER_TURN : ROWS_PER_STATEMENT
  for (const rows of chunksOf(changed.rows, size)) {
    wasThere.push(...(await updateChunk(tx, { ...changed, rows })))
    if (rows.length === size) await yieldToEventLoop()
  }
  return wasThere
}

async function updateChunk<Table extends keyof Tables>(
  tx: Queries,
  { table, key, values, only, rows }: ChangedRows<Table>,
): Promise<boolean[]> {
  const connection = directConnection(tx)
  if (connection) {
    const statement = `update ${table} set ${values.map((name) => `${name} = ?`).join(', ')}
      where ${key.map((name) => `${name} = ?`).join(' and ')} and ${only.column} in (${only.words.map(() => '?').join(', ')})`
    return connection.runEach(
      statement,
      rows.map((row) => [...row.slice(key.length), ...row.slice(0, key.length), ...only.words]),
    )
  }
  const sets = values.map((name) => sql`${sql.ref(name)} = r.${sql.ref(name)}`)
  const same = key.map((name) => sql`t.${sql.ref(name)} = r.${sql.ref(name)}`)
  const { rows: found } = await sql<Record<string, unknown>>`update ${sql.table(table)} as t set ${sql.join(sets)}
    from json_populate_recordset(null::${sql.table(table)}, ${rowsJson([...key, ...values], rows)}::json) as r
    where ${sql.join(same, sql` and `)} and t.${sql.ref(only.column)} in (${sql.join(only.words)})
    returning ${sql.join(key.map((name) => sql`t.${sql.ref(name)} as ${sql.ref(name)}`))}`.execute(tx)
  const changed = new Set(found.map((row) => JSON.stringify(key.map((name) => row[name]))))
  return rows.map((row) => changed.has(JSON.stringify(row.slice(0, key.length))))
}
