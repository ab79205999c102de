/**
 * The records of the authentication library, by the names of our tables and columns. Reads across workspaces, because accounts and
 * sessions belong to none.
 *
 * Only the hashes of session tokens reach the database: they are hashed in written values and in conditions. A returned row contains the
 * token that it was looked up by; otherwise an empty string.
 */
import type { CustomAdapter } from 'better-auth/adapters'
import { type RawBuilder, sql } from 'kysely'
import type { Queries } from '../../storage/db.ts'
import { hashSecret } from '../api-keys/api-key-format.ts'

export type Condition = NonNullable<Parameters<CustomAdapter['count']>[0]['where']>[number]

export type Columns = Record<string, unknown>

/** `model` is the name of a table. */
type Records = { model: string; where: Condition[] }

export async function insertRecord(tx: Queries, model: string, row: Columns): Promise<void> {
  const columns = Object.keys(row).map((name) => sql.ref(name))
  const values = Object.values(withHashes(model, row))
  await sql`insert into ${sql.table(model)} (${sql.join(columns)}) values (${sql.join(values)})`.execute(tx)
}

type Selection = Records & {
  limit: number
  offset?: number | undefined
  order?: { column: string; direction: 'asc' | 'desc' } | undefined
}

export async function listRecords<Row>(
  q: Queries,
  { model, where, limit, offset = 0, order }: Selection,
): Promise<Row[]> {
  const direction = order?.direction === 'desc' ? sql`desc` : sql`asc`
  const { rows } = await sql<Row>`select * from ${sql.table(model)} where ${matching(model, where)}
    order by ${sql.ref(order?.column ?? 'id')} ${direction} limit cast(${limit} as integer) offset ${offset}`.execute(q)
  return rows.map((row) => withSecret(model, where, row))
}

export async function countRecords(q: Queries, model: string, where: Condition[] | undefined): Promise<number> {
  const query = sql<{
    rows: number
  }>`select count(*) as rows from ${sql.table(model)} where ${matching(model, where)}`
  const { rows } = await query.execute(q)
  return Number(rows[0]?.rows ?? 0)
}

type Change = { set: Columns; increment?: Record<string, number> }

/**
 * Updates one of the records and returns it. Repeats the condition in addition to the id, because another transaction may have changed
 * the row in the meantime.
 */
export async function updateRecord<Row>(
  tx: Queries,
  { model, where, set, increment = {} }: Records & Change,
): Promise<Row | null> {
  const steps = Object.entries(increment).map(([name, by]) => sql`${sql.ref(name)} = ${sql.ref(name)} + ${by}`)
  const { rows } = await sql<Row>`update ${sql.table(model)} set ${sql.join([...steps, ...assignments(model, set)])}
    where ${oneOf(model, where)} and ${matching(model, where)} returning *`.execute(tx)
  return first(rows.map((row) => withSecret(model, where, row)))
}

/** Returns the number of updated records. */
export async function updateRecords(tx: Queries, { model, where }: Records, set: Columns): Promise<number> {
  const { rows } = await sql`update ${sql.table(model)} set ${sql.join(assignments(model, set))}
    where ${matching(model, where)} returning id`.execute(tx)
  return rows.length
}

/** Returns the number of deleted records. */
export async function deleteRecords(tx: Queries, { model, where }: Records): Promise<number> {
  return (await deleteRows(tx, model, matching(model, where))).length
}

/** Deletes one of the records and returns it. */
export async function consumeRecord<Row>(tx: Queries, { model, where }: Records): Promise<Row | null> {
  const rows = await deleteRows<Row>(tx, model, oneOf(model, where))
  return first(rows.map((row) => withSecret(model, where, row)))
}

export async function listUserIdsOfAccounts(q: Queries, where: Condition[]): Promise<string[]> {
  const { rows } = await sql<{
    user_id: string
  }>`select user_id from accounts where ${matching('accounts', where)}`.execute(q)
  return rows.map((row) => row.user_id)
}

async function deleteRows<Row>(tx: Queries, model: string, condition: RawBuilder<unknown>): Promise<Row[]> {
  return (await sql<Row>`delete from ${sql.table(model)} where ${condition} returning *`.execute(tx)).rows
}

function oneOf(model: string, where: Condition[]): RawBuilder<unknown> {
  return sql`id in (select id from ${sql.table(model)} where ${matching(model, where)} limit 1)`
}

/** The library's semantics: all conditions with the connector AND, and at least one of those with the connector OR. */
function matching(model: string, where: Condition[] = []): RawBuilder<unknown> {
  const all = where.filter(({ connector }) => connector === 'AND').map((condition) => compare(model, condition))
  const any = where.filter(({ connector }) => connector === 'OR').map((condition) => compare(model, condition))
  const parts = any.length > 0 ? [...all, sql`(${sql.join(any, sql` or `)})`] : all
  return parts.length > 0 ? sql`(${sql.join(parts, sql` and `)})` : sql`1 = 1`
}

function compare(model: string, { field, operator = 'eq', value, mode }: Condition): RawBuilder<unknown> {
  const values = [value].flat().map((item) => hashed(model, field, item))
  const isFolded = mode === 'insensitive' && values.every((item) => typeof item === 'string')
  const fold = (part: unknown) => (isFolded ? sql`lower(${part})` : sql`${part}`)
  const column = fold(sql.ref(field))
  const [only = null] = values
  if (operator === 'in' || operator === 'not_in') {
    if (values.length === 0) return operator === 'in' ? sql`1 = 0` : sql`1 = 1`
    return sql`${column} ${sql.raw(operator === 'in' ? 'in' : 'not in')} (${sql.join(values.map(fold))})`
  }
  if (only === null) return operator === 'ne' ? sql`${column} is not null` : sql`${column} is null`
  const text = fold(only)
  // Not LIKE, which is case-insensitive on only one of the engines.
  if (operator === 'contains') return sql`replace(${column}, ${text}, '') <> ${column}`
  if (operator === 'starts_with') return sql`substr(${column}, 1, length(${text})) = ${text}`
  if (operator === 'ends_with') return sql`substr(${column}, length(${column}) - length(${text}) + 1) = ${text}`
  return sql`${column} ${sql.raw(SIGNS.get(operator) ?? '=')} ${text}`
}

const SIGNS = new Map(Object.entries({ ne: '<>', lt: '<', lte: '<=', gt: '>', gte: '>=' }))

function assignments(model: string, columns: Columns): RawBuilder<unknown>[] {
  return Object.entries(withHashes(model, columns)).map(([name, value]) => sql`${sql.ref(name)} = ${value}`)
}

const SECRETS = new Map(Object.entries({ sessions: 'token_hash' }))

function withHashes(model: string, columns: Columns): Columns {
  return Object.fromEntries(Object.entries(columns).map(([name, value]) => [name, hashed(model, name, value)]))
}

function hashed(model: string, column: string, value: unknown): unknown {
  return SECRETS.get(model) === column && typeof value === 'string' ? hashSecret(value) : value
}

function withSecret<Row>(model: string, where: Condition[], row: Row): Row {
  const column = SECRETS.get(model)
  if (!column) return row
  const condition = where.find(({ field, operator }) => field === column && operator === 'eq')
  return { ...row, [column]: typeof condition?.value === 'string' ? condition.value : '' }
}

function first<Row>(rows: Row[]): Row | null {
  return rows[0] ?? null
}
