/**
 * Users join a workspace by accepting an invitation link, which is for one e-mail address in one workspace.
 *
 * E-mail addresses are not verified, so the address of an account proves nothing: anyone may have created it. Joining requires the
 * secret of the link and an account that accepts it. The address of the account must match the invitation, so that a leaked link
 * does not admit another account; the address alone never admits an account.
 */
import { randomBytes } from 'node:crypto'
import { timestamp } from '../../base/clock.ts'
import { AppError, conflict, forbidden, notFound } from '../../base/errors.ts'
import { invariant } from '../../base/invariant.ts'
import type { Caller, Role } from '../../base/principal.ts'
import type { Context } from '../../http/route.ts'
import type { Queries } from '../../storage/db.ts'
import { lockWorkspaceExclusive } from '../../storage/dialect.ts'
import { findUser } from '../accounts/account-queries.ts'
import { checkEmail, createAccount } from '../accounts/accounts.ts'
import { hashSecret } from '../api-keys/api-key-format.ts'
import { recordAudit } from '../audit/audit.ts'
import {
  consumeInvitation,
  findInvitation,
  findInvitationByEmail,
  findInvitationOfAnyWorkspace,
  listInvitationsOfAnyWorkspace,
  upsertInvitation,
} from './invitation-queries.ts'
import { findMemberByEmail, insertMember } from './member-queries.ts'
import { lockAsMember, type Operation, rejectOwnership } from './member-rules.ts'

const INVITATION_DAYS = 7

/**
 * Creates an invitation, or replaces the open one to the same address. The token of the link is returned only here. Does not check whether
 * the address has an account, so that neither the response nor its timing reveals it.
 */
export async function inviteMember({ tx, by, ...context }: Operation, { email, role }: { email: string; role: Role }) {
  checkEmail(email)
  const { workspaceId } = by
  const address = email.toLowerCase()
  const own = await lockAsMember(tx, by, 'admin')
  rejectOwnership(own, role)
  if (await findMemberByEmail(tx, workspaceId, address)) throw conflict('This user is already a member')
  const open = await findInvitationByEmail(tx, workspaceId, address)
  if (open) rejectOwnership(own, open.role)
  const now = context.clock.now()
  const token = randomBytes(32).toString('base64url')
  const id = await upsertInvitation(tx, {
    workspaceId,
    id: context.newId(),
    email: address,
    role,
    tokenHash: hashSecret(token),
    invitedBy: by.userId,
    createdAt: timestamp(now),
    expiresAt: timestamp(now + INVITATION_DAYS * 24 * 60 * 60_000),
  })
  const event = { by, workspaceId, action: 'member.invited', resourceId: id } as const
  await recordAudit(tx, context, { ...event, detail: `${address} as ${role}` })
  const invitation = await findInvitation(tx, workspaceId, id)
  invariant(invitation, 'an invitation exists in the transaction that created it')
  return { invitation, token }
}

type Acceptance = Pick<Context, 'clock' | 'newId' | 'requestId' | 'address'> & { tx: Queries }

/** Adds the caller to the workspace of the link. If the caller has another address, the link stays valid. */
export async function acceptInvitation(acceptance: Acceptance, caller: Caller, token: string): Promise<string> {
  const { tx } = acceptance
  const invitation = await consumeByToken(acceptance, token)
  const user = await findUser(tx, caller.userId)
  invariant(user, 'a caller has an account')
  if (user.email !== invitation.email) {
    throw forbidden('This invitation is for another e-mail address; sign in with that account to accept it')
  }
  return join(acceptance, invitation, caller)
}

/** Creates an account with the address of the invitation and adds it to the workspace. */
export async function signUpByInvitation(
  acceptance: Acceptance,
  { token, name, passwordHash }: { token: string; name: string; passwordHash: string },
): Promise<string> {
  const invitation = await consumeByToken(acceptance, token)
  const credentials = { email: invitation.email, name, passwordHash }
  const { id } = await createAccount(acceptance, credentials).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.status !== 409) throw error
    throw conflict('This e-mail address already has an account; sign in with it to accept the invitation')
  })
  return join(acceptance, invitation, { kind: 'session', userId: id })
}

/** Accepts all open invitations of an address that is verified. Returns their number. */
export async function joinByAddress(acceptance: Acceptance, user: { id: string; email: string }): Promise<number> {
  const { tx, clock } = acceptance
  let joined = 0
  for (const { workspaceId, tokenHash } of await listInvitationsOfAnyWorkspace(
    tx,
    user.email,
    timestamp(clock.now()),
  )) {
    const taken =
      (await lockWorkspaceExclusive(tx, workspaceId)) && (await consumeInvitation(tx, workspaceId, tokenHash))
    if (!taken) continue
    await join(acceptance, { workspaceId, role: taken.role }, { kind: 'session', userId: user.id })
    joined += 1
  }
  return joined
}

/** The open invitation of a link. Throws 404 for any other token. */
export async function requireInvitation({ tx, clock }: Pick<Acceptance, 'tx' | 'clock'>, token: string) {
  const found = await findInvitationOfAnyWorkspace(tx, hashSecret(token), timestamp(clock.now()))
  if (!found) throw notFound('Invitation')
  return found
}

/**
 * Deletes the invitation of the link and returns it; an error later in the transaction restores it. Address and role are those of the
 * deleted row: an admin may have changed or withdrawn it before the workspace was locked.
 */
async function consumeByToken(acceptance: Acceptance, token: string) {
  const { tx } = acceptance
  const { workspaceId } = await requireInvitation(acceptance, token)
  const taken =
    (await lockWorkspaceExclusive(tx, workspaceId)) && (await consumeInvitation(tx, workspaceId, hashSecret(token)))
  if (!taken) throw notFound('Invitation')
  return { workspaceId, ...taken }
}

async function join(
  { tx, ...context }: Acceptance,
  { workspaceId, role }: { workspaceId: string; role: string },
  by: Pick<Caller, 'kind' | 'userId'>,
): Promise<string> {
  const { userId } = by
  await insertMember(tx, { workspaceId, userId, role, createdAt: timestamp(context.clock.now()) })
  await recordAudit(tx, context, { by, workspaceId, action: 'member.joined', resourceId: userId, detail: role })
  return workspaceId
}
