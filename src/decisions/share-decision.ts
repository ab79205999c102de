/** Links to a decision that anyone can open who has them. Only a hash of the token is stored, so a link is shown once. */
import { createHash, randomBytes } from 'node:crypto'
import { recordAudit } from '../auth/audit/audit.ts'
import { timestamp } from '../base/clock.ts'
import { conflict, forbidden, notFound } from '../base/errors.ts'
import { createdAtOf } from '../base/ids.ts'
import type { Principal } from '../base/principal.ts'
import type { Context } from '../http/route.ts'
import { lockDecision } from './decision-queries.ts'
import {
  countActiveLinks,
  insertSharedLink,
  listSharedLinks,
  lockLinksAllowed,
  revokeSharedLink,
} from './shared-link-queries.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const LINKS_MAX = 20
const TOKEN_BYTES = 32

type Operation = Pick<Context, 'db' | 'clock' | 'newId' | 'requestId' | 'address'>
type DecisionScope = { componentId: string; decisionId: string }

/** Throws 403 while links are not allowed. */
export async function createSharedLink(
  { db, clock, newId, ...context }: Operation,
  by: Principal,
  { decisionId, componentId, expiresInDays }: DecisionScope & { expiresInDays: number },
) {
  const { workspaceId, userId } = by
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const id = newId()
  const now = clock.now()
  const link = await db.transaction(async (tx) => {
    if (!(await lockDecision(tx, { workspaceId, componentId, decisionId }))) throw notFound('Decision')
    if (!(await lockLinksAllowed(tx, workspaceId)))
      throw forbidden('Shared links are not allowed in this application; an admin can allow them in its settings')
    if ((await countActiveLinks(tx, { workspaceId, decisionId, now: timestamp(now) })) >= LINKS_MAX)
      throw conflict(`A decision has at most ${LINKS_MAX} active links; revoke one first`)
    await insertSharedLink(tx, {
      workspace_id: workspaceId,
      id,
      decision_id: decisionId,
      token_hash: hashToken(token),
      user_id: userId,
      created_at: createdAtOf(id),
      expires_at: timestamp(now + expiresInDays * DAY_MS),
      revoked_at: null,
      opened_at: null,
      opened_count: 0,
    })
    const detail = `for ${expiresInDays} ${expiresInDays === 1 ? 'day' : 'days'}`
    const event = { by, workspaceId, action: 'shared-link.created', resourceId: id, detail } as const
    await recordAudit(tx, { newId, ...context }, event)
    return (await listSharedLinks(tx, { workspaceId, decisionId })).find((one) => one.id === id)
  })
  return { token, link }
}

export async function removeSharedLink(
  { db, clock, ...context }: Operation,
  by: Principal,
  { decisionId, componentId, linkId }: DecisionScope & { linkId: string },
): Promise<void> {
  const { workspaceId } = by
  await db.transaction(async (tx) => {
    if (!(await lockDecision(tx, { workspaceId, componentId, decisionId }))) throw notFound('Decision')
    const now = timestamp(clock.now())
    if (!(await revokeSharedLink(tx, { workspaceId, decisionId, linkId, now }))) throw notFound('Shared link')
    const event = { by, workspaceId, action: 'shared-link.revoked', resourceId: linkId } as const
    await recordAudit(tx, context, event)
  })
}

/** A plain hash is enough, because a token of this length cannot be guessed. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
