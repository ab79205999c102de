import { sql } from 'kysely'
import type { Queries } from '../storage/db.ts'

/** Users who can sign in. Excludes the placeholder user of the first start, who has no password yet. */
function accountsOfAnyWorkspace(q: Queries) {
  return q
    .selectFrom('users as u')
    .select(['u.id', 'u.email', 'u.name', 'u.created_at as createdAt', 'u.disabled_at as disabledAt'])
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('accounts as a')
          .select(sql`1`.as('one'))
          .whereRef('a.user_id', '=', 'u.id')
          .where('a.password', 'is not', null),
      ),
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

/** A new link replaces the previous one. */
export async function upsertPasswordReset(
  tx: Queries,
  reset: { userId: string; tokenHash: string; createdAt: string; expiresAt: string },
): Promise<void> {
  const fresh = { token_hash: reset.tokenHash, created_at: reset.createdAt, expires_at: reset.expiresAt }
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
    .select(['u.id as userId', 'u.email', 'u.name'])
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
