import type { Queries } from '../storage/db.ts'
import { prepared, updateScoped } from '../storage/query-building.ts'
import { LACKS_REQUIRED_FACTOR } from './second-factor/required-factor-queries.ts'

/**
 * The key, if its creator is still a member and not disabled. Reads across workspaces, because the key determines the workspace. Keys of
 * a deleted workspace were deleted with it.
 */
export const findApiKeyOfAnyWorkspace = prepared<{ hash: string }>()((q, value) =>
  q
    .selectFrom('api_keys as k')
    .innerJoin('members as m', (join) =>
      join.onRef('m.workspace_id', '=', 'k.workspace_id').onRef('m.user_id', '=', 'k.created_by'),
    )
    .innerJoin('users as u', 'u.id', 'k.created_by')
    .innerJoin('workspaces as w', 'w.id', 'k.workspace_id')
    .select(['k.id', 'k.workspace_id', 'k.created_by', 'k.last_used_at', 'k.expires_at'])
    .select(['k.role', 'm.role as creatorRole', LACKS_REQUIRED_FACTOR.as('lacksFactor')])
    .where('k.key_hash', '=', value('hash'))
    .where('u.disabled_at', 'is', null),
)

export const findMembership = prepared<{ workspaceId: string; userId: string }>()((q, value) =>
  q
    .selectFrom('members as m')
    .innerJoin('workspaces as w', 'w.id', 'm.workspace_id')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['m.role', LACKS_REQUIRED_FACTOR.as('lacksFactor')])
    .where('m.workspace_id', '=', value('workspaceId'))
    .where('m.user_id', '=', value('userId'))
    .where('w.deleted_at', 'is', null),
)

export async function touchApiKey(tx: Queries, workspaceId: string, keyId: string, at: string): Promise<void> {
  await updateScoped(tx, 'api_keys', { workspace_id: workspaceId, id: keyId }).set({ last_used_at: at }).execute()
}

export async function touchSession(tx: Queries, sessionId: string, at: string): Promise<void> {
  await tx.updateTable('sessions').set({ updated_at: at }).where('id', '=', sessionId).execute()
}
