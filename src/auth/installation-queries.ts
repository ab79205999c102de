import type { Queries } from '../storage/db.ts'

/**
 * Whether a user is an admin or owner of every application of the installation. Only such a user sees what concerns all of them, such as
 * keys that belong to none. Reads across workspaces.
 */
export async function isAdminOfEveryWorkspace(q: Queries, userId: string): Promise<boolean> {
  const other = await q
    .selectFrom('workspaces as w')
    .leftJoin('members as m', (join) =>
      join.onRef('m.workspace_id', '=', 'w.id').on('m.user_id', '=', userId).on('m.role', 'in', ['admin', 'owner']),
    )
    .select('w.id')
    .where('w.deleted_at', 'is', null)
    .where('m.user_id', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return other === undefined
}
