/** Rules that hold for every change of members and invitations. */
import { forbidden, notFound, unauthorized } from '../base/errors.ts'
import { invariant } from '../base/invariant.ts'
import { isAtLeast, isRole, type Principal, ROLES, type Role } from '../base/principal.ts'
import type { Context } from '../http/route.ts'
import type { Queries } from '../storage/db.ts'
import { lockWorkspaceExclusive } from '../storage/dialect.ts'
import { deleteApiKeysCreatedBy } from './api-key-queries.ts'
import { recordAudit } from './audit.ts'
import { deleteInvitationsMadeBy } from './invitation-queries.ts'
import { findMember } from './member-queries.ts'

export type Operation = Pick<Context, 'clock' | 'newId' | 'requestId' | 'address'> & { tx: Queries; by: Principal }

/**
 * Locks the workspace, so that changes of members happen one after another, and reads the caller's role again: it may have changed
 * since the request was admitted. Returns the role.
 */
export async function lockAsMember(tx: Queries, by: Principal, needed: Role): Promise<Role> {
  if (!(await lockWorkspaceExclusive(tx, by.workspaceId))) throw notFound('Workspace')
  const member = await findMember(tx, by.workspaceId, by.userId)
  if (!member) throw unauthorized()
  const role = roleOf(member.role)
  if (!isAtLeast(role, needed)) throw forbidden(`This needs the role ${needed}; yours is ${role}`)
  return role
}

/** Owners are made, changed and removed by owners alone, and so are invitations to be one: otherwise an admin could take over. */
export function rejectOwnership(own: Role, role: string): void {
  if (role === 'owner' && own !== 'owner') throw forbidden('Only an owner may make, change or remove an owner')
}

/**
 * Ends what a member did by a role that is lost: invitations that the member could not make now and, when the membership itself ends,
 * the member's keys. They are gone for good: a member who comes back creates new ones.
 */
export async function endGrants(
  { tx, by, ...context }: Operation,
  { userId, newRole }: { userId: string; newRole: Role | undefined },
): Promise<void> {
  const { workspaceId } = by
  const lost = notInvitableBy(newRole)
  const withdrawn = lost.length === 0 ? [] : await deleteInvitationsMadeBy(tx, workspaceId, userId, lost)
  for (const { id, email, role } of withdrawn) {
    const event = { by, workspaceId, action: 'invitation.withdrawn', resourceId: id } as const
    await recordAudit(tx, context, { ...event, detail: `${email} as ${role}` })
  }
  if (newRole !== undefined) return
  for (const { id, role } of await deleteApiKeysCreatedBy(tx, workspaceId, userId)) {
    await recordAudit(tx, context, { by, workspaceId, action: 'api-key.revoked', resourceId: id, detail: role })
  }
}

function notInvitableBy(role: Role | undefined): readonly Role[] {
  if (role === 'owner') return []
  return role === 'admin' ? ['owner'] : ROLES
}

function roleOf(text: string): Role {
  invariant(isRole(text), 'the database holds only known roles')
  return text
}
