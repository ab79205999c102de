/**
 * Stores the records of the authentication library in our tables: reads without a transaction, every write in its own transaction.
 *
 * Of session tokens only the SHA-256 hashes reach the database (`auth-record-queries.ts`); secrets of second factors are
 * sealed (`second-factor-records.ts`). A created row is returned with the secret that it was created with.
 */
import { type CustomAdapter, createAdapterFactory } from 'better-auth/adapters'
import { type Clock, timestamp } from '../../base/clock.ts'
import type { Db, Queries } from '../../storage/db.ts'
import { deletePasswordResetsOf } from '../accounts/account-queries.ts'
import { endSessions, SESSION_ABSOLUTE_MS, SESSION_IDLE_MS } from '../accounts/session-queries.ts'
import {
  openColumns,
  SECOND_FACTORS,
  type SecondFactorSealer,
  sealColumns,
  updateSealed,
} from '../second-factor/second-factor-records.ts'
import {
  type Columns,
  type Condition,
  consumeRecord,
  countRecords,
  deleteRecords,
  insertRecord,
  listRecords,
  listUserIdsOfAccounts,
  updateRecord,
  updateRecords,
} from './auth-record-queries.ts'

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
}

export const secondFactorTables = {
  user: { fields: snakeCased('twoFactorEnabled') },
  twoFactor: {
    modelName: SECOND_FACTORS,
    fields: snakeCased('userId', 'backupCodes', 'failedVerificationCount', 'lockedUntil'),
  },
}

function snakeCased(...names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]))
}

export function authAdapter(db: Db, clock: Clock, sealer: SecondFactorSealer) {
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
    adapter: ({ getFieldName }) =>
      customAdapter({ db, clock, sealer }, (model, field) => getFieldName({ model, field })),
  })
}

type Deps = { db: Db; clock: Clock; sealer: SecondFactorSealer }

function customAdapter({ db, clock, sealer }: Deps, columnOf: (model: string, field: string) => string): CustomAdapter {
  const opened = <Row>(model: string, row: Row) => (model === SECOND_FACTORS ? openColumns(sealer, row) : row)

  async function updateOne<Row>(change: Parameters<typeof updateRecord>[1]): Promise<Row | null> {
    return db.transaction(async (tx) => {
      if (change.model === SECOND_FACTORS) return updateSealed<Row>(tx, sealer, change)
      const row = await updateRecord<Row>(tx, change)
      if (change.model === 'accounts' && 'password' in change.set) await endSessionsOf(tx, change.where)
      return row
    })
  }

  return {
    async create({ model, data }) {
      const row = { ...data, ...(model === 'sessions' ? sessionTimes(clock) : {}) }
      const stored = model === SECOND_FACTORS ? sealColumns(sealer, String(row['user_id']), row) : row
      await db.transaction((tx) => insertRecord(tx, model, stored))
      return row
    },

    async findOne<Row>({ model, where }: { model: string; where: Condition[] }) {
      const conditions = [...where, ...activeConditions(model, clock)]
      const [row] = await listRecords<Row>(db.read, { model, where: conditions, limit: 1 })
      return row ? opened(model, row) : null
    },

    async findMany<Row>({ model, where, limit, sortBy, offset }: Parameters<CustomAdapter['findMany']>[0]) {
      const order = sortBy && { column: columnOf(model, sortBy.field), direction: sortBy.direction }
      const conditions = [...(where ?? []), ...activeConditions(model, clock)]
      const rows = await listRecords<Row>(db.read, { model, where: conditions, limit, offset, order })
      return rows.map((row) => opened(model, row))
    },

    count: ({ model, where }) => countRecords(db.read, model, where),

    async update<Row>({ model, where, update }: { model: string; where: Condition[]; update: Row }) {
      const set: Columns = Object.fromEntries(Object.entries(update ?? {}))
      return updateOne<Row>({ model, where, set })
    },

    updateMany: ({ model, where, update }) => db.transaction((tx) => updateRecords(tx, { model, where }, update)),

    async delete({ model, where }) {
      await db.transaction((tx) => deleteRecords(tx, { model, where }))
    },

    deleteMany: ({ model, where }) => db.transaction((tx) => deleteRecords(tx, { model, where })),

    consumeOne: <Row>({ model, where }: { model: string; where: Condition[] }) =>
      db.transaction((tx) => consumeRecord<Row>(tx, { model, where })),

    incrementOne: <Row>({
      model,
      where,
      increment,
      set = {},
    }: Parameters<NonNullable<CustomAdapter['incrementOne']>>[0]) => updateOne<Row>({ model, where, set, increment }),
  }
}

/** Ends all sessions in the transaction of the password change, so that an attacker does not stay signed in. */
async function endSessionsOf(tx: Queries, account: Condition[]): Promise<void> {
  for (const userId of await listUserIdsOfAccounts(tx, account)) {
    await endSessions(tx, userId)
    await deletePasswordResetsOf(tx, userId)
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
