/**
 * What the operator of the server does to accounts. An account may be in several workspaces, so an admin of one of them may not: what an
 * admin can end is the membership, which ends all access to that workspace at once.
 */
import { randomBytes } from 'node:crypto'
import { timestamp } from '../base/clock.ts'
import { conflict, notFound } from '../base/errors.ts'
import { NIL_ID } from '../base/ids.ts'
import type { Context } from '../http/route.ts'
import type { Queries } from '../storage/db.ts'
import {
  deletePasswordResetsOf,
  findAccountByEmail,
  listWorkspaceIdsOfUser,
  updateDisabled,
  upsertPasswordReset,
} from './account-queries.ts'
import { endSessions } from './accounts.ts'
import { hashSecret } from './api-key-format.ts'
import { type Actor, type AuditAction, recordAudit } from './audit.ts'

export const RESET_LINK_MINUTES = 60

export type AccountWork = Pick<Context, 'clock' | 'newId' | 'requestId' | 'address'> & { tx: Queries; by: Actor }

/** The token of a link that lets its holder choose a new password, once. Only its hash is stored. */
export async function createResetToken(work: AccountWork, email: string): Promise<string> {
  const { id, disabledAt } = await requireAccount(work.tx, email)
  if (disabledAt !== null) throw conflict('The account is disabled; enable it first')
  const token = randomBytes(32).toString('base64url')
  const now = work.clock.now()
  await upsertPasswordReset(work.tx, {
    userId: id,
    tokenHash: hashSecret(token),
    createdAt: timestamp(now),
    expiresAt: timestamp(now + RESET_LINK_MINUTES * 60_000),
  })
  await recordAccountAudit(work, id, 'account.reset-link-created')
  return token
}

/** Ends all sessions and lets neither the account nor its keys in; both are checked at each use, so nothing slips through meanwhile. */
export async function disableAccount(work: AccountWork, email: string): Promise<void> {
  const { id, disabledAt } = await requireAccount(work.tx, email)
  if (disabledAt !== null) return
  await updateDisabled(work.tx, id, timestamp(work.clock.now()))
  await deletePasswordResetsOf(work.tx, id)
  await endSessions(work.tx, id)
  await recordAccountAudit(work, id, 'account.disabled')
}

/** The password and the keys are as before; sessions are not. */
export async function enableAccount(work: AccountWork, email: string): Promise<void> {
  const { id, disabledAt } = await requireAccount(work.tx, email)
  if (disabledAt === null) return
  await updateDisabled(work.tx, id, null)
  await recordAccountAudit(work, id, 'account.enabled')
}

/** Returns how many sessions there were. */
export async function endAccountSessions(work: AccountWork, email: string): Promise<number> {
  const { id } = await requireAccount(work.tx, email)
  const ended = await endSessions(work.tx, id)
  await recordAccountAudit(work, id, 'account.sessions-ended')
  return ended
}

/** In the log of every workspace that the account is in, because their admins must know; in the installation's own if it is in none. */
export async function recordAccountAudit(
  { tx, by, ...context }: AccountWork,
  userId: string,
  action: AuditAction,
): Promise<void> {
  const workspaceIds = await listWorkspaceIdsOfUser(tx, userId)
  for (const workspaceId of workspaceIds.length === 0 ? [NIL_ID] : workspaceIds) {
    await recordAudit(tx, context, { by, workspaceId, action, resourceId: userId })
  }
}

async function requireAccount(tx: Queries, email: string) {
  const account = await findAccountByEmail(tx, email)
  if (!account) throw notFound('Account')
  return account
}
