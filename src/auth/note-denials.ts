/** Turns what the HTTP layer denies into events for the log and the audit log. */
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
    if (denied) return events.note({ kind: 'denied', caller: denied, target, reason: error.message }, origin)
    // Without a key there is nothing to report: that is every browser before its owner signs in.
    if (error.status !== 401 || authorization === undefined) return
    const secret = authorization.replace(/^Bearer */i, '')
    const ending = endingOf(secret)
    void findExpired({ db, clock }, secret).then(
      (expired) =>
        events.note(expired ? { kind: 'key-expired', ending, ...expired } : { kind: 'key-rejected', ending }, origin),
      // The database cannot be asked: the log says so already, and of the key at least this is known.
      () => events.note({ kind: 'key-rejected', ending }, origin),
    )
  }
}

/** Enough to find the key in a configuration, and too little to be of use; of a short text not even that. */
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
