import { sql } from 'kysely'
import type { Page } from '../../base/page.ts'
import type { Queries } from '../../storage/db.ts'
import { listPage } from '../../storage/list-page.ts'
import { deleteScoped, selectScoped, updateScoped } from '../../storage/query-building.ts'
import { FACTOR_STATE } from '../second-factor/required-factor-queries.ts'
import { invitationRows } from './invitation-queries.ts'

/** Lists members and open invitations together. */
export async function listMembers(q: Queries, workspaceId: string, page: Page, now: string) {
  const members = memberRows(q, workspaceId)
  const invited = invitationRows(q, workspaceId).where('expires_at', '>', now)
  const both = q
    .selectFrom(members.unionAll(invited).as('both'))
    .selectAll()
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
  return listPage(q, both, page)
}

export async function findMember(q: Queries, workspaceId: string, userId: string) {
  return memberRows(q, workspaceId).where('m.user_id', '=', userId).executeTakeFirst()
}

/** Finds only members of this workspace, not other accounts. */
export async function findMemberByEmail(q: Queries, workspaceId: string, email: string) {
  return memberRows(q, workspaceId).where('u.email', '=', email).executeTakeFirst()
}

function memberRows(q: Queries, workspaceId: string) {
  return q
    .selectFrom('members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select([
      'm.user_id as id',
      sql<string | null>`m.user_id`.as('userId'),
      sql<string | null>`u.name`.as('name'),
      'u.email',
      'm.role',
    ])
    .select([sql<'member' | 'invited'>`'member'`.as('state'), 'm.created_at as createdAt'])
    .select([sql<string | null>`null`.as('expiresAt'), FACTOR_STATE.as('secondFactor')])
    .where('m.workspace_id', '=', workspaceId)
}

export async function insertMember(
  tx: Queries,
  member: { workspaceId: string; userId: string; role: string; createdAt: string },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('members')
    .values({
      workspace_id: member.workspaceId,
      user_id: member.userId,
      role: member.role,
      created_at: member.createdAt,
    })
    .onConflict((known) => known.columns(['workspace_id', 'user_id']).doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

export async function updateMemberRole(tx: Queries, workspaceId: string, userId: string, role: string): Promise<void> {
  await updateScoped(tx, 'members', { workspace_id: workspaceId, user_id: userId }).set({ role }).execute()
}

export async function deleteMember(tx: Queries, workspaceId: string, userId: string): Promise<void> {
  await tx.deleteFrom('members').where('workspace_id', '=', workspaceId).where('user_id', '=', userId).execute()
}

/** Keeps the name known, and deletes what only the member could see. */
export async function insertFormerMember(
  tx: Queries,
  { workspaceId, userId, leftAt }: { workspaceId: string; userId: string; leftAt: string },
): Promise<void> {
  await tx
    .insertInto('former_members')
    .values({ workspace_id: workspaceId, user_id: userId, left_at: leftAt })
    .onConflict((known) => known.columns(['workspace_id', 'user_id']).doUpdateSet({ left_at: leftAt }))
    .execute()
  await deleteScoped(tx, 'saved_views', { workspace_id: workspaceId, user_id: userId, is_shared: 0 }).execute()
}

/** The roles of a user in all workspaces, with those of another user there; null where the other is no member. */
export async function listRolesOfAnyWorkspace(q: Queries, { userId, otherId }: { userId: string; otherId: string }) {
  return q
    .selectFrom('members as m')
    .innerJoin('workspaces as w', 'w.id', 'm.workspace_id')
    .leftJoin('members as o', (join) =>
      join.onRef('o.workspace_id', '=', 'm.workspace_id').on('o.user_id', '=', otherId),
    )
    .select(['m.role', 'o.role as otherRole'])
    .where('m.user_id', '=', userId)
    .where('w.deleted_at', 'is', null)
    .execute()
}

export async function countOwners(q: Queries, workspaceId: string): Promise<number> {
  const { owners } = await selectScoped(q, 'members', { workspace_id: workspaceId, role: 'owner' })
    .select(({ fn }) => fn.countAll<number>().as('owners'))
    .executeTakeFirstOrThrow()
  return owners
}
