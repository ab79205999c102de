import type { Selectable } from 'kysely'
import type { Page } from '../base/page.ts'
import type { Queries } from '../storage/db.ts'
import { lockForUpdate } from '../storage/dialect.ts'
import { listPage } from '../storage/list-page.ts'
import { selectScoped, updateScoped } from '../storage/query-building.ts'
import type { Tables } from '../storage/tables.ts'

export type View = {
  id: string
  name: string
  query: string
  sort: string | null
  columns: string[]
  shared: boolean
  userId: string
  createdAt: string
  updatedAt: string
}

type Scope = { workspaceId: string; viewId: string }

/** The views of a member and the shared ones of others, newest first. */
export async function listViews(
  q: Queries,
  { workspaceId, userId }: { workspaceId: string; userId: string },
  page: Page,
) {
  const views = selectScoped(q, 'saved_views', { workspace_id: workspaceId })
    .selectAll()
    .where((or) => or.or([or('user_id', '=', userId), or('is_shared', '=', 1)]))
    .orderBy('id', 'desc')
  const { rows, ...extent } = await listPage(q, views, page)
  return { ...extent, rows: rows.map(toView) }
}

export async function countViewsOf(q: Queries, workspaceId: string, userId: string): Promise<number> {
  const { count } = await selectScoped(q, 'saved_views', { workspace_id: workspaceId, user_id: userId })
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Finds a view of any member; the caller checks whether it may be seen. Locked until the transaction ends. */
export async function lockView(tx: Queries, { workspaceId, viewId }: Scope): Promise<View | undefined> {
  const query = selectScoped(tx, 'saved_views', { workspace_id: workspaceId, id: viewId }).selectAll()
  const row = await lockForUpdate(tx, query).executeTakeFirst()
  return row && toView(row)
}

export async function insertView(tx: Queries, workspaceId: string, view: View): Promise<void> {
  await tx
    .insertInto('saved_views')
    .values({
      workspace_id: workspaceId,
      id: view.id,
      user_id: view.userId,
      created_at: view.createdAt,
      ...changeable(view),
    })
    .execute()
}

export async function updateView(tx: Queries, workspaceId: string, view: View): Promise<void> {
  await updateScoped(tx, 'saved_views', { workspace_id: workspaceId, id: view.id }).set(changeable(view)).execute()
}

export async function deleteView(tx: Queries, { workspaceId, viewId }: Scope): Promise<void> {
  await tx.deleteFrom('saved_views').where('workspace_id', '=', workspaceId).where('id', '=', viewId).execute()
}

function changeable({ name, query, sort, columns, shared, updatedAt }: View) {
  return {
    name,
    query,
    sort,
    columns: JSON.stringify(columns),
    is_shared: shared ? 1 : 0,
    updated_at: updatedAt,
  }
}

function toView(row: Selectable<Tables['saved_views']>): View {
  return {
    id: row.id,
    name: row.name,
    query: row.query,
    sort: row.sort,
    columns: JSON.parse(row.columns),
    shared: row.is_shared === 1,
    userId: row.user_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
