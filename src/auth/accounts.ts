import { type Clock, timestamp } from '../base/clock.ts'
import { badRequest, conflict } from '../base/errors.ts'
import type { NewId } from '../base/ids.ts'
import type { Db, Queries } from '../storage/db.ts'
import { deletePasswordResetsOf } from './account-queries.ts'
import { hashSecret } from './api-key-format.ts'
import { hashPassword, needsRehash } from './passwords.ts'

export type Account = { id: string; email: string; name: string }

export type Credentials = { email: string; name: string; passwordHash: string }

/** `tx` must be a transaction. */
export type AccountWriter = { tx: Queries; clock: Clock; newId: NewId }

/** Creates a user who can sign in. Throws a conflict if the e-mail address is taken; its case does not matter. */
export async function createAccount(
  { tx, clock, newId }: AccountWriter,
  { email, name, passwordHash }: Credentials,
): Promise<Account> {
  checkEmail(email)
  const now = timestamp(clock.now())
  const created = await tx
    .insertInto('users')
    .values({
      id: newId(),
      email: email.toLowerCase(),
      name,
      email_verified: 0,
      image: null,
      created_at: now,
      updated_at: now,
    })
    .onConflict((taken) => taken.column('email').doNothing())
    .returning(['id', 'email', 'name'])
    .executeTakeFirst()
  if (!created) throw emailTaken()
  await setPassword({ tx, clock, newId }, created.id, passwordHash)
  return created
}

/**
 * Sets the e-mail address, name and password of an existing user, such as the placeholder user of the first start.
 * Ends all sessions of the user, so do not call it at each start unless the password has changed.
 */
export async function setCredentials(
  { tx, clock, newId }: AccountWriter,
  userId: string,
  { email, name, passwordHash }: Credentials,
): Promise<void> {
  checkEmail(email)
  const other = await findUserByEmail(tx, email)
  if (other && other.id !== userId) throw emailTaken()
  await tx
    .updateTable('users')
    .set({ email: email.toLowerCase(), name, updated_at: timestamp(clock.now()) })
    .where('id', '=', userId)
    .execute()
  await setPassword({ tx, clock, newId }, userId, passwordHash)
}

export async function findUserByEmail(queries: Queries, email: string): Promise<Account | undefined> {
  return queries
    .selectFrom('users')
    .select(['id', 'email', 'name'])
    .where('email', '=', email.toLowerCase())
    .executeTakeFirst()
}

/** Hashes a verified password again if its hash was created with other parameters than the current ones. */
export async function renewPasswordHash(db: Db, userId: string, password: string): Promise<void> {
  const row = await db.read
    .selectFrom('accounts')
    .select(['id', 'password'])
    .where('user_id', '=', userId)
    .where('provider_id', '=', PROVIDER)
    .executeTakeFirst()
  if (!row?.password || !needsRehash(row.password)) return
  const { id, password: old } = row
  const renewed = await hashPassword(password)
  // Does not overwrite a password that was changed in the meantime.
  await db.transaction((tx) =>
    tx.updateTable('accounts').set({ password: renewed }).where('id', '=', id).where('password', '=', old).execute(),
  )
}

/** A session ends this long after sign-in … */
export const SESSION_ABSOLUTE_MS = 14 * 24 * 60 * 60 * 1_000
/** … and this long after it was last used. */
export const SESSION_IDLE_MS = 12 * 60 * 60 * 1_000

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
 * Ends all sessions of a user, or all but one, and deletes device codes, which could still be redeemed for a session.
 * Returns the number of ended sessions.
 */
export async function endSessions(tx: Queries, userId: string, { except }: { except?: string } = {}): Promise<number> {
  await tx.deleteFrom('device_codes').where('user_id', '=', userId).execute()
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
}

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

const EMAIL_LENGTH_MAX = 254
// The pattern of the authentication library: an address that it would reject at sign-in must not become an account.
const EMAIL = /^(?:[A-Za-z0-9_'+-]+\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/

export function checkEmail(email: string): void {
  if (email.length > EMAIL_LENGTH_MAX || !EMAIL.test(email)) {
    throw badRequest('The e-mail address must have the format name@example.com')
  }
}

/** The library finds a password by this provider and an `account_id` that equals the user id. */
const PROVIDER = 'credential'

/** Sets the password and ends all sessions and reset links in one transaction, so that an attacker does not stay signed in. */
export async function setPassword(
  { tx, clock, newId }: AccountWriter,
  userId: string,
  passwordHash: string,
): Promise<void> {
  const now = timestamp(clock.now())
  await tx
    .insertInto('accounts')
    .values({
      id: newId(),
      user_id: userId,
      account_id: userId,
      provider_id: PROVIDER,
      password: passwordHash,
      access_token: null,
      refresh_token: null,
      id_token: null,
      access_token_expires_at: null,
      refresh_token_expires_at: null,
      scope: null,
      created_at: now,
      updated_at: now,
    })
    .onConflict((known) =>
      known.columns(['user_id', 'provider_id']).doUpdateSet({ password: passwordHash, updated_at: now }),
    )
    .execute()
  await deletePasswordResetsOf(tx, userId)
  await endSessions(tx, userId)
}

function emailTaken(): Error {
  return conflict('Another account has this e-mail address')
}
