/**
 * What an account has given to others in all its applications: API keys, open invitations and shared links. They work without the account, so
 * they must not outlive its transfer to another person. Keys that the operator of the server created in its name stay.
 */
import { timestamp } from '../../base/clock.ts'
import { listWorkspaceIdsOfUser } from '../accounts/account-queries.ts'
import type { AccountOperation } from '../accounts/manage-accounts.ts'
import { recordAudit } from '../audit/audit.ts'
import { revokeSharedLinksOf } from './account-grant-queries.ts'
import { endOwnGrants } from './member-rules.ts'

/** Revokes all of them in the caller's transaction and records each in the audit log of its application. */
export async function revokeAccountGrants(work: AccountOperation, userId: string): Promise<void> {
  const { tx, by, clock } = work
  for (const workspaceId of await listWorkspaceIdsOfUser(tx, userId)) {
    await endOwnGrants({ ...work, by: { ...by, workspaceId } }, userId)
    for (const id of await revokeSharedLinksOf(tx, { workspaceId, userId, now: timestamp(clock.now()) })) {
      await recordAudit(tx, work, { by, workspaceId, action: 'shared-link.revoked', resourceId: id })
    }
  }
}
