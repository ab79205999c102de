import { addressGroup } from '../../base/address-ranges.ts'
import type { Clock } from '../../base/clock.ts'
import { tooManyRequests } from '../../base/errors.ts'
import type { Db } from '../../storage/db.ts'
import { lockAttempts, updateAttempts } from './login-attempt-queries.ts'

/** `max` events at once, then one every `refillMs`. */
export type EventLimit = { max: number; refillMs: number }

/**
 * Counts an event of the subject and returns true, or returns false if there were too many. The counter is in the database, so several
 * servers share it.
 */
export async function allowEvent(
  { db, clock }: { db: Db; clock: Clock },
  subject: string,
  { max, refillMs }: EventLimit,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const attempts = await lockAttempts(tx, clock, subject)
    const now = clock.now()
    const forgotten = Math.floor(Math.max(0, now - attempts.lastFailureAt) / refillMs)
    const failures = Math.max(0, attempts.failures - forgotten)
    // An event that is not allowed is not counted: otherwise constant requests would never be allowed again.
    if (failures >= max) return false
    await updateAttempts(tx, subject, { ...attempts, failures: failures + 1, lastFailureAt: now })
    return true
  })
}

/** For requests without credentials that store a row: 20 of an address at once, then one in 30 seconds. */
const ROWS_PER_ADDRESS: EventLimit = { max: 20, refillMs: 30_000 }

/** Throws 429 if the address has stored too many rows of a kind. */
export async function limitRows(
  deps: { db: Db; clock: Clock },
  kind: 'device-code' | 'sign-up',
  address: string,
): Promise<void> {
  if (await allowEvent(deps, `${kind}:${addressGroup(address)}`, ROWS_PER_ADDRESS)) return
  throw tooManyRequests('Too many requests from your address; try again later', ROWS_PER_ADDRESS.refillMs / 1_000)
}
