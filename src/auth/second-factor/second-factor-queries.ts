/** Second factors belong to users, so these queries have no workspace. */
import type { Queries } from '../../storage/db.ts'
import { lockForUpdate } from '../../storage/dialect.ts'
import type { SealedFactor } from './second-factor-records.ts'

/** Undefined if the user has no second factor, or has not confirmed it with a first code. */
export async function findSecondFactor(q: Queries, userId: string): Promise<SealedFactor | undefined> {
  return factorOf(q, userId, 1).executeTakeFirst()
}

/** Locks it, so that a code works once. */
export async function lockSecondFactor(
  tx: Queries,
  userId: string,
  state: 'confirmed' | 'unconfirmed',
): Promise<SealedFactor | undefined> {
  return lockForUpdate(tx, factorOf(tx, userId, state === 'confirmed' ? 1 : 0)).executeTakeFirst()
}

function factorOf(q: Queries, userId: string, verified: 0 | 1) {
  return q
    .selectFrom('two_factors')
    .select(['user_id as userId', 'secret', 'backup_codes as backupCodes'])
    .where('user_id', '=', userId)
    .where('verified', '=', verified)
}

/** Replaces an unconfirmed second factor; false if there is a confirmed one. */
export async function upsertUnconfirmedFactor(
  tx: Queries,
  { id, userId, secret, backupCodes }: SealedFactor & { id: string },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('two_factors')
    .values({ id, user_id: userId, secret, backup_codes: backupCodes, verified: 0 })
    .onConflict((known) =>
      known.column('user_id').doUpdateSet({ secret, backup_codes: backupCodes }).where('two_factors.verified', '=', 0),
    )
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** From now on, signing in needs the second factor. */
export async function confirmSecondFactor(tx: Queries, userId: string): Promise<void> {
  await tx.updateTable('two_factors').set({ verified: 1 }).where('user_id', '=', userId).execute()
  await tx.updateTable('users').set({ two_factor_enabled: 1 }).where('id', '=', userId).execute()
}

/** False if the user has no confirmed second factor. */
export async function updateRecoveryCodes(tx: Queries, userId: string, backupCodes: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('two_factors')
    .set({ backup_codes: backupCodes })
    .where('user_id', '=', userId)
    .where('verified', '=', 1)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes the second factor, also an unconfirmed one; false if there was no confirmed one. */
export async function deleteSecondFactor(tx: Queries, userId: string): Promise<boolean> {
  await tx.deleteFrom('two_factors').where('user_id', '=', userId).execute()
  await tx.deleteFrom('used_second_factor_codes').where('user_id', '=', userId).execute()
  const { numUpdatedRows } = await tx
    .updateTable('users')
    .set({ two_factor_enabled: 0 })
    .where('id', '=', userId)
    .where('two_factor_enabled', '=', 1)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The user of a sign-in that waits for its second factor. */
export async function findPendingUser(q: Queries, identifier: string, now: string): Promise<string | undefined> {
  const row = await q
    .selectFrom('verifications as v')
    // `value` is text, because rows of other purposes contain other things.
    .innerJoin('users as u', (join) =>
      join.on(({ eb, cast, ref }) => eb(cast<string>('u.id', 'text'), '=', ref('v.value'))),
    )
    .select('u.id')
    .where('v.identifier', '=', identifier)
    .where('v.expires_at', '>', now)
    .where('u.disabled_at', 'is', null)
    .executeTakeFirst()
  return row?.id
}

type UsedCode = { userId: string; codeHash: string }

/** True for only one of several concurrent callers with the same code, and false until `reusableBefore` has passed its use. */
export async function claimCode(
  tx: Queries,
  { userId, codeHash }: UsedCode,
  { now, reusableBefore }: { now: string; reusableBefore: string },
): Promise<boolean> {
  const claimed = await tx
    .insertInto('used_second_factor_codes')
    .values({ user_id: userId, code_hash: codeHash, used_at: now })
    .onConflict((known) =>
      known
        .columns(['user_id', 'code_hash'])
        .doUpdateSet({ used_at: now })
        .where('used_second_factor_codes.used_at', '<', reusableBefore),
    )
    .returning('user_id')
    .executeTakeFirst()
  return claimed !== undefined
}

export async function deleteUsedCodesBefore(tx: Queries, before: string): Promise<void> {
  await tx.deleteFrom('used_second_factor_codes').where('used_at', '<', before).execute()
}

export async function listSecondFactorsOfAnyWorkspace(q: Queries, page: { after: string; limit: number }) {
  return q
    .selectFrom('two_factors')
    .select(['user_id as userId', 'secret', 'backup_codes as backupCodes'])
    .where('user_id', '>', page.after)
    .orderBy('user_id')
    .limit(page.limit)
    .execute()
}

/** Does not overwrite what was changed in the meantime. */
export async function replaceSealedFactor(tx: Queries, before: SealedFactor, after: SealedFactor): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('two_factors')
    .set({ secret: after.secret, backup_codes: after.backupCodes })
    .where('user_id', '=', before.userId)
    .where('secret', '=', before.secret)
    .where('backup_codes', '=', before.backupCodes)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
