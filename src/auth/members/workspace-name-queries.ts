import type { Queries } from '../../storage/db.ts'

export async function findWorkspaceName(q: Queries, workspaceId: string): Promise<string | undefined> {
  const row = await q.selectFrom('workspaces').select('name').where('id', '=', workspaceId).executeTakeFirst()
  return row?.name
}
