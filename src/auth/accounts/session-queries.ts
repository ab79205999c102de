import { type Clock, timestamp } from '../../base/clock.ts'
import type { Db, Queries } from '../../storage/db.ts'
import { hashSecret } from '../api-keys/api-key-format.ts'
import { deleteUsedCodesBefore } from '../second-factor/second-factor-queries.ts'
import { deleteVerificationsOf } from '../sign-in/verification-queries.ts'

/** A session ends this long after sign-in … */
export const SESSION_ABSOLUTE_MS = 14 * 24 * 60 * 60 * 1_000
/** … and this long after it was last used. */
const SESSION_IDLE_MS = 12 * 60 * 60 * 1_000

const USER_AGENT_LENGTH_MAX = 500

export type ActiveSession = {
  id: string
  userId: string
  email: string
  name: string
  createdAt: string
  lastUsedAt: string
  expiresAt: string
}

/** The only check of a session token: it exists, has not expired, was used recently, and its account is enabled. */
export async function findActiveSession(
  queries: Queries,
  clock: Clock,
  token: string,
): Promise<ActiveSession | undefined> {
  return queries
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['sessions.id', 'sessions.user_id as userId', 'users.email', 'users.name'])
    .select([
      'sessions.created_at as createdAt',
      'sessions.updated_at as lastUsedAt',
      'sessions.expires_at as expiresAt',
    ])
    .where('sessions.token_hash', '=', hashSecret(token))
    .where('users.disabled_at', 'is', null)
    .where('sessions.expires_at', '>', timestamp(clock.now()))
    .where('sessions.updated_at', '>', timestamp(clock.now() - SESSION_IDLE_MS))
    .executeTakeFirst()
}

type NewSession = { id: string; userId: string; token: string; address: string; userAgent: string | null }

export async function insertSession(tx: Queries, clock: Clock, session: NewSession): Promise<void> {
  const now = timestamp(clock.now())
  await tx
    .insertInto('sessions')
    .values({
      id: session.id,
      user_id: session.userId,
      token_hash: hashSecret(session.token),
      expires_at: timestamp(clock.now() + SESSION_ABSOLUTE_MS),
      ip_address: session.address,
      user_agent: session.userAgent?.slice(0, USER_AGENT_LENGTH_MAX) ?? null,
      created_at: now,
      updated_at: now,
    })
    .execute()
}

export async function endSessionOfToken(db: Db, token: string): Promise<void> {
  await db.transaction((tx) => tx.deleteFrom('sessions').where('token_hash', '=', hashSecret(token)).execute())
}

/** Ends one session of a user; false if there is no such session. */
export async function endSession(db: Db, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.transaction((tx) =>
    tx.deleteFrom('sessions').where('user_id', '=', userId).where('id', '=', id).executeTakeFirst(),
  )
  return numDeletedRows > 0n
}

/**
 * Ends all sessions of a user, or all but one, and deletes device codes, which could still be redeemed for a session. Ends sign-ins that
 * wait for a second factor, and the trust in devices. Returns the number of ended sessions.
 */
export async function endSessions(tx: Queries, userId: string, { except }: { except?: string } = {}): Promise<number> {
  await tx.deleteFrom('device_codes').where('user_id', '=', userId).execute()
  await deleteVerificationsOf(tx, userId)
  let query = tx.deleteFrom('sessions').where('user_id', '=', userId)
  if (except !== undefined) query = query.where('id', '<>', except)
  return Number((await query.executeTakeFirst()).numDeletedRows)
}

/** For housekeeping: deletes expired rows to free space. Expired rows have no effect. */
export async function deleteExpiredSessions(tx: Queries, clock: Clock): Promise<void> {
  const now = timestamp(clock.now())
  const idle = timestamp(clock.now() - SESSION_IDLE_MS)
  await tx
    .deleteFrom('sessions')
    .where((or) => or.or([or('expires_at', '<=', now), or('updated_at', '<=', idle)]))
    .execute()
  await tx.deleteFrom('device_codes').where('expires_at', '<=', now).execute()
  await tx.deleteFrom('verifications').where('expires_at', '<=', now).execute()
  await tx.deleteFrom('password_resets').where('expires_at', '<=', now).execute()
  await deleteUsedCodesBefore(tx, timestamp(clock.now() - DAY_MS))
}

const DAY_MS = 24 * 60 * 60 * 1_000

/** The sessions as shown to their user. They do not contain the token, because only its hash is stored. */
export async function listActiveSessions(queries: Queries, clock: Clock, userId: string) {
  return queries
    .selectFrom('sessions')
    .select(['id', 'ip_address as ipAddress', 'user_agent as userAgent', 'created_at as createdAt'])
    .select(['updated_at as lastUsedAt', 'expires_at as expiresAt'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', timestamp(clock.now()))
    .where('updated_at', '>', timestamp(clock.now() - SESSION_IDLE_MS))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}
