import type { Page } from '../base/page.ts'
import type { Queries } from '../storage/db.ts'
import { lockForUpdate, lockWorkspace } from '../storage/dialect.ts'
import { listPage } from '../storage/list-page.ts'
import { prepared } from '../storage/query-building.ts'

const COLUMNS = ['id', 'name', 'description', 'created_at as createdAt', 'updated_at as updatedAt'] as const

export async function findWorkspace(q: Queries, workspaceId: string) {
  return q
    .selectFrom('workspaces')
    .select(COLUMNS)
    .where('id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

/** Prevents the deletion of a workspace until the end of the transaction, for adding something to it. False if it does not exist. */
export async function lockWorkspaceShared(tx: Queries, workspaceId: string): Promise<boolean> {
  await lockWorkspace(tx, workspaceId, 'shared')
  return (await findActiveWorkspace(tx, { workspaceId })).length > 0
}

const findActiveWorkspace = prepared<{ workspaceId: string }>()((q, value) =>
  q.selectFrom('workspaces').select('id').where('id', '=', value('workspaceId')).where('deleted_at', 'is', null),
)

/** The workspaces of a user, newest first. */
export async function listWorkspacesOfUser(q: Queries, userId: string, page: Page) {
  const workspaces = q
    .selectFrom('members as m')
    .innerJoin('workspaces as w', 'w.id', 'm.workspace_id')
    .select(['w.id', 'w.name', 'w.description', 'w.created_at as createdAt', 'w.updated_at as updatedAt'])
    .where('m.user_id', '=', userId)
    .where('w.deleted_at', 'is', null)
    .orderBy('w.created_at', 'desc')
    .orderBy('w.id', 'desc')
  return listPage(q, workspaces, page)
}

/** Serializes concurrent requests of a user. */
export async function lockUser(tx: Queries, userId: string): Promise<void> {
  await lockForUpdate(tx, tx.selectFrom('users').select('id').where('id', '=', userId)).execute()
}

export async function countOwnedWorkspaces(tx: Queries, userId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('members as m')
    .innerJoin('workspaces as w', 'w.id', 'm.workspace_id')
    .select((expression) => expression.fn.countAll().as('count'))
    .where('m.user_id', '=', userId)
    .where('m.role', '=', 'owner')
    .where('w.deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function insertWorkspace(
  tx: Queries,
  workspace: { id: string; name: string; description: string | null; createdAt: string },
) {
  return tx
    .insertInto('workspaces')
    .values({
      id: workspace.id,
      name: workspace.name,
      description: workspace.description,
      created_at: workspace.createdAt,
      updated_at: workspace.createdAt,
      deleted_at: null,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
}

export async function updateWorkspace(
  tx: Queries,
  workspaceId: string,
  change: { name?: string | undefined; description?: string | null | undefined; updatedAt: string },
) {
  return tx
    .updateTable('workspaces')
    .set({ name: change.name, description: change.description, updated_at: change.updatedAt })
    .where('id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .returning(COLUMNS)
    .executeTakeFirst()
}

/** After the commit, the workspace and its contents are invisible. Its rows are deleted later, in small chunks. */
export async function markWorkspaceDeleted(tx: Queries, workspaceId: string, deletedAt: string): Promise<boolean> {
  await lockWorkspace(tx, workspaceId, 'alone')
  const { numUpdatedRows } = await tx
    .updateTable('workspaces')
    .set({ deleted_at: deletedAt })
    .where('id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
