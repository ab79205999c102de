import type { Queries } from '../../storage/db.ts'
import { lockForUpdate } from '../../storage/dialect.ts'

export async function findPreferences(q: Queries, userId: string): Promise<Record<string, unknown>> {
  const row = await q
    .selectFrom('user_preferences')
    .select('preferences')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row ? JSON.parse(row.preferences) : {}
}

/** Locks the user and not the preferences, which may not exist yet. */
export async function lockPreferences(tx: Queries, userId: string): Promise<void> {
  await lockForUpdate(tx, tx.selectFrom('users').select('id').where('id', '=', userId)).execute()
}

export async function savePreferences(
  tx: Queries,
  userId: string,
  preferences: Record<string, unknown>,
  updatedAt: string,
): Promise<void> {
  const values = { preferences: JSON.stringify(preferences), updated_at: updatedAt }
  await tx
    .insertInto('user_preferences')
    .values({ user_id: userId, ...values })
    .onConflict((known) => known.column('user_id').doUpdateSet(values))
    .execute()
}
