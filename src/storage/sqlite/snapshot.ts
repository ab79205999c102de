import { invariant } from '../../base/invariant.ts'
import type { RowValue } from '../row-batches.ts'
import { openForReading } from './open-for-reading.ts'

const LOCK_TIMEOUT_MS = 5_000

export type RowRange = {
  table: string
  columns: readonly string[]
  key: readonly string[]
  after: RowValue[] | undefined
}

export type Snapshot = ReturnType<typeof openSnapshot>

/** One state of an embedded database, regardless of what is committed meanwhile: a read transaction that stays open. Integers are read exactly. */
export function openSnapshot(file: string) {
  const database = openForReading(file, LOCK_TIMEOUT_MS)
  database.defaultSafeIntegers(true)
  database.exec('begin')
  const pluck = (statement: string, ...values: unknown[]) =>
    database
      .prepare(statement)
      .pluck()
      .get(...values)
  // The transaction begins with its first read.
  pluck('select count(*) from sqlite_schema')
  return {
    tableNames: () =>
      database
        .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite!_%' escape '!'")
        .pluck()
        .all()
        .map(String),
    columnNames: (table: string) =>
      database.prepare('select name from pragma_table_info(?)').pluck().all(table).map(String),
    count: (table: string) => Number(pluck(`select count(*) from ${table}`)),
    /** When the first migration was applied: it distinguishes one installation from another. */
    createdAt: () => String(pluck('select min(applied_at) from schema_migrations')),
    /** The greatest number that the table has ever given to a row. */
    lastNumber: (table: string) =>
      BigInt(String(pluck('select max(seq) from sqlite_sequence where name = ?', table) ?? 0)),
    /** Rows in the order of the key, each as the values of its columns; from the first one after a key, or from the beginning. */
    *rows({ table, columns, key, after }: RowRange): Generator<RowValue[]> {
      const names = key.join(', ')
      const from = after ? `where (${names}) > (${key.map(() => '?').join(', ')})` : ''
      const statement = database.prepare(`select ${columns.join(', ')} from ${table} ${from} order by ${names}`)
      for (const row of statement.raw().iterate(...(after ?? []))) yield rowValues(row)
    },
    close: () => database.close(),
  }
}

function rowValues(row: unknown): RowValue[] {
  invariant(Array.isArray(row), 'raw rows are arrays')
  return row.map((value: unknown) => {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' || value === null)
      return value
    throw new Error(`A column has a value of an unexpected type: ${typeof value}`)
  })
}
