import { timestamp } from '../base/clock.ts'
import { badRequest, conflict, notFound } from '../base/errors.ts'
import { isAtLeast, lowerRole, type Principal, type Role } from '../base/principal.ts'
import { parseDateTime } from '../base/rfc3339.ts'
import type { Context } from '../http/route.ts'
import type { Queries } from '../storage/db.ts'
import { lockWorkspaceExclusive } from '../storage/dialect.ts'
import { displayParts, generateApiKey, hashSecret } from './api-key-format.ts'
import { countApiKeys, insertApiKey, isRevoked } from './api-key-queries.ts'
import { recordAudit } from './audit.ts'
import { lockAsMember, type Operation } from './member-rules.ts'

/** Per member, so that nobody's keys can use up the keys of others; and per application. */
const OWN_KEYS_MAX = 50
const KEYS_MAX = 1_000

/** What a key may do at most: keys are for programs, which neither create keys nor choose members. */
export const KEY_ROLE_MAX = 'editor'

/** How long a key lives unless its creator chooses otherwise. */
const KEY_DAYS_DEFAULT = 90
export const KEY_DAYS_MAX = 3_650
const DAY_MS = 24 * 60 * 60_000

export type NewApiKey = {
  workspaceId: string
  createdBy: string
  name: string
  /** What the key may do at most; without it, what any key may. */
  role?: Role
  /** ISO time, or null for a key that does not expire. */
  expiresAt: string | null
  /** A key chosen by the operator; without it one is generated. */
  key?: string
}

/** Stores the hash of a key and returns the key itself, which cannot be read again later. */
export async function createApiKey(tx: Queries, { clock, newId }: Pick<Context, 'clock' | 'newId'>, input: NewApiKey) {
  // Locked while counting: otherwise many who create a key at once would all find room for one more.
  if (!(await lockWorkspaceExclusive(tx, input.workspaceId))) throw notFound('Workspace')
  const { own, all } = await countApiKeys(tx, input.workspaceId, input.createdBy)
  if (own >= OWN_KEYS_MAX) throw conflict(`A member has at most ${OWN_KEYS_MAX} API keys; revoke one first`)
  if (all >= KEYS_MAX) throw conflict(`An application has at most ${KEYS_MAX} API keys; revoke one first`)
  const key = input.key ?? generateApiKey()
  const keyHash = hashSecret(key)
  if (await isRevoked(tx, input.workspaceId, keyHash)) throw conflict('This API key was revoked')
  const stored = await insertApiKey(tx, {
    workspaceId: input.workspaceId,
    id: newId(),
    name: input.name,
    role: input.role ?? KEY_ROLE_MAX,
    ...displayParts(key),
    keyHash,
    createdBy: input.createdBy,
    createdAt: timestamp(clock.now()),
    expiresAt: input.expiresAt,
  })
  return { ...stored, key }
}

/** Creates a key of the caller, with at most the caller's own role at this moment. Without a role it gets the highest that it may have. */
export async function createOwnApiKey(
  { tx, by, ...context }: Operation,
  { name, role: wanted, expiresAt }: { name: string; role?: Role; expiresAt: string | null },
) {
  const { workspaceId, userId } = by
  const own = await lockAsMember(tx, by, wanted ?? 'viewer')
  const role = wanted ?? lowerRole(own, KEY_ROLE_MAX)
  const key = await createApiKey(tx, context, { workspaceId, createdBy: userId, name, role, expiresAt })
  await recordAudit(tx, context, { by, workspaceId, action: 'api-key.created', resourceId: key.id, detail: role })
  return key
}

/** Whose keys a caller sees and may revoke: admins all of the application, others their own. */
export function keysVisibleTo({ role, userId }: Principal): string | undefined {
  return isAtLeast(role, 'admin') ? undefined : userId
}

/** Reads when a key expires, as clients say it: a time, a number of days, or null for never. The default is 90 days. */
export function readExpiry(
  { expiresAt, expiresInDays }: { expiresAt?: string | null; expiresInDays?: number | null },
  now: number,
): string | null {
  if (expiresAt !== undefined && expiresInDays !== undefined) {
    throw badRequest('Only one of the fields expiresAt and expiresInDays may be given')
  }
  if (expiresAt === null || expiresInDays === null) return null
  if (expiresAt === undefined) return timestamp(now + (expiresInDays ?? KEY_DAYS_DEFAULT) * DAY_MS)
  const ns = parseDateTime(expiresAt)
  const time = ns === undefined ? Number.NaN : Number(ns / 1_000_000n)
  if (!(time > now)) throw badRequest('The field expiresAt must be a time in the future, such as 2030-01-31T00:00:00Z')
  return timestamp(time)
}
