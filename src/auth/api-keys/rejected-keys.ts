/**
 * The API keys that this process rejected recently, so that a page can show why nothing arrives.
 *
 * Kept in memory: anyone can send invalid keys at any rate, and none of them may cause a write. Of a key, only its last four characters
 * are kept. Keys that belonged to an application have a list of their own, which keys that were never issued cannot displace.
 */
import type { Clock } from '../../base/clock.ts'
import type { Denial } from '../../http/route.ts'

const UNKNOWN_MAX = 100
const KNOWN_MAX = 1_000
const KEPT_MS = 24 * 60 * 60_000
const USER_AGENT_LENGTH_MAX = 200

/** An issued key, and why it was rejected. The fields about revocation are null for other reasons. */
export type KnownKey = {
  reason: 'expired' | 'revoked' | 'role' | 'second-factor'
  workspaceId: string
  createdBy: string | null
  /** Null for a revoked key, of which only the name is kept. */
  keyId: string | null
  keyName: string | null
  revokedBy: string | null
  revokedAt: string | null
}

/** A key that was never issued; `malformed` if it cannot be one, such as a mistyped one. */
type UnknownKey = { reason: 'unknown' | 'malformed' }

type Rejection = {
  /** Null for a text that is too short for a key. */
  endsWith: string | null
  key: KnownKey | UnknownKey
}

export type RejectedKey = Rejection & {
  count: number
  firstMs: number
  lastMs: number
  address: string
  userAgent: string | null
}

export type RejectedKeys = {
  record(rejection: Rejection, origin: Pick<Denial, 'address' | 'userAgent'>): void
  /** Most recent first. */
  listUnknown(): RejectedKey[]
  listOfWorkspace(workspaceId: string): (RejectedKey & { key: KnownKey })[]
  /** When this process began to count. */
  readonly sinceMs: number
}

export function createRejectedKeys(clock: Clock): RejectedKeys {
  const unknown = new Map<string, RejectedKey>()
  const known = new Map<string, RejectedKey>()
  const sinceMs = clock.now()

  function recent(entries: Map<string, RejectedKey>): RejectedKey[] {
    const oldest = clock.now() - KEPT_MS
    return [...entries.values()].filter(({ lastMs }) => lastMs > oldest).reverse()
  }

  return {
    sinceMs,
    record({ endsWith, key }, { address, userAgent }) {
      const [entries, max] = isKnown(key) ? [known, KNOWN_MAX] : [unknown, UNKNOWN_MAX]
      const name = JSON.stringify([endsWith, key])
      const before = entries.get(name)
      const now = clock.now()
      // Inserted again at the end: the first entry is always the one that was not seen for the longest time.
      entries.delete(name)
      const [oldest] = entries.keys()
      if (entries.size >= max && oldest !== undefined) entries.delete(oldest)
      entries.set(name, {
        endsWith,
        key,
        count: (before?.count ?? 0) + 1,
        firstMs: before?.firstMs ?? now,
        lastMs: now,
        address,
        userAgent: userAgent?.slice(0, USER_AGENT_LENGTH_MAX) ?? null,
      })
    },
    listUnknown: () => recent(unknown),
    listOfWorkspace: (workspaceId) =>
      recent(known).flatMap(({ key, ...entry }) =>
        isKnown(key) && key.workspaceId === workspaceId ? [{ ...entry, key }] : [],
      ),
  }
}

function isKnown(key: KnownKey | UnknownKey): key is KnownKey {
  return 'workspaceId' in key
}
