/** Adding, changing and removing the people of a workspace, with the rule that an owner always remains. */
import { randomBytes } from 'node:crypto'
import { timestamp } from '../base/clock.ts'
import { conflict, forbidden, notFound } from '../base/errors.ts'
import type { Principal, Role } from '../base/principal.ts'
import type { Context } from '../http/route.ts'
import type { Queries } from '../storage/db.ts'
import { holdWorkspace } from '../storage/dialect.ts'
import { checkEmail, findUserByEmail } from './accounts.ts'
import { hashSecret } from './api-key-format.ts'
import { recordAudit } from './audit.ts'
import {
  countOwners,
  deleteInvitation,
  deleteMember,
  findInvitation,
  findMember,
  insertMember,
  updateInvitationRole,
  updateMemberRole,
  upsertInvitation,
} from './member-queries.ts'

const INVITATION_DAYS = 7

type Operation = Pick<Context, 'clock' | 'newId' | 'requestId' | 'address'> & { tx: Queries; by: Principal }

/** Adds the person who has this e-mail, or makes an invitation if nobody has. The token of the link is answered only here. */
export async function addMember({ tx, by, ...context }: Operation, { email, role }: { email: string; role: Role }) {
  checkEmail(email)
  refuseOwnership(by, role)
  const { workspaceId } = by
  const now = context.clock.now()
  const user = await findUserByEmail(tx, email)
  if (user) {
    const isNew = await insertMember(tx, { workspaceId, userId: user.id, role, createdAt: timestamp(now) })
    if (!isNew) throw conflict('This person is a member already')
    await recordAudit(tx, context, { by, workspaceId, action: 'member.added', resourceId: user.id })
    return { member: await findMember(tx, workspaceId, user.id), token: undefined }
  }
  const token = randomBytes(32).toString('base64url')
  const id = await upsertInvitation(tx, {
    workspaceId,
    id: context.newId(),
    email: email.toLowerCase(),
    role,
    tokenHash: hashSecret(token),
    invitedBy: by.userId,
    createdAt: timestamp(now),
    expiresAt: timestamp(now + INVITATION_DAYS * 24 * 60 * 60_000),
  })
  await recordAudit(tx, context, { by, workspaceId, action: 'member.invited', resourceId: id })
  return { member: await findInvitation(tx, workspaceId, id), token }
}

export async function changeMember({ tx, by, ...context }: Operation, { id, role }: { id: string; role: Role }) {
  const { workspaceId } = by
  if (!(await holdWorkspace(tx, workspaceId))) throw notFound('Member')
  refuseOwnership(by, role)
  const member = await findMember(tx, workspaceId, id)
  if (member) {
    refuseOwnership(by, member.role)
    if (role !== 'owner') await keepAnOwner(tx, workspaceId, member.role)
    await updateMemberRole(tx, workspaceId, id, role)
  } else {
    if (!(await findInvitation(tx, workspaceId, id))) throw notFound('Member')
    await updateInvitationRole(tx, workspaceId, id, role)
  }
  await recordAudit(tx, context, { by, workspaceId, action: 'member.changed', resourceId: id })
  return (await findMember(tx, workspaceId, id)) ?? findInvitation(tx, workspaceId, id)
}

export async function removeMember({ tx, by, ...context }: Operation, id: string): Promise<void> {
  const { workspaceId } = by
  if (!(await holdWorkspace(tx, workspaceId))) throw notFound('Member')
  const member = await findMember(tx, workspaceId, id)
  if (member) {
    refuseOwnership(by, member.role)
    await keepAnOwner(tx, workspaceId, member.role)
    await deleteMember(tx, workspaceId, id)
  } else if (!(await deleteInvitation(tx, workspaceId, id))) throw notFound('Member')
  await recordAudit(tx, context, { by, workspaceId, action: 'member.removed', resourceId: id })
}

/** Owners are made, changed and removed by owners alone: otherwise an admin could take the application over. */
function refuseOwnership(by: Principal, role: string): void {
  if (role === 'owner' && by.role !== 'owner') throw forbidden('Only an owner may make, change or remove an owner')
}

async function keepAnOwner(tx: Queries, workspaceId: string, roleLost: string): Promise<void> {
  if (roleLost === 'owner' && (await countOwners(tx, workspaceId)) === 1) {
    throw conflict('An application must keep at least one owner')
  }
}
