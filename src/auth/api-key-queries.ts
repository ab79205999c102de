import type { Page } from '../base/page.ts'
import type { Queries } from '../storage/db.ts'

const COLUMNS = [
  'id',
  'name',
  'prefix',
  'last_four as lastFour',
  'created_by as createdBy',
  'created_at as createdAt',
  'last_used_at as lastUsedAt',
  'expires_at as expiresAt',
] as const

export async function listApiKeys(q: Queries, workspaceId: string, page: Page) {
  return q
    .selectFrom('api_keys')
    .select(COLUMNS)
    .where('workspace_id', '=', workspaceId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
}

export async function countApiKeys(q: Queries, workspaceId: string): Promise<number> {
  const { keys } = await q
    .selectFrom('api_keys')
    .select(({ fn }) => fn.countAll<number>().as('keys'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return keys
}

export async function findApiKeyByHash(q: Queries, workspaceId: string, keyHash: string) {
  return q
    .selectFrom('api_keys')
    .select(COLUMNS)
    .where('workspace_id', '=', workspaceId)
    .where('key_hash', '=', keyHash)
    .executeTakeFirst()
}

export async function insertApiKey(
  tx: Queries,
  key: {
    workspaceId: string
    id: string
    name: string
    prefix: string
    lastFour: string
    keyHash: string
    createdBy: string
    createdAt: string
    expiresAt: string | null
  },
) {
  return tx
    .insertInto('api_keys')
    .values({
      workspace_id: key.workspaceId,
      id: key.id,
      name: key.name,
      prefix: key.prefix,
      last_four: key.lastFour,
      key_hash: key.keyHash,
      created_by: key.createdBy,
      created_at: key.createdAt,
      last_used_at: null,
      expires_at: key.expiresAt,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
}

/** Revoking removes the row: a revoked key is as unknown as one that never was. The audit log remembers it. */
export async function deleteApiKey(tx: Queries, workspaceId: string, keyId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('api_keys')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', keyId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** At most a few dozen, so they go at once and not in chunks: a key must stop working at the moment its workspace is deleted. */
export async function deleteAllApiKeys(tx: Queries, workspaceId: string): Promise<void> {
  await tx.deleteFrom('api_keys').where('workspace_id', '=', workspaceId).execute()
}
