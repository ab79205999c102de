/** The accounts that belong to users of a provider. Accounts belong to no workspace. */
import type { Queries } from '../../storage/db.ts'
import { NO_TOKENS } from '../accounts/account-queries.ts'

const PROVIDER = 'oidc'
const USER_COLUMNS = ['u.id', 'u.email', 'u.email_verified as emailVerified', 'u.disabled_at as disabledAt'] as const

/** The user of an identity. `identity` is the issuer and the subject, which is unique only for its issuer. */
export async function findUserByIdentity(q: Queries, identity: string) {
  return q
    .selectFrom('accounts as a')
    .innerJoin('users as u', 'u.id', 'a.user_id')
    .select(USER_COLUMNS)
    .where('a.provider_id', '=', PROVIDER)
    .where('a.account_id', '=', identity)
    .executeTakeFirst()
}

/** The user of an address, whether or not the account is disabled. */
export async function findUserToLink(q: Queries, email: string) {
  return q.selectFrom('users as u').select(USER_COLUMNS).where('u.email', '=', email.toLowerCase()).executeTakeFirst()
}

/** False if the user has an identity already, or another user has this one. */
export async function insertIdentity(
  tx: Queries,
  { id, userId, identity, now }: { id: string; userId: string; identity: string; now: string },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('accounts')
    .values({
      id,
      user_id: userId,
      account_id: identity,
      provider_id: PROVIDER,
      password: null,
      ...NO_TOKENS,
      created_at: now,
      updated_at: now,
    })
    .onConflict((taken) => taken.doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

export async function updateEmailVerified(tx: Queries, userId: string): Promise<void> {
  await tx.updateTable('users').set({ email_verified: 1 }).where('id', '=', userId).execute()
}

export async function deletePassword(tx: Queries, userId: string): Promise<void> {
  await tx.deleteFrom('accounts').where('user_id', '=', userId).where('provider_id', '=', 'credential').execute()
}
