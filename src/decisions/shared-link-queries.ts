import type { Queries } from '../storage/db.ts'
import { lockForShare } from '../storage/dialect.ts'
import type { Tables } from '../storage/tables.ts'

type DecisionScope = { workspaceId: string; decisionId: string }
type LinkScope = DecisionScope & { linkId: string }

export async function listSharedLinks(q: Queries, { workspaceId, decisionId }: DecisionScope) {
  const rows = await q
    .selectFrom('shared_links as l')
    .leftJoin('users as u', 'u.id', 'l.user_id')
    .select(['l.id', 'l.user_id as userId', 'u.name', 'l.created_at as createdAt', 'l.expires_at as expiresAt'])
    .select(['l.revoked_at as revokedAt', 'l.opened_at as openedAt', 'l.opened_count as openedCount'])
    .where('l.workspace_id', '=', workspaceId)
    .where('l.decision_id', '=', decisionId)
    .orderBy('l.id', 'desc')
    .execute()
  return rows.map(({ userId, name, ...link }) => ({ ...link, author: { userId, name } }))
}

export async function insertSharedLink(tx: Queries, row: Tables['shared_links']): Promise<void> {
  await tx.insertInto('shared_links').values(row).execute()
}

/** Returns false if there is no such link that could still be used. */
export async function revokeSharedLink(
  tx: Queries,
  { workspaceId, decisionId, linkId, now }: LinkScope & { now: string },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('shared_links')
    .set({ revoked_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('decision_id', '=', decisionId)
    .where('id', '=', linkId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function countOpening(
  tx: Queries,
  { workspaceId, linkId, now }: { workspaceId: string; linkId: string; now: string },
): Promise<void> {
  await tx
    .updateTable('shared_links')
    .set((eb) => ({ opened_at: now, opened_count: eb('opened_count', '+', 1) }))
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', linkId)
    .execute()
}

export async function areLinksAllowed(q: Queries, workspaceId: string): Promise<boolean> {
  return isAllowed(await settingsOf(q, workspaceId).executeTakeFirst())
}

/** Locked until the end of the transaction, so that no link is created while they are switched off. */
export async function lockLinksAllowed(tx: Queries, workspaceId: string): Promise<boolean> {
  return isAllowed(await lockForShare(tx, settingsOf(tx, workspaceId)).executeTakeFirst())
}

function settingsOf(q: Queries, workspaceId: string) {
  return q.selectFrom('sharing_settings').select('are_links_allowed').where('workspace_id', '=', workspaceId)
}

function isAllowed(row: { are_links_allowed: number } | undefined): boolean {
  return row?.are_links_allowed === 1
}

export async function saveLinksAllowed(tx: Queries, workspaceId: string, isAllowed: boolean): Promise<void> {
  const setting = { are_links_allowed: isAllowed ? 1 : 0 }
  await tx
    .insertInto('sharing_settings')
    .values({ workspace_id: workspaceId, ...setting })
    .onConflict((known) => known.column('workspace_id').doUpdateSet(setting))
    .execute()
}

export async function countActiveLinks(
  q: Queries,
  { workspaceId, decisionId, now }: { workspaceId: string; decisionId?: string | undefined; now: string },
): Promise<number> {
  let links = q
    .selectFrom('shared_links')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
  if (decisionId !== undefined) links = links.where('decision_id', '=', decisionId)
  const { count } = await links.executeTakeFirstOrThrow()
  return Number(count)
}
