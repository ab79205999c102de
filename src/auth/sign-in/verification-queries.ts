/**
 * Rows that remember a step of a sign-in until the next one, and devices that need no second factor. They belong to users or to no one yet,
 * so these queries have no workspace.
 *
 * `identifier` begins with the purpose of the row, so that a row never serves another one.
 */
import type { Queries } from '../../storage/db.ts'
import { lockForUpdate } from '../../storage/dialect.ts'

type Verification = { id: string; identifier: string; value: string; createdAt: string; expiresAt: string }

export async function insertVerification(tx: Queries, row: Verification): Promise<void> {
  await tx
    .insertInto('verifications')
    .values({
      id: row.id,
      identifier: row.identifier,
      value: row.value,
      expires_at: row.expiresAt,
      created_at: row.createdAt,
      updated_at: row.createdAt,
    })
    .execute()
}

type Wanted = { identifier: string; now: string }

/** Deletes the row and returns its value. Only one of several concurrent callers gets it. */
export async function consumeVerification(tx: Queries, { identifier, now }: Wanted): Promise<string | undefined> {
  const row = await tx
    .deleteFrom('verifications')
    .where('identifier', '=', identifier)
    .returning(['value', 'expires_at as expiresAt'])
    .executeTakeFirst()
  return row && row.expiresAt > now ? row.value : undefined
}

/** Locks the row, so that no other transaction can use or delete it before this one ends. */
export async function lockVerification(tx: Queries, { identifier, now }: Wanted): Promise<string | undefined> {
  const query = tx
    .selectFrom('verifications')
    .select('value')
    .where('identifier', '=', identifier)
    .where('expires_at', '>', now)
  return (await lockForUpdate(tx, query).executeTakeFirst())?.value
}

/** Ends sign-ins that wait for a second factor, and the trust in devices that need none. */
export async function deleteVerificationsOf(tx: Queries, userId: string): Promise<void> {
  await tx.deleteFrom('verifications').where('value', '=', userId).execute()
}
