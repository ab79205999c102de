import { sql } from 'kysely'
import type { Page } from '../base/page.ts'
import type { Queries } from '../storage/db.ts'

/** Members and open invitations in one list, because people ask "who is in?" and mean both. */
export async function listMembers(q: Queries, workspaceId: string, page: Page, now: string) {
  const members = memberRows(q, workspaceId)
  const invited = invitationRows(q, workspaceId).where('expires_at', '>', now)
  return q
    .selectFrom(members.unionAll(invited).as('both'))
    .selectAll()
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
}

export async function findMember(q: Queries, workspaceId: string, userId: string) {
  return memberRows(q, workspaceId).where('m.user_id', '=', userId).executeTakeFirst()
}

export async function findInvitation(q: Queries, workspaceId: string, id: string) {
  return invitationRows(q, workspaceId).where('id', '=', id).executeTakeFirst()
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
    .where('m.workspace_id', '=', workspaceId)
}

function invitationRows(q: Queries, workspaceId: string) {
  return q
    .selectFrom('invitations')
    .select(['id', sql<string | null>`cast(null as uuid)`.as('userId'), sql<string | null>`null`.as('name')])
    .select(['email', 'role', sql<'member' | 'invited'>`'invited'`.as('state'), 'created_at as createdAt'])
    .where('workspace_id', '=', workspaceId)
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
  await tx
    .updateTable('members')
    .set({ role })
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .execute()
}

export async function deleteMember(tx: Queries, workspaceId: string, userId: string): Promise<void> {
  await tx.deleteFrom('members').where('workspace_id', '=', workspaceId).where('user_id', '=', userId).execute()
}

export async function countOwners(q: Queries, workspaceId: string): Promise<number> {
  const { owners } = await q
    .selectFrom('members')
    .select(({ fn }) => fn.countAll<number>().as('owners'))
    .where('workspace_id', '=', workspaceId)
    .where('role', '=', 'owner')
    .executeTakeFirstOrThrow()
  return owners
}

/** Inviting the same address again replaces the link: the older one stops working. */
export async function upsertInvitation(
  tx: Queries,
  invitation: {
    workspaceId: string
    id: string
    email: string
    role: string
    tokenHash: string
    invitedBy: string
    createdAt: string
    expiresAt: string
  },
): Promise<string> {
  const fresh = {
    role: invitation.role,
    token_hash: invitation.tokenHash,
    invited_by: invitation.invitedBy,
    created_at: invitation.createdAt,
    expires_at: invitation.expiresAt,
  }
  const { id } = await tx
    .insertInto('invitations')
    .values({ workspace_id: invitation.workspaceId, id: invitation.id, email: invitation.email, ...fresh })
    .onConflict((known) => known.columns(['workspace_id', 'email']).doUpdateSet(fresh))
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** By the secret of its link, which is all that the invited person has; hence it may be of any workspace. */
export async function findInvitationOfAnyWorkspace(q: Queries, tokenHash: string, now: string) {
  return q
    .selectFrom('invitations as i')
    .innerJoin('workspaces as w', 'w.id', 'i.workspace_id')
    .select(['i.workspace_id as workspaceId', 'i.id', 'i.email', 'i.role', 'w.name as workspaceName'])
    .where('i.token_hash', '=', tokenHash)
    .where('i.expires_at', '>', now)
    .where('w.deleted_at', 'is', null)
    .executeTakeFirst()
}

export async function deleteInvitation(tx: Queries, workspaceId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('invitations')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function updateInvitationRole(tx: Queries, workspaceId: string, id: string, role: string): Promise<void> {
  await tx
    .updateTable('invitations')
    .set({ role })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}
