/**
 * Stores the records of the authentication library in our tables: reads without a transaction, every write in its own transaction.
 *
 * The library stores two secrets, session tokens and device codes. Only their SHA-256 hashes reach the database: the adapter
 * hashes them in written values and in conditions. A returned row contains the secret that it was created with or looked up by;
 * otherwise an empty string.
 */
import { type CustomAdapter, createAdapterFactory } from 'better-auth/adapters'
import { type RawBuilder, sql } from 'kysely'
import { type Clock, timestamp } from '../base/clock.ts'
import type { Db, Queries } from '../storage/db.ts'
import { deletePasswordResetsOf } from './account-queries.ts'
import { endSessions, SESSION_ABSOLUTE_MS, SESSION_IDLE_MS } from './accounts.ts'
import { hashSecret } from './api-key-format.ts'

/** Our names for the library's tables and columns, as its options expect them. */
export const authTables = {
  user: { modelName: 'users', fields: snakeCased('emailVerified', 'createdAt', 'updatedAt') },
  session: {
    modelName: 'sessions',
    fields: {
      ...snakeCased('userId', 'expiresAt', 'ipAddress', 'userAgent', 'createdAt', 'updatedAt'),
      token: 'token_hash',
    },
  },
  account: {
    modelName: 'accounts',
    fields: {
      ...snakeCased('userId', 'accountId', 'providerId', 'createdAt', 'updatedAt'),
      ...snakeCased('accessToken', 'refreshToken', 'idToken', 'accessTokenExpiresAt', 'refreshTokenExpiresAt'),
    },
  },
  verification: { modelName: 'verifications', fields: snakeCased('expiresAt', 'createdAt', 'updatedAt') },
  deviceCode: {
    modelName: 'device_codes',
    fields: {
      ...snakeCased('userCode', 'userId', 'clientId', 'expiresAt', 'lastPolledAt'),
      deviceCode: 'device_code_hash',
      pollingInterval: 'polling_interval_ms',
    },
  },
}

function snakeCased(...names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]))
}

export function authAdapter(db: Db, clock: Clock) {
  return createAdapterFactory({
    config: {
      adapterId: 'touchstone',
      supportsBooleans: false,
      supportsDates: false,
      supportsJSON: false,
      supportsNumericIds: false,
      // Its transactions would include password hashing and block all other writers for that time.
      transaction: false,
    },
    adapter: ({ getFieldName }) => customAdapter(db, clock, (model, field) => getFieldName({ model, field })),
  })
}

type Condition = NonNullable<Parameters<CustomAdapter['count']>[0]['where']>[number]

type Columns = Record<string, unknown>

function customAdapter(db: Db, clock: Clock, columnOf: (model: string, field: string) => string): CustomAdapter {
  return {
    async create({ model, data }) {
      const row = { ...data, ...(model === 'sessions' ? sessionTimes(clock) : {}) }
      const columns = Object.keys(row).map((name) => sql.ref(name))
      const values = Object.values(withHashes(model, row))
      await db.transaction((tx) =>
        sql`insert into ${sql.table(model)} (${sql.join(columns)}) values (${sql.join(values)})`.execute(tx),
      )
      return row
    },

    async findOne<Row>({ model, where }: { model: string; where: Condition[] }) {
      const rows = await select<Row>(db.read, { model, where: [...where, ...activeConditions(model, clock)], limit: 1 })
      return first(rows)
    },

    async findMany<Row>({ model, where, limit, sortBy, offset }: Parameters<CustomAdapter['findMany']>[0]) {
      const order = sortBy && { column: columnOf(model, sortBy.field), direction: sortBy.direction }
      const conditions = [...(where ?? []), ...activeConditions(model, clock)]
      return select<Row>(db.read, { model, where: conditions, limit, offset, order })
    },

    async count({ model, where }) {
      const query = sql<{
        rows: number
      }>`select count(*) as rows from ${sql.table(model)} where ${matching(model, where)}`
      const { rows } = await query.execute(db.read)
      return Number(rows[0]?.rows ?? 0)
    },

    async update<Row>({ model, where, update }: { model: string; where: Condition[]; update: Row }) {
      const columns: Columns = Object.fromEntries(Object.entries(update ?? {}))
      return db.transaction((tx) => updateOne<Row>(tx, { model, where, set: assignments(model, columns), columns }))
    },

    async updateMany({ model, where, update }) {
      return db.transaction(async (tx) => {
        const { rows } = await sql`update ${sql.table(model)} set ${assignments(model, update)}
          where ${matching(model, where)} returning id`.execute(tx)
        return rows.length
      })
    },

    async delete({ model, where }) {
      await db.transaction((tx) => deleteRows(tx, model, matching(model, where)))
    },

    async deleteMany({ model, where }) {
      return db.transaction(async (tx) => (await deleteRows(tx, model, matching(model, where))).length)
    },

    async consumeOne<Row>({ model, where }: { model: string; where: Condition[] }) {
      const rows = await db.transaction((tx) => deleteRows<Row>(tx, model, oneOf(model, where)))
      return first(rows.map((row) => withSecret(model, where, row)))
    },

    async incrementOne<Row>({
      model,
      where,
      increment,
      set,
    }: Parameters<NonNullable<CustomAdapter['incrementOne']>>[0]) {
      const steps = Object.entries(increment).map(([name, by]) => sql`${sql.ref(name)} = ${sql.ref(name)} + ${by}`)
      const fixed = set && Object.keys(set).length > 0 ? [assignments(model, set)] : []
      return db.transaction((tx) =>
        updateOne<Row>(tx, { model, where, set: sql.join([...steps, ...fixed]), columns: set ?? {} }),
      )
    },
  }
}

/** Session times come from our clock, because the check on every request compares them with it. */
function sessionTimes(clock: Clock): Columns {
  const now = clock.now()
  return { created_at: timestamp(now), updated_at: timestamp(now), expires_at: timestamp(now + SESSION_ABSOLUTE_MS) }
}

/**
 * The library supports neither idle timeouts nor disabled accounts. This hides idle sessions and disabled accounts from it, so that
 * signing in to a disabled account is denied as for an unknown address.
 */
function activeConditions(model: string, clock: Clock): Condition[] {
  if (model === 'users')
    return [{ field: 'disabled_at', operator: 'eq', value: null, connector: 'AND', mode: 'sensitive' }]
  if (model !== 'sessions') return []
  const common = { operator: 'gt', connector: 'AND', mode: 'sensitive' } as const
  const after = (field: string, ms: number) => ({ ...common, field, value: timestamp(ms) })
  return [after('expires_at', clock.now()), after('updated_at', clock.now() - SESSION_IDLE_MS)]
}

type Selection = {
  model: string
  where: Condition[]
  limit: number
  offset?: number | undefined
  order?: { column: string; direction: 'asc' | 'desc' } | undefined
}

async function select<Row>(queries: Queries, { model, where, limit, offset = 0, order }: Selection): Promise<Row[]> {
  const direction = order?.direction === 'desc' ? sql`desc` : sql`asc`
  const { rows } = await sql<Row>`select * from ${sql.table(model)} where ${matching(model, where)}
    order by ${sql.ref(order?.column ?? 'id')} ${direction} limit cast(${limit} as integer) offset ${offset}`.execute(
    queries,
  )
  return rows.map((row) => withSecret(model, where, row))
}

type Update = { model: string; where: Condition[]; set: RawBuilder<unknown>; columns: Columns }

/** Repeats the condition in addition to the id, because another transaction may have changed the row in the meantime. */
async function updateOne<Row>(tx: Queries, { model, where, set, columns }: Update): Promise<Row | null> {
  const { rows } = await sql<Row>`update ${sql.table(model)} set ${set}
    where ${oneOf(model, where)} and ${matching(model, where)} returning *`.execute(tx)
  if (model === 'accounts' && 'password' in columns) await endSessionsOf(tx, where)
  return first(rows.map((row) => withSecret(model, where, row)))
}

/** Ends all sessions in the transaction of the password change, so that an attacker does not stay signed in. */
async function endSessionsOf(tx: Queries, account: Condition[]): Promise<void> {
  const { rows } = await sql<{
    user_id: string
  }>`select user_id from accounts where ${matching('accounts', account)}`.execute(tx)
  for (const row of rows) {
    await endSessions(tx, row.user_id)
    await deletePasswordResetsOf(tx, row.user_id)
  }
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

function assignments(model: string, columns: Columns): RawBuilder<unknown> {
  return sql.join(Object.entries(withHashes(model, columns)).map(([name, value]) => sql`${sql.ref(name)} = ${value}`))
}

const SECRETS = new Map(Object.entries({ sessions: 'token_hash', device_codes: 'device_code_hash' }))

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
