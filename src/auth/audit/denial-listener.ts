/** Reports denied requests as security events, and rejected API keys to those who look for them. */
import type { Clock } from '../../base/clock.ts'
import { AccessDenied } from '../../base/errors.ts'
import type { Caller, Principal } from '../../base/principal.ts'
import type { Denial } from '../../http/route.ts'
import type { Db } from '../../storage/db.ts'
import { hashSecret, mayBeApiKey } from '../api-keys/api-key-format.ts'
import { findRevokedKeysOfAnyWorkspace } from '../api-keys/api-key-queries.ts'
import type { KnownKey, RejectedKeys } from '../api-keys/rejected-keys.ts'
import { secretIn } from '../authenticate.ts'
import { findApiKeyOfAnyWorkspace } from '../credential-queries.ts'
import type { SecurityEvents } from './security-events.ts'

type Deps = { db: Db; clock: Clock; events: SecurityEvents; rejectedKeys: RejectedKeys }

export function createDenialListener({ db, clock, events, rejectedKeys }: Deps): (denial: Denial) => void {
  return (denial) => {
    const { error, caller, target, authorization, address, requestId } = denial
    const origin = { address, requestId }
    const denied = error instanceof AccessDenied ? error.principal : caller
    if (denied) {
      const lacking = error instanceof AccessDenied ? error.lacking : 'role'
      const key = error.status === 403 && keyThatLacks(lacking, denied)
      if (key) rejectedKeys.record({ endsWith: endOf(secretIn(authorization ?? '')), key }, denial)
      return events.report({ kind: 'denied', caller: denied, target, reason: error.message }, origin)
    }
    // Requests without a key are not reported: every browser sends them before its user signs in.
    if (error.status !== 401 || authorization === undefined) return
    const secret = secretIn(authorization)
    const endsWith = endOf(secret)
    const ending = endsWith ?? (secret === '' ? '(empty)' : '(too short for a key)')
    if (endsWith === null || !mayBeApiKey(secret)) {
      rejectedKeys.record({ endsWith, key: { reason: 'malformed' } }, denial)
      return events.report({ kind: 'key-rejected', ending }, origin)
    }
    void findKnownKeys({ db, clock }, secret).then(
      ({ keys, expiredId }) => {
        const [first] = keys
        for (const key of keys) rejectedKeys.record({ endsWith, key }, denial)
        if (!first) rejectedKeys.record({ endsWith, key: { reason: 'unknown' } }, denial)
        const isExpired = first && expiredId !== undefined
        const expired = isExpired ? { keyId: expiredId, workspaceId: first.workspaceId } : undefined
        events.report(expired ? { kind: 'key-expired', ending, ...expired } : { kind: 'key-rejected', ending }, origin)
      },
      // The lookup failed, which is logged elsewhere; the rejected key is still reported.
      () => events.report({ kind: 'key-rejected', ending }, origin),
    )
  }
}

/** Enough to find the key in a configuration, but too little to use it. Nothing of a short key. */
function endOf(secret: string): string | null {
  const printable = secret.replace(/[^\x21-\x7e]/g, '?')
  return printable.length < 16 ? null : printable.slice(-4)
}

const NOT_REVOKED = { keyName: null, revokedBy: null, revokedAt: null }

function keyThatLacks(reason: AccessDenied['lacking'], denied: Caller | Principal): KnownKey | undefined {
  if (denied.kind !== 'api-key' || !('workspaceId' in denied)) return undefined
  const { workspaceId, userId: createdBy, credentialId: keyId } = denied
  return { reason, workspaceId, createdBy, keyId, ...NOT_REVOKED }
}

/** The issued keys with this secret: one that has expired, or those that were revoked. A chosen key may have been in several workspaces. */
async function findKnownKeys(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  secret: string,
): Promise<{ keys: KnownKey[]; expiredId?: string }> {
  const hash = hashSecret(secret)
  const [key] = await findApiKeyOfAnyWorkspace(db.read, { hash })
  if (key) {
    // It may also have been created, or its creator may have been enabled, since it was rejected.
    if (key.expires_at === null || Date.parse(key.expires_at) > clock.now()) return { keys: [] }
    const { id: keyId, workspace_id: workspaceId, created_by: createdBy } = key
    return { keys: [{ reason: 'expired', workspaceId, createdBy, keyId, ...NOT_REVOKED }], expiredId: keyId }
  }
  const revoked = await findRevokedKeysOfAnyWorkspace(db.read, hash)
  return { keys: revoked.map((found) => ({ reason: 'revoked' as const, keyId: null, ...found })) }
}
