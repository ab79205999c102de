/** Rules for all changes of members and invitations. */
import { timestamp } from '../../base/clock.ts'
import { forbidden, notFound, unauthorized } from '../../base/errors.ts'
import { invariant } from '../../base/invariant.ts'
import { isAtLeast, isRole, type Principal, ROLES, type Role } from '../../base/principal.ts'
import type { Context } from '../../http/route.ts'
import type { Queries } from '../../storage/db.ts'
import { lockWorkspaceExclusive } from '../../storage/dialect.ts'
import { deleteApiKeysCreatedBy } from '../api-keys/api-key-queries.ts'
import { type Actor, recordAudit } from '../audit/audit.ts'
import { deleteInvitationsCreatedBy } from './invitation-queries.ts'
import { findMember } from './member-queries.ts'

export type Operation = Pick<Context, 'clock' | 'newId' | 'requestId' | 'address'> & { tx: Queries; by: Principal }

/**
 * Locks the workspace to serialize changes of members, and reads the caller's role again, because it may have changed since
 * authentication. Returns the role.
 */
export async function lockAsMember(tx: Queries, by: Principal, needed: Role): Promise<Role> {
  if (!(await lockWorkspaceExclusive(tx, by.workspaceId))) throw notFound('Workspace')
  const member = await findMember(tx, by.workspaceId, by.userId)
  if (!member) throw unauthorized()
  const role = roleOf(member.role)
  if (!isAtLeast(role, needed)) throw forbidden(`This request requires the role ${needed}; yours is ${role}`)
  return role
}

/** Only owners may add, change and remove owners and invitations of owners: otherwise an admin could take over. */
export function rejectOwnership(own: Role, role: string): void {
  if (role === 'owner' && own !== 'owner') throw forbidden('Only an owner may add, change or remove an owner')
}

/** `by` is the user or the operator who causes the end. */
type GrantOperation = Omit<Operation, 'by'> & { by: Actor & { workspaceId: string } }

/**
 * Deletes the invitations that the member could not create with the new role and, when the membership ends, the keys of the member.
 * They are not restored if the member joins again.
 */
export async function endGrants(
  operation: GrantOperation,
  { userId, newRole }: { userId: string; newRole: Role | undefined },
): Promise<void> {
  await withdrawInvitations(operation, userId, notInvitableBy(newRole))
  if (newRole === undefined) await revokeKeys(operation, userId, 'all')
}

/** Ends what the member has given to others, without ending the membership. */
export async function endOwnGrants(operation: GrantOperation, userId: string): Promise<void> {
  await withdrawInvitations(operation, userId, ROLES)
  await revokeKeys(operation, userId, 'by the member')
}

async function withdrawInvitations(
  { tx, by, ...context }: GrantOperation,
  userId: string,
  roles: readonly Role[],
): Promise<void> {
  const { workspaceId } = by
  const withdrawn = roles.length === 0 ? [] : await deleteInvitationsCreatedBy(tx, workspaceId, userId, roles)
  for (const { id, email, role } of withdrawn) {
    const event = { by, workspaceId, action: 'invitation.withdrawn', resourceId: id } as const
    await recordAudit(tx, context, { ...event, detail: `${email} as ${role}` })
  }
}

async function revokeKeys(
  { tx, by, ...context }: GrantOperation,
  createdBy: string,
  which: 'all' | 'by the member',
): Promise<void> {
  const { workspaceId } = by
  const revocation = { revokedBy: by.userId, revokedAt: timestamp(context.clock.now()) }
  for (const { id, role } of await deleteApiKeysCreatedBy(tx, { workspaceId, createdBy, which }, revocation)) {
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
