/**
 * Account operations of the server's operator; users request reset links for themselves, by e-mail. Admins of a workspace may not use them, because an account may be in several workspaces.
 * An admin can remove the member, which ends all access to that workspace at once.
 */
import { randomBytes } from 'node:crypto'
import { timestamp } from '../../base/clock.ts'
import { conflict, notFound } from '../../base/errors.ts'
import { NIL_ID } from '../../base/ids.ts'
import type { Context } from '../../http/route.ts'
import type { Queries } from '../../storage/db.ts'
import { hashSecret } from '../api-keys/api-key-format.ts'
import { type Actor, type AuditAction, recordAudit } from '../audit/audit.ts'
import { deleteSecondFactor } from '../second-factor/second-factor-queries.ts'
import {
  deletePasswordResetsOf,
  findAccountByEmail,
  listWorkspaceIdsOfUser,
  updateDisabled,
  upsertPasswordReset,
} from './account-queries.ts'
import { endSessions } from './session-queries.ts'

export const RESET_LINK_MINUTES = 60

export type AccountOperation = Pick<Context, 'clock' | 'newId' | 'requestId' | 'address'> & { tx: Queries; by: Actor }

/**
 * Creates the token of a one-time password reset link. Only its hash is stored. A link of the operator may give the account to another
 * person, so its use revokes what the account has given to others; a link that was sent to the address of the account leaves the choice.
 */
export async function createResetToken(
  work: AccountOperation,
  email: string,
  sentBy: 'operator' | 'e-mail' = 'operator',
): Promise<string> {
  const { id, disabledAt } = await requireAccount(work.tx, email)
  if (disabledAt !== null) throw conflict('The account is disabled; enable it first')
  const token = randomBytes(32).toString('base64url')
  const now = work.clock.now()
  await upsertPasswordReset(work.tx, {
    userId: id,
    tokenHash: hashSecret(token),
    createdAt: timestamp(now),
    expiresAt: timestamp(now + RESET_LINK_MINUTES * 60_000),
    revokesGrants: sentBy === 'operator',
  })
  await recordAccountAudit(work, id, 'account.reset-link-created', sentBy === 'e-mail' ? 'by e-mail' : undefined)
  return token
}

/** Ends all sessions and blocks the account and its keys. Both are checked at each use, so the change is effective at once. */
export async function disableAccount(work: AccountOperation, email: string): Promise<void> {
  const { id, disabledAt } = await requireAccount(work.tx, email)
  if (disabledAt !== null) return
  await updateDisabled(work.tx, id, timestamp(work.clock.now()))
  await deletePasswordResetsOf(work.tx, id)
  await endSessions(work.tx, id)
  await recordAccountAudit(work, id, 'account.disabled')
}

/** Restores the password and the keys, but not the sessions. */
export async function enableAccount(work: AccountOperation, email: string): Promise<void> {
  const { id, disabledAt } = await requireAccount(work.tx, email)
  if (disabledAt === null) return
  await updateDisabled(work.tx, id, null)
  await recordAccountAudit(work, id, 'account.enabled')
}

/** Returns the number of ended sessions. */
export async function endAccountSessions(work: AccountOperation, email: string): Promise<number> {
  const { id } = await requireAccount(work.tx, email)
  const ended = await endSessions(work.tx, id)
  await recordAccountAudit(work, id, 'account.sessions-ended')
  return ended
}

/** For users who have lost their device and their recovery codes. Ends all sessions; signing in needs only the password then. */
export async function resetSecondFactor(work: AccountOperation, email: string): Promise<'reset' | 'none'> {
  const { id } = await requireAccount(work.tx, email)
  if (!(await deleteSecondFactor(work.tx, id))) return 'none'
  await endSessions(work.tx, id)
  await recordAccountAudit(work, id, 'account.second-factor-reset')
  return 'reset'
}

/** Writes to the audit log of every workspace of the account, for its admins; if there is none, to that of the installation. */
export async function recordAccountAudit(
  { tx, by, ...context }: AccountOperation,
  userId: string,
  action: AuditAction,
  detail?: string,
): Promise<void> {
  const workspaceIds = await listWorkspaceIdsOfUser(tx, userId)
  for (const workspaceId of workspaceIds.length === 0 ? [NIL_ID] : workspaceIds) {
    const event = { by, workspaceId, action, resourceId: userId }
    await recordAudit(tx, context, detail === undefined ? event : { ...event, detail })
  }
}

async function requireAccount(tx: Queries, email: string) {
  const account = await findAccountByEmail(tx, email)
  if (!account) throw notFound('Account')
  return account
}
