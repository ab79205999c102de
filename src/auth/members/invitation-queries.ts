import { sql } from 'kysely'
import type { Queries } from '../../storage/db.ts'
import { deleteScoped, selectScoped, updateScoped } from '../../storage/query-building.ts'

/** With the columns of a member, because both are in one list. */
export function invitationRows(q: Queries, workspaceId: string) {
  return selectScoped(q, 'invitations', { workspace_id: workspaceId })
    .select(['id', sql<string | null>`cast(null as uuid)`.as('userId'), sql<string | null>`null`.as('name')])
    .select(['email', 'role', sql<'member' | 'invited'>`'invited'`.as('state'), 'created_at as createdAt'])
    .select(['expires_at as expiresAt', sql<null>`cast(null as text)`.as('secondFactor')])
}

export async function findInvitation(q: Queries, workspaceId: string, id: string) {
  return invitationRows(q, workspaceId).where('id', '=', id).executeTakeFirst()
}

export async function findInvitationByEmail(q: Queries, workspaceId: string, email: string) {
  return invitationRows(q, workspaceId).where('email', '=', email).executeTakeFirst()
}

/** Inviting the same address again replaces the link; the older one stops working. */
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

/** Finds an invitation by the hash of its token. Reads across workspaces, because an invited user has only the token. */
export async function findInvitationOfAnyWorkspace(q: Queries, tokenHash: string, now: string) {
  return q
    .selectFrom('invitations as i')
    .innerJoin('workspaces as w', 'w.id', 'i.workspace_id')
    .select(['i.workspace_id as workspaceId', 'i.id', 'i.email', 'i.role', 'i.expires_at as expiresAt'])
    .select('w.name as workspaceName')
    .where('i.token_hash', '=', tokenHash)
    .where('i.expires_at', '>', now)
    .where('w.deleted_at', 'is', null)
    .executeTakeFirst()
}

/** Deletes the invitation if the token is still valid. Only one of several concurrent callers gets the row. */
export async function consumeInvitation(tx: Queries, workspaceId: string, tokenHash: string) {
  return deleteScoped(tx, 'invitations', { workspace_id: workspaceId, token_hash: tokenHash })
    .returning(['id', 'email', 'role'])
    .executeTakeFirst()
}

export async function deleteInvitation(tx: Queries, workspaceId: string, id: string): Promise<void> {
  await tx.deleteFrom('invitations').where('workspace_id', '=', workspaceId).where('id', '=', id).execute()
}

/** Deletes the invitations to these roles that a member created, and returns them. */
export async function deleteInvitationsCreatedBy(
  tx: Queries,
  workspaceId: string,
  invitedBy: string,
  roles: readonly string[],
) {
  return deleteScoped(tx, 'invitations', { workspace_id: workspaceId, invited_by: invitedBy })
    .where('role', 'in', roles)
    .returning(['id', 'email', 'role'])
    .execute()
}

export async function updateInvitationRole(tx: Queries, workspaceId: string, id: string, role: string): Promise<void> {
  await updateScoped(tx, 'invitations', { workspace_id: workspaceId, id }).set({ role }).execute()
}

/** For housekeeping. Expired links do not work anyway. */
export async function deleteExpiredInvitationsOfAnyWorkspace(tx: Queries, now: string): Promise<void> {
  await tx.deleteFrom('invitations').where('expires_at', '<=', now).execute()
}

/** The open invitations of an address. Reads across workspaces, because the address is all that is known of a new user. */
export async function listInvitationsOfAnyWorkspace(q: Queries, email: string, now: string) {
  return q
    .selectFrom('invitations as i')
    .innerJoin('workspaces as w', 'w.id', 'i.workspace_id')
    .select(['i.workspace_id as workspaceId', 'i.token_hash as tokenHash'])
    .where('i.email', '=', email.toLowerCase())
    .where('i.expires_at', '>', now)
    .where('w.deleted_at', 'is', null)
    .orderBy('i.workspace_id')
    .execute()
}
