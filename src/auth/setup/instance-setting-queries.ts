import { randomBytes } from 'node:crypto'
import type { Db, Queries } from '../../storage/db.ts'

/** Settings of the installation, not of a workspace. */
export type InstanceSetting =
  | 'cookie-secret'
  | 'setup-token-hash'
  | 'first-user-id'
  | 'first-workspace-id'
  | 'allowed-targets'

export async function findSetting(q: Queries, name: InstanceSetting) {
  return q
    .selectFrom('instance_settings')
    .select(['value', 'expires_at as expiresAt'])
    .where('name', '=', name)
    .executeTakeFirst()
}

export async function saveSetting(
  tx: Queries,
  name: InstanceSetting,
  value: string,
  expiresAt: string | null,
): Promise<void> {
  await tx
    .insertInto('instance_settings')
    .values({ name, value, expires_at: expiresAt })
    .onConflict((known) => known.column('name').doUpdateSet({ value, expires_at: expiresAt }))
    .execute()
}

export async function deleteSetting(tx: Queries, name: InstanceSetting): Promise<void> {
  await tx.deleteFrom('instance_settings').where('name', '=', name).execute()
}

/** Signs session cookies. Stored in the database, so that several servers share it. */
export async function cookieSecret(db: Db): Promise<string> {
  return db.transaction(async (tx) => {
    const fresh = randomBytes(32).toString('base64url')
    await tx
      .insertInto('instance_settings')
      .values({ name: 'cookie-secret', value: fresh, expires_at: null })
      .onConflict((known) => known.column('name').doNothing())
      .execute()
    const stored = await findSetting(tx, 'cookie-secret')
    return stored?.value ?? fresh
  })
}
