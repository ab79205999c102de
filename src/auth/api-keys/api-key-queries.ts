import type { Page } from '../../base/page.ts'
import type { Queries } from '../../storage/db.ts'
import { listPage } from '../../storage/list-page.ts'
import { deleteScoped, selectScoped } from '../../storage/query-building.ts'

const COLUMNS = [
  'id',
  'name',
  'role',
  'prefix',
  'last_four as lastFour',
  'created_by as createdBy',
  'created_at as createdAt',
  'last_used_at as lastUsedAt',
  'expires_at as expiresAt',
] as const

/** All keys of the workspace, or only those that one member created. */
export async function listApiKeys(q: Queries, workspaceId: string, page: Page, createdBy?: string) {
  let keys = q.selectFrom('api_keys').select(COLUMNS).where('workspace_id', '=', workspaceId)
  if (createdBy !== undefined) keys = keys.where('created_by', '=', createdBy)
  return listPage(q, keys.orderBy('created_at', 'desc').orderBy('id', 'desc'), page)
}

/** Counts the keys of the workspace, and those that one member created. */
export async function countApiKeys(q: Queries, workspaceId: string, createdBy: string) {
  return selectScoped(q, 'api_keys', { workspace_id: workspaceId })
    .select(({ fn }) => [
      fn.countAll<number>().as('all'),
      fn.countAll<number>().filterWhere('created_by', '=', createdBy).as('own'),
    ])
    .executeTakeFirstOrThrow()
}

export async function findApiKeyByHash(q: Queries, workspaceId: string, keyHash: string) {
  return selectScoped(q, 'api_keys', { workspace_id: workspaceId, key_hash: keyHash })
    .select(COLUMNS)
    .executeTakeFirst()
}

export async function insertApiKey(
  tx: Queries,
  key: {
    workspaceId: string
    id: string
    name: string
    role: string
    prefix: string
    lastFour: string
    keyHash: string
    createdBy: string
    isOfOperator: boolean
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
      role: key.role,
      prefix: key.prefix,
      last_four: key.lastFour,
      key_hash: key.keyHash,
      created_by: key.createdBy,
      is_of_operator: key.isOfOperator ? 1 : 0,
      created_at: key.createdAt,
      last_used_at: null,
      expires_at: key.expiresAt,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
}

/** By whom and when; `revokedBy` is null for the operator on the command line. */
type Revocation = { revokedBy: string | null; revokedAt: string }

const REVOKED_COLUMNS = ['id', 'role', 'key_hash as keyHash', 'name', 'created_by as createdBy'] as const

/**
 * Revokes a key by deleting its row. Its hash is kept, so that the same key is not created again, with what a user needs who still sends
 * it. With `createdBy`, it finds only keys of that user.
 */
export async function deleteApiKey(
  tx: Queries,
  { workspaceId, keyId, createdBy }: { workspaceId: string; keyId: string; createdBy?: string | undefined },
  revocation: Revocation,
) {
  let query = tx.deleteFrom('api_keys').where('workspace_id', '=', workspaceId).where('id', '=', keyId)
  if (createdBy !== undefined) query = query.where('created_by', '=', createdBy)
  const deleted = await query.returning(REVOKED_COLUMNS).executeTakeFirst()
  if (deleted) await insertRevoked(tx, { workspaceId, ...revocation }, [deleted])
  return deleted
}

/** Revokes all keys in the name of a member, or only those that the member and not the operator created, and returns them. */
export async function deleteApiKeysCreatedBy(
  tx: Queries,
  { workspaceId, createdBy, which }: { workspaceId: string; createdBy: string; which: 'all' | 'by the member' },
  revocation: Revocation,
) {
  const deleted = await deleteScoped(tx, 'api_keys', { workspace_id: workspaceId, created_by: createdBy })
    .where('is_of_operator', 'in', which === 'all' ? [0, 1] : [0])
    .returning(REVOKED_COLUMNS)
    .execute()
  await insertRevoked(tx, { workspaceId, ...revocation }, deleted)
  return deleted
}

export async function isRevoked(q: Queries, workspaceId: string, keyHash: string): Promise<boolean> {
  const found = await selectScoped(q, 'revoked_api_keys', { workspace_id: workspaceId, key_hash: keyHash })
    .select('key_hash')
    .executeTakeFirst()
  return found !== undefined
}

/** In one statement and not in chunks: keys must stop working when their workspace is deleted, and their number is limited. */
export async function deleteAllApiKeys(tx: Queries, workspaceId: string): Promise<void> {
  await tx.deleteFrom('api_keys').where('workspace_id', '=', workspaceId).execute()
}

/** The revoked keys with this hash, to show their owners that they are still used. */
export async function findRevokedKeysOfAnyWorkspace(q: Queries, keyHash: string) {
  return q
    .selectFrom('revoked_api_keys')
    .select(['workspace_id as workspaceId', 'name as keyName', 'created_by as createdBy'])
    .select(['revoked_by as revokedBy', 'revoked_at as revokedAt'])
    .where('key_hash', '=', keyHash)
    .execute()
}

async function insertRevoked(
  tx: Queries,
  { workspaceId, revokedBy, revokedAt }: { workspaceId: string } & Revocation,
  keys: readonly { keyHash: string; name: string; createdBy: string }[],
): Promise<void> {
  if (keys.length === 0) return
  await tx
    .insertInto('revoked_api_keys')
    .values(
      keys.map(({ keyHash, name, createdBy }) => ({
        workspace_id: workspaceId,
        key_hash: keyHash,
        name,
        created_by: createdBy,
        revoked_by: revokedBy,
        revoked_at: revokedAt,
      })),
    )
    .onConflict((known) => known.columns(['workspace_id', 'key_hash']).doNothing())
    .execute()
}
