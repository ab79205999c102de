import type { Queries } from '../storage/db.ts'
import { lockForShare } from '../storage/dialect.ts'
import { pagedList } from '../storage/paged-list.ts'
import { prepared } from '../storage/prepared.ts'

const COLUMNS = [
  'id',
  'name',
  'description',
  'workspace_id as workspaceId',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const

export const findComponent = prepared<{ workspaceId: string; componentId: string }>()((q, value) =>
  q
    .selectFrom('components')
    .select(COLUMNS)
    .where('workspace_id', '=', value('workspaceId'))
    .where('id', '=', value('componentId'))
    .where('deleted_at', 'is', null),
)

export const listComponents = pagedList<{ workspaceId: string }>()((q, value) =>
  q
    .selectFrom('components')
    .select(COLUMNS)
    .where('workspace_id', '=', value('workspaceId'))
    .where('deleted_at', 'is', null)
    .where('id', '<', value('before'))
    .orderBy('id', 'desc')
    .limit(value('limit'))
    .offset(value('offset')),
)

/** Whether a component is there, and stays until the end of the transaction, for those who add something to it. */
export async function holdComponent(tx: Queries, workspaceId: string, componentId: string): Promise<boolean> {
  const query = tx
    .selectFrom('components')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', componentId)
    .where('deleted_at', 'is', null)
  return (await lockForShare(tx, query).executeTakeFirst()) !== undefined
}

export const insertComponent = prepared<{
  workspaceId: string
  id: string
  name: string
  description: string | null
  createdAt: string
}>()((q, value) =>
  q.insertInto('components').values({
    workspace_id: value('workspaceId'),
    id: value('id'),
    name: value('name'),
    description: value('description'),
    created_at: value('createdAt'),
    updated_at: value('createdAt'),
    deleted_at: null,
  }),
)

/** From the moment of the commit nobody sees the component or anything in it; its rows go later, in small chunks. */
export async function markComponentDeleted(
  tx: Queries,
  { workspaceId, componentId, deletedAt }: { workspaceId: string; componentId: string; deletedAt: string },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('components')
    .set({ deleted_at: deletedAt })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', componentId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
