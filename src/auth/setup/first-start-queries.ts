import type { Queries } from '../../storage/db.ts'

/** The longest-standing owner of a workspace; undefined if it was deleted or has none. */
export async function findFirstOwner(q: Queries, workspaceId: string): Promise<string | undefined> {
  const owner = await q
    .selectFrom('members as m')
    .innerJoin('workspaces as w', 'w.id', 'm.workspace_id')
    .select('m.user_id as id')
    .where('w.id', '=', workspaceId)
    .where('w.deleted_at', 'is', null)
    .where('m.role', '=', 'owner')
    .orderBy('m.created_at')
    .executeTakeFirst()
  return owner?.id
}

export async function insertFirstWorkspace(
  tx: Queries,
  { workspaceId, name, createdAt }: { workspaceId: string; name: string; createdAt: string },
): Promise<void> {
  await tx
    .insertInto('workspaces')
    .values({
      id: workspaceId,
      name,
      description: null,
      created_at: createdAt,
      updated_at: createdAt,
      deleted_at: null,
    })
    .execute()
}
