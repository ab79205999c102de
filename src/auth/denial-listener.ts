/** Reports denied requests as security events. */
import { AccessDenied } from '../base/access-denied.ts'
import type { Clock } from '../base/clock.ts'
import type { Denial } from '../http/route.ts'
import type { Db } from '../storage/db.ts'
import { hashSecret, mayBeApiKey } from './api-key-format.ts'
import { findApiKeyOfAnyWorkspace } from './credential-queries.ts'
import type { SecurityEvents } from './security-events.ts'

type Deps = { db: Db; clock: Clock; events: SecurityEvents }

export function createDenialListener({ db, clock, events }: Deps): (denial: Denial) => void {
  return (denial) => {
    const { error, caller, target, authorization, address, requestId } = denial
    const origin = { address, requestId }
    const denied = error instanceof AccessDenied ? error.principal : caller
    if (denied) return events.report({ kind: 'denied', caller: denied, target, reason: error.message }, origin)
    // Requests without a key are not reported: every browser sends them before its user signs in.
    if (error.status !== 401 || authorization === undefined) return
    const secret = authorization.replace(/^Bearer */i, '')
    const ending = endingOf(secret)
    void findExpired({ db, clock }, secret).then(
      (expired) =>
        events.report(expired ? { kind: 'key-expired', ending, ...expired } : { kind: 'key-rejected', ending }, origin),
      // The lookup failed, which is logged elsewhere; the rejected key is still reported.
      () => events.report({ kind: 'key-rejected', ending }, origin),
    )
  }
}

/** Enough to find the key in a configuration, but too little to use it. Nothing of a short key. */
function endingOf(secret: string): string {
  if (secret === '') return '(empty)'
  const printable = secret.replace(/[^\x21-\x7e]/g, '?')
  return printable.length < 16 ? '(too short for a key)' : printable.slice(-4)
}

async function findExpired({ db, clock }: Pick<Deps, 'db' | 'clock'>, secret: string) {
  if (!mayBeApiKey(secret)) return undefined
  const [key] = await findApiKeyOfAnyWorkspace(db.read, { hash: hashSecret(secret) })
  const isExpired = key && key.expires_at !== null && Date.parse(key.expires_at) <= clock.now()
  return isExpired ? { keyId: key.id, workspaceId: key.workspace_id } : undefined
}
