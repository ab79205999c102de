import { sql } from 'kysely'
import type { Queries } from '../../storage/db.ts'
import { lockForShare } from '../../storage/dialect.ts'

/** Users who can sign in, with a password or a provider. Excludes the placeholder user of the first start, who has neither. */
function accountsOfAnyWorkspace(q: Queries) {
  return q
    .selectFrom('users as u')
    .select(['u.id', 'u.email', 'u.name', 'u.created_at as createdAt', 'u.disabled_at as disabledAt'])
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('accounts as a').select(sql`1`.as('one')).whereRef('a.user_id', '=', 'u.id')),
    )
}

export async function listAccountsOfAnyWorkspace(q: Queries) {
  return accountsOfAnyWorkspace(q).orderBy('u.email').execute()
}

export async function findAccountByEmail(q: Queries, email: string) {
  return accountsOfAnyWorkspace(q).where('u.email', '=', email.toLowerCase()).executeTakeFirst()
}

export async function updateDisabled(tx: Queries, userId: string, disabledAt: string | null): Promise<void> {
  await tx.updateTable('users').set({ disabled_at: disabledAt }).where('id', '=', userId).execute()
}

export async function listWorkspaceIdsOfUser(q: Queries, userId: string): Promise<string[]> {
  const rows = await q
    .selectFrom('members as m')
    .innerJoin('workspaces as w', 'w.id', 'm.workspace_id')
    .select('m.workspace_id as id')
    .where('m.user_id', '=', userId)
    .where('w.deleted_at', 'is', null)
    .orderBy('m.workspace_id')
    .execute()
  return rows.map(({ id }) => id)
}

export type Account = { id: string; email: string; name: string }

export async function findUserByEmail(queries: Queries, email: string): Promise<Account | undefined> {
  return queries
    .selectFrom('users')
    .select(['id', 'email', 'name'])
    .where('email', '=', email.toLowerCase())
    .executeTakeFirst()
}

export async function findUser(q: Queries, userId: string) {
  return q.selectFrom('users').select(['name', 'email']).where('id', '=', userId).executeTakeFirst()
}

/** Undefined if the e-mail address is taken; its case does not matter. */
export async function insertUser(
  tx: Queries,
  { id, email, name, createdAt }: Account & { createdAt: string },
): Promise<Account | undefined> {
  return tx
    .insertInto('users')
    .values({
      id,
      email: email.toLowerCase(),
      name,
      email_verified: 0,
      image: null,
      created_at: createdAt,
      updated_at: createdAt,
    })
    .onConflict((taken) => taken.column('email').doNothing())
    .returning(['id', 'email', 'name'])
    .executeTakeFirst()
}

export async function updateUser(
  tx: Queries,
  userId: string,
  { email, name, updatedAt }: { email: string; name: string; updatedAt: string },
): Promise<void> {
  await tx
    .updateTable('users')
    .set({ email: email.toLowerCase(), name, updated_at: updatedAt })
    .where('id', '=', userId)
    .execute()
}

export async function updateUserName(
  tx: Queries,
  { userId, name, updatedAt }: { userId: string; name: string; updatedAt: string },
): Promise<void> {
  await tx.updateTable('users').set({ name, updated_at: updatedAt }).where('id', '=', userId).execute()
}

const PROVIDER = 'credential'

/** No account keeps tokens of a provider. */
export const NO_TOKENS = {
  access_token: null,
  refresh_token: null,
  id_token: null,
  access_token_expires_at: null,
  refresh_token_expires_at: null,
  scope: null,
}

/** A user as responses to a sign-in show it. */
export type SignedInUser = Account & {
  emailVerified: boolean
  image: string | null
  createdAt: string
  updatedAt: string
}

export async function findSignedInUser(q: Queries, userId: string): Promise<SignedInUser> {
  const row = await q.selectFrom('users as u').select(USER_COLUMNS).where('u.id', '=', userId).executeTakeFirstOrThrow()
  return { ...row, emailVerified: row.emailVerified === 1 }
}

const USER_COLUMNS = [
  'u.name',
  'u.email',
  'u.email_verified as emailVerified',
  'u.image',
  'u.created_at as createdAt',
  'u.updated_at as updatedAt',
  'u.id',
] as const

export type StoredCredentials = { userId: string; passwordHash: string; hasSecondFactor: boolean }

/** Undefined also for a disabled account, so that signing in to it is denied as for an unknown address. */
export async function findCredentials(q: Queries, email: string): Promise<StoredCredentials | undefined> {
  return storedCredentials(await credentialsOf(q, email).executeTakeFirst())
}

/** Locks them, so that the password and the second factor do not change before this transaction ends. */
export async function lockCredentials(tx: Queries, email: string): Promise<StoredCredentials | undefined> {
  return storedCredentials(await lockForShare(tx, credentialsOf(tx, email)).executeTakeFirst())
}

function credentialsOf(q: Queries, email: string) {
  return q
    .selectFrom('users as u')
    .innerJoin('accounts as a', 'a.user_id', 'u.id')
    .select(['u.id as userId', 'a.password', 'u.two_factor_enabled as secondFactors'])
    .where('u.email', '=', email.toLowerCase())
    .where('u.disabled_at', 'is', null)
    .where('a.provider_id', '=', PROVIDER)
}

function storedCredentials(
  row: { userId: string; password: string | null; secondFactors: number } | undefined,
): StoredCredentials | undefined {
  if (!row || row.password === null) return undefined
  return { userId: row.userId, passwordHash: row.password, hasSecondFactor: row.secondFactors === 1 }
}

export async function findPassword(
  q: Queries,
  userId: string,
): Promise<{ id: string; hash: string | null } | undefined> {
  return q
    .selectFrom('accounts')
    .select(['id', 'password as hash'])
    .where('user_id', '=', userId)
    .where('provider_id', '=', PROVIDER)
    .executeTakeFirst()
}

/** Does not overwrite a password that was changed in the meantime; returns false then. */
export async function replacePassword(
  tx: Queries,
  { id, before, after }: { id: string; before: string; after: string },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('accounts')
    .set({ password: after })
    .where('id', '=', id)
    .where('password', '=', before)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function upsertPassword(
  tx: Queries,
  { id, userId, passwordHash, now }: { id: string; userId: string; passwordHash: string; now: string },
): Promise<void> {
  await tx
    .insertInto('accounts')
    .values({
      id,
      user_id: userId,
      account_id: userId,
      provider_id: PROVIDER,
      password: passwordHash,
      ...NO_TOKENS,
      created_at: now,
      updated_at: now,
    })
    .onConflict((known) =>
      known.columns(['user_id', 'provider_id']).doUpdateSet({ password: passwordHash, updated_at: now }),
    )
    .execute()
}

/** A new link replaces the previous one. */
export async function upsertPasswordReset(
  tx: Queries,
  reset: { userId: string; tokenHash: string; createdAt: string; expiresAt: string; revokesGrants: boolean },
): Promise<void> {
  const fresh = {
    token_hash: reset.tokenHash,
    created_at: reset.createdAt,
    expires_at: reset.expiresAt,
    revokes_grants: reset.revokesGrants ? 1 : 0,
  }
  await tx
    .insertInto('password_resets')
    .values({ user_id: reset.userId, ...fresh })
    .onConflict((known) => known.column('user_id').doUpdateSet(fresh))
    .execute()
}

/** The user of an unexpired link. Links of a disabled account do not work. */
export async function findPasswordReset(q: Queries, tokenHash: string, now: string) {
  return q
    .selectFrom('password_resets as r')
    .innerJoin('users as u', 'u.id', 'r.user_id')
    .select(['u.id as userId', 'u.email', 'u.name', 'r.revokes_grants as revokesGrants'])
    .where('r.token_hash', '=', tokenHash)
    .where('r.expires_at', '>', now)
    .where('u.disabled_at', 'is', null)
    .executeTakeFirst()
}

/** Returns true for only one of several concurrent callers. */
export async function deletePasswordReset(tx: Queries, tokenHash: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('password_resets')
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function deletePasswordResetsOf(tx: Queries, userId: string): Promise<void> {
  await tx.deleteFrom('password_resets').where('user_id', '=', userId).execute()
}
