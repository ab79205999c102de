/** Creates, changes and deletes saved views. Members see their own and the shared ones; a private view of another member does not exist for them. */
import { timestamp } from '../base/clock.ts'
import { conflict, forbidden, notFound } from '../base/errors.ts'
import { createdAtOf } from '../base/ids.ts'
import { isAtLeast, type Principal } from '../base/principal.ts'
import type { Context } from '../http/route.ts'
import type { Queries } from '../storage/db.ts'
import { lockWorkspaceExclusive } from '../storage/dialect.ts'
import { countViewsOf, deleteView, insertView, lockView, updateView, type View } from './view-queries.ts'

const VIEWS_MAX = 200

type Content = Pick<View, 'name' | 'query' | 'sort' | 'columns' | 'shared'>
type Change = { [Field in keyof Content]?: Content[Field] | undefined }

export async function createView(
  { db, newId }: Pick<Context, 'db' | 'newId'>,
  by: Principal,
  { name, query = '', sort = null, columns = [], shared = false }: Change & { name: string },
): Promise<View> {
  const { workspaceId, userId } = by
  requireMayShare(by, shared)
  const id = newId()
  const createdAt = createdAtOf(id)
  const view = { id, name, query, sort, columns, shared, userId, createdAt, updatedAt: createdAt }
  return db.transaction(async (tx) => {
    // Locked while counting: otherwise concurrent requests could exceed the limit.
    if (!(await lockWorkspaceExclusive(tx, workspaceId))) throw notFound('Workspace')
    if ((await countViewsOf(tx, workspaceId, userId)) >= VIEWS_MAX)
      throw conflict(`A member has at most ${VIEWS_MAX} views; delete one first`)
    await insertView(tx, workspaceId, view)
    return view
  })
}

export async function changeView(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  by: Principal,
  viewId: string,
  change: Change,
): Promise<View> {
  return db.transaction(async (tx) => {
    const view = await lockVisible(tx, by, viewId)
    if (view.userId !== by.userId) throw forbidden('Only its author may change a view')
    const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
    const changed: View = { ...view, ...given, updatedAt: timestamp(clock.now()) }
    requireMayShare(by, changed.shared)
    await updateView(tx, by.workspaceId, changed)
    return changed
  })
}

export async function removeView({ db }: Pick<Context, 'db'>, by: Principal, viewId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const view = await lockVisible(tx, by, viewId)
    if (view.userId !== by.userId && !isAtLeast(by.role, 'admin'))
      throw forbidden('Only its author or an admin may delete a shared view')
    await deleteView(tx, { workspaceId: by.workspaceId, viewId })
  })
}

async function lockVisible(tx: Queries, { workspaceId, userId }: Principal, viewId: string): Promise<View> {
  const view = await lockView(tx, { workspaceId, viewId })
  if (!view || (view.userId !== userId && !view.shared)) throw notFound('View')
  return view
}

/** A shared view is in everyone's list, so it requires the role that may change what others work with. */
function requireMayShare({ role }: Principal, shared: boolean): void {
  if (shared && !isAtLeast(role, 'editor')) throw forbidden(`Sharing a view requires the role editor; yours is ${role}`)
}
