import { timestamp } from '../../base/clock.ts'
import { badRequest, conflict, notFound } from '../../base/errors.ts'
import { isAtLeast, lowerRole, type Principal, type Role } from '../../base/principal.ts'
import { parseDateTime } from '../../base/rfc3339.ts'
import type { Context } from '../../http/route.ts'
import type { Queries } from '../../storage/db.ts'
import { lockWorkspaceExclusive } from '../../storage/dialect.ts'
import { recordAudit } from '../audit/audit.ts'
import { lockAsMember, type Operation } from '../members/member-rules.ts'
import { displayParts, generateApiKey, hashSecret } from './api-key-format.ts'
import { countApiKeys, insertApiKey, isRevoked } from './api-key-queries.ts'

/** Limits per member, so that one member cannot use up the limit of the application, and per application. */
const OWN_KEYS_MAX = 50
const KEYS_MAX = 1_000

/** The highest role of a key: keys are for programs, which must not manage keys or members. */
export const KEY_ROLE_MAX = 'editor'

/** The default lifetime of a key. */
const KEY_DAYS_DEFAULT = 90
export const KEY_DAYS_MAX = 3_650
const DAY_MS = 24 * 60 * 60_000

export type NewApiKey = {
  workspaceId: string
  createdBy: string
  name: string
  /** Default: the highest role of a key. */
  role?: Role
  /** ISO time, or null for a key that does not expire. */
  expiresAt: string | null
  /** A key chosen by the operator. Default: a generated key. */
  key?: string
  /** Who creates it. A key of the operator outlives a transfer of the account in whose name it is. */
  by?: 'operator' | 'user'
}

/** Stores the hash of a key and returns the key, which cannot be read again later. */
export async function createApiKey(tx: Queries, { clock, newId }: Pick<Context, 'clock' | 'newId'>, input: NewApiKey) {
  // Locked while counting: otherwise concurrent requests could exceed the limit.
  if (!(await lockWorkspaceExclusive(tx, input.workspaceId))) throw notFound('Workspace')
  await rejectTooManyKeys(tx, input)
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
    isOfOperator: input.by === 'operator',
    createdAt: timestamp(clock.now()),
    expiresAt: input.expiresAt,
  })
  return { ...stored, key }
}

export async function rejectTooManyKeys(
  tx: Queries,
  { workspaceId, createdBy }: Pick<NewApiKey, 'workspaceId' | 'createdBy'>,
): Promise<void> {
  const { own, all } = await countApiKeys(tx, workspaceId, createdBy)
  if (own >= OWN_KEYS_MAX) throw conflict(`A member has at most ${OWN_KEYS_MAX} API keys; revoke one first`)
  if (all >= KEYS_MAX) throw conflict(`An application has at most ${KEYS_MAX} API keys; revoke one first`)
}

/** Creates a key of the caller with at most the caller's current role. The default is the highest role that it may have. */
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

/** The creator whose keys a caller may see and revoke; undefined for admins, who may see and revoke all keys. */
export function keysVisibleTo({ role, userId }: Principal): string | undefined {
  return isAtLeast(role, 'admin') ? undefined : userId
}

/** Reads the expiry of a key: a time, a number of days, or null for never. The default is 90 days. */
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
