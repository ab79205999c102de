import { findNames } from '../agreement/agreement-queries.ts'
import { listApiKeys } from '../auth/api-keys/api-key-queries.ts'
import { keysVisibleTo } from '../auth/api-keys/create-api-key.ts'
import type { RejectedKey, RejectedKeys } from '../auth/api-keys/rejected-keys.ts'
import { isAdminOfEveryWorkspace } from '../auth/installation-queries.ts'
import { timestamp } from '../base/clock.ts'
import { isAtLeast, type Principal } from '../base/principal.ts'
import { findExampleData } from '../example-data/example-data-queries.ts'
import type { Queries } from '../storage/db.ts'
import { findArrivedTrace } from './onboarding-queries.ts'

const KEYS_MAX = 100
const REJECTED_MAX = 20

export type OnboardingDeps = {
  rejectedKeys: RejectedKeys
  publicUrl: string
  /** Undefined if spans are not received over gRPC. */
  grpcUrl: () => string | undefined
}

/** Everything that the page of a new application shows while it waits for the first trace. */
export async function readOnboarding(q: Queries, { rejectedKeys, publicUrl, grpcUrl }: OnboardingDeps, by: Principal) {
  const { workspaceId } = by
  const { rows: keys } = await listApiKeys(q, workspaceId, { limit: KEYS_MAX, offset: 0 }, keysVisibleTo(by))
  const includesUnknown = isAtLeast(by.role, 'admin') && (await isAdminOfEveryWorkspace(q, by.userId))
  const rejected = listRejected(rejectedKeys, by, includesUnknown)
  const shown = rejected.slice(0, REJECTED_MAX)
  const revokers = shown.flatMap(({ key }) => ('revokedBy' in key && key.revokedBy !== null ? [key.revokedBy] : []))
  const names = await findNames(q, [...new Set(revokers)])
  return {
    endpoints: { http: `${publicUrl}/v1/traces`, grpc: grpcUrl() ?? null },
    firstTrace: (await findArrivedTrace(q, workspaceId, 'first')) ?? null,
    newestTrace: (await findArrivedTrace(q, workspaceId, 'newest')) ?? null,
    keys,
    rejectedKeys: {
      since: timestamp(rejectedKeys.sinceMs),
      includesUnknown,
      total: rejected.length,
      data: shown.map((entry) => toResource(entry, keys, names)),
    },
    exampleDataLoaded: (await findExampleData(q, workspaceId))?.isComponentActive ?? false,
  }
}

/**
 * Keys of this application, as far as the caller may see them: admins all, others their own. Keys that belong to none could be of any
 * application, so only a caller who administers all of them sees those.
 */
function listRejected(rejectedKeys: RejectedKeys, by: Principal, includesUnknown: boolean): RejectedKey[] {
  const creator = keysVisibleTo(by)
  const own = rejectedKeys
    .listOfWorkspace(by.workspaceId)
    .filter(({ key }) => creator === undefined || key.createdBy === creator)
  const unknown = includesUnknown ? rejectedKeys.listUnknown() : []
  return [...own, ...unknown].sort((a, b) => b.lastMs - a.lastMs)
}

function toResource(
  { endsWith, key, count, firstMs, lastMs, address, userAgent }: RejectedKey,
  keys: readonly { id: string; name: string }[],
  names: ReadonlyMap<string, string>,
) {
  const times = { firstAt: timestamp(firstMs), lastAt: timestamp(lastMs) }
  const request = { endsWith, count, ...times, address, userAgent }
  if (!('workspaceId' in key)) {
    return { reason: key.reason, ...request, keyName: null, revokedBy: null, revokedByName: null, revokedAt: null }
  }
  const { reason, keyId, revokedBy, revokedAt } = key
  const keyName = key.keyName ?? keys.find(({ id }) => id === keyId)?.name ?? null
  const revokedByName = revokedBy === null ? null : (names.get(revokedBy) ?? null)
  return { reason, ...request, keyName, revokedBy, revokedByName, revokedAt }
}
