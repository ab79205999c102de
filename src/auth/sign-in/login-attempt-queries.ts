import { type Clock, timestamp } from '../../base/clock.ts'
import { invariant } from '../../base/invariant.ts'
import type { Queries } from '../../storage/db.ts'

/** The attempts of one subject: an account, an address, a device, or a pair of them. Times in milliseconds. */
export type Attempts = { failures: number; lastFailureAt: number; blockedUntil: number }

/** Locks the row of the subject until the transaction ends, so that concurrent attempts are all counted. */
export async function lockAttempts(tx: Queries, clock: Clock, subject: string): Promise<Attempts> {
  // The upsert locks the row: reading first and then updating could lose concurrent counts.
  const row = await tx
    .insertInto('login_attempts')
    .values({ subject, failures: 0, last_failure_at: timestamp(clock.now()), blocked_until: null })
    .onConflict((conflict) => conflict.column('subject').doUpdateSet({ subject }))
    .returning(['failures', 'last_failure_at', 'blocked_until'])
    .executeTakeFirst()
  invariant(row, 'an upsert must return its row')
  return read(row)
}

export async function findAttempts(q: Queries, subject: string): Promise<Attempts | undefined> {
  const row = await q
    .selectFrom('login_attempts')
    .select(['failures', 'last_failure_at', 'blocked_until'])
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row && read(row)
}

export async function updateAttempts(tx: Queries, subject: string, attempts: Attempts): Promise<void> {
  await tx
    .updateTable('login_attempts')
    .set({
      failures: attempts.failures,
      last_failure_at: timestamp(attempts.lastFailureAt),
      blocked_until: attempts.blockedUntil > 0 ? timestamp(attempts.blockedUntil) : null,
    })
    .where('subject', '=', subject)
    .execute()
}

export async function deleteAttempts(tx: Queries, subjects: readonly string[]): Promise<void> {
  await tx.deleteFrom('login_attempts').where('subject', 'in', subjects).execute()
}

export async function deleteAttemptsBefore(tx: Queries, time: number): Promise<void> {
  await tx.deleteFrom('login_attempts').where('last_failure_at', '<', timestamp(time)).execute()
}

function read(row: { failures: number; last_failure_at: string; blocked_until: string | null }): Attempts {
  return {
    failures: row.failures,
    lastFailureAt: Date.parse(row.last_failure_at),
    blockedUntil: row.blocked_until === null ? 0 : Date.parse(row.blocked_until),
  }
}
