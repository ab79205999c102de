import { deleteOldChanges } from './annotations/annotation-queries.ts'
import { deleteExpiredSessions } from './auth/accounts/session-queries.ts'
import { deleteExpiredInvitationsOfAnyWorkspace } from './auth/members/invitation-queries.ts'
import { deleteExpiredAttempts } from './auth/sign-in/login-throttle.ts'
import { type Clock, timestamp } from './base/clock.ts'
import type { NewId } from './base/ids.ts'
import type { Logger } from './base/log.ts'
import { deleteOldPendingEvents } from './ingestion/pending-events.ts'
import { deleteOldAnswers } from './spending/cached-answer-queries.ts'
import { deleteOldIdempotencyKeys } from './storage/idempotency.ts'
import type { Storage } from './storage/storage.ts'
import { requestClearingOfAnyWorkspace } from './traces/retention/request-clearing.ts'

const INTERVAL_MS = 10 * 60_000

export type HousekeepingDeps = { storage: Storage; clock: Clock; newId: NewId; log: Logger }

/** Deletes expired data every ten minutes, only to free space. Returns a function that stops it. */
export function startHousekeeping({ storage: db, clock, newId, log }: HousekeepingDeps): () => void {
  async function cleanUp(): Promise<void> {
    try {
      await db.transaction((tx) => deleteExpiredSessions(tx, clock))
      await db.transaction((tx) => deleteExpiredInvitationsOfAnyWorkspace(tx, timestamp(clock.now())))
      await deleteOldIdempotencyKeys(db, clock)
      await deleteExpiredAttempts(db, clock)
      await deleteOldAnswers(db, clock)
      await deleteOldPendingEvents(db, clock)
      await deleteOldChanges(db, clock)
      await requestClearingOfAnyWorkspace(db, { clock, newId })
      await db.releaseSpace()
    } catch (error) {
      log.warn({ err: error }, 'housekeeping failed; it will be tried again')
    }
  }
  const timer = setInterval(() => void cleanUp(), INTERVAL_MS)
  timer.unref()
  return () => clearInterval(timer)
}
