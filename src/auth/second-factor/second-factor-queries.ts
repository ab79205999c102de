/** Second factors belong to users, so these queries have no workspace. */
import type { Queries } from '../../storage/db.ts'

/** Undefined if the user has no second factor, or has not confirmed it with a first code. */
export async function findSecondFactor(q: Queries, userId: string) {
  return q
    .selectFrom('two_factors')
    .select(['user_id as userId', 'secret', 'backup_codes as backupCodes'])
    .where('user_id', '=', userId)
    .where('verified', '=', 1)
    .executeTakeFirst()
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
export async function findPendingSignIn(q: Queries, identifier: string, now: string) {
  return (
    q
      .selectFrom('verifications as v')
      // The library stores the id as text.
      .innerJoin('users as u', (join) =>
        join.on(({ eb, cast, ref }) => eb(cast<string>('u.id', 'text'), '=', ref('v.value'))),
      )
      .select(['u.id as userId', 'u.email'])
      .where('v.identifier', '=', identifier)
      .where('v.expires_at', '>', now)
      .where('u.disabled_at', 'is', null)
      .executeTakeFirst()
  )
}

/** Ends sign-ins that wait for a second factor, and the trust in devices that need none. */
export async function deleteSecondFactorTrust(tx: Queries, userId: string): Promise<void> {
  await tx.deleteFrom('verifications').where('value', '=', userId).execute()
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

export async function releaseCode(tx: Queries, { userId, codeHash }: UsedCode): Promise<void> {
  await tx
    .deleteFrom('used_second_factor_codes')
    .where('user_id', '=', userId)
    .where('code_hash', '=', codeHash)
    .execute()
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

type SealedFactor = { userId: string; secret: string; backupCodes: string }

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
