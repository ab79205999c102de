/** Changes and removes members of a workspace. A workspace always keeps an owner. */
import { timestamp } from '../../base/clock.ts'
import { conflict, forbidden, notFound } from '../../base/errors.ts'
import { isAtLeast, isRole, type Role } from '../../base/principal.ts'
import type { Queries } from '../../storage/db.ts'
import { recordAccountAudit } from '../accounts/manage-accounts.ts'
import { endSessions } from '../accounts/session-queries.ts'
import { recordAudit } from '../audit/audit.ts'
import { deleteInvitation, findInvitation, updateInvitationRole } from './invitation-queries.ts'
import {
  countOwners,
  deleteMember,
  findMember,
  insertFormerMember,
  listRolesOfAnyWorkspace,
  updateMemberRole,
} from './member-queries.ts'
import { endGrants, lockAsMember, type Operation, rejectOwnership } from './member-rules.ts'

/** Changes the role of a member or of an open invitation. */
export async function changeMember(operation: Operation, { id, role }: { id: string; role: Role }) {
  const { tx, by, ...context } = operation
  const { workspaceId } = by
  const own = await lockAsMember(tx, by, 'admin')
  rejectOwnership(own, role)
  const member = await findMember(tx, workspaceId, id)
  if (member) {
    rejectOwnership(own, member.role)
    if (role !== 'owner') await requireAnotherOwner(tx, workspaceId, member.role)
    await updateMemberRole(tx, workspaceId, id, role)
    await endGrants(operation, { userId: id, newRole: role })
    await recordAudit(tx, context, { by, workspaceId, action: 'member.changed', resourceId: id, detail: role })
    return { ...member, role }
  }
  const invitation = await findInvitation(tx, workspaceId, id)
  if (!invitation) throw notFound('Member')
  rejectOwnership(own, invitation.role)
  await updateInvitationRole(tx, workspaceId, id, role)
  const detail = `${invitation.email} as ${role}`
  await recordAudit(tx, context, { by, workspaceId, action: 'invitation.changed', resourceId: id, detail })
  return { ...invitation, role }
}

/** Removes a member or withdraws an open invitation. */
export async function removeMember(operation: Operation, id: string): Promise<void> {
  const { tx, by, ...context } = operation
  const { workspaceId } = by
  const own = await lockAsMember(tx, by, 'admin')
  const member = await findMember(tx, workspaceId, id)
  if (member) {
    rejectOwnership(own, member.role)
    return endMembership(operation, { userId: id, role: member.role, action: 'member.removed' })
  }
  const invitation = await findInvitation(tx, workspaceId, id)
  if (!invitation) throw notFound('Member')
  rejectOwnership(own, invitation.role)
  await deleteInvitation(tx, workspaceId, id)
  const detail = `${invitation.email} as ${invitation.role}`
  await recordAudit(tx, context, { by, workspaceId, action: 'invitation.withdrawn', resourceId: id, detail })
}

/** Every member except the last owner may leave. */
export async function leaveWorkspace(operation: Operation): Promise<void> {
  const role = await lockAsMember(operation.tx, operation.by, 'viewer')
  await endMembership(operation, { userId: operation.by.userId, role, action: 'member.left' })
}

/**
 * Ends all sessions of a member. A session opens every application of its user, so the caller must administer all of them; elsewhere,
 * removing the member ends access to this one. An invitation has no sessions to end.
 */
export async function endMemberSessions({ tx, by, ...context }: Operation, id: string): Promise<void> {
  await lockAsMember(tx, by, 'admin')
  const member = await findMember(tx, by.workspaceId, id)
  if (!member && !(await findInvitation(tx, by.workspaceId, id))) throw notFound('Member')
  if (!member) return
  const roles = await listRolesOfAnyWorkspace(tx, { userId: id, otherId: by.userId })
  const mayEnd = roles.every(({ role, otherRole }) => {
    if (otherRole === null || !isRole(otherRole)) return false
    return role === 'owner' ? otherRole === 'owner' : isAtLeast(otherRole, 'admin')
  })
  if (!mayEnd)
    throw forbidden(
      'Only an admin of all applications of this user may end their sessions, and only an owner those of an owner',
    )
  await endSessions(tx, id)
  await recordAccountAudit({ tx, by, ...context }, id, 'account.sessions-ended')
}

async function endMembership(
  operation: Operation,
  { userId, role, action }: { userId: string; role: string; action: 'member.removed' | 'member.left' },
): Promise<void> {
  const { tx, by, ...context } = operation
  const { workspaceId } = by
  await requireAnotherOwner(tx, workspaceId, role)
  await endGrants(operation, { userId, newRole: undefined })
  await deleteMember(tx, workspaceId, userId)
  await insertFormerMember(tx, { workspaceId, userId, leftAt: timestamp(context.clock.now()) })
  await recordAudit(tx, context, { by, workspaceId, action, resourceId: userId, detail: role })
}

async function requireAnotherOwner(tx: Queries, workspaceId: string, roleLost: string): Promise<void> {
  if (roleLost === 'owner' && (await countOwners(tx, workspaceId)) === 1) {
    throw conflict('An application must keep at least one owner')
  }
}
