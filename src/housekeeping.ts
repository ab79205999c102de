import { deleteExpiredSessions } from './auth/accounts.ts'
import { deleteQuietAttempts } from './auth/login-throttle.ts'
import type { Clock } from './base/clock.ts'
import type { Logger } from './base/log.ts'
import type { Db } from './storage/db.ts'
import { deleteOldIdempotencyKeys } from './storage/idempotency.ts'

const EVERY_MS = 10 * 60_000

/** Removes what has run out, every ten minutes. Nothing depends on it but space. Answers how to stop it. */
export function startHousekeeping(db: Db, clock: Clock, log: Logger): () => void {
  async function tidy(): Promise<void> {
    try {
      await db.transaction((tx) => deleteExpiredSessions(tx, clock))
      await db.transaction((tx) => deleteOldIdempotencyKeys(tx, clock))
      await deleteQuietAttempts(db, clock)
    } catch (error) {
      log.warn({ err: error }, 'housekeeping failed; it will be tried again')
    }
  }
  const timer = setInterval(() => void tidy(), EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}
