/**
 * Slows down guessing of passwords. Counters are kept in the database, so that neither a restart nor a second server
 * forgives anything; nothing is ever locked for good, because then anybody could lock anybody out.
 *
 * An account may fail five times; after that each failure doubles the wait, from one second to a quarter of an hour.
 * An address has room for 20 failures, which drains by one every three seconds: 20 a minute, whoever they are aimed at.
 */
import { type Clock, timestamp } from '../base/clock.ts'
import { tooManyRequests } from '../base/errors.ts'
import { invariant } from '../base/invariant.ts'
import type { Db, Queries } from '../storage/db.ts'

/** Who tries: the account named, if the request names one, and where it comes from. */
export type Attempt = { email?: string; address: string }

/** Throws 429 with `Retry-After` while the account or the address has to wait. Unknown accounts wait alike. */
export async function assertMayTry(db: Db, clock: Clock, attempt: Attempt): Promise<void> {
  await assertFree(db.read, clock, subjectsOf(attempt))
}

/** Concurrent failures are all counted: each waits for the row of the other. */
export async function recordFailure(db: Db, clock: Clock, attempt: Attempt): Promise<void> {
  await db.transaction(async (tx) => {
    for (const subject of subjectsOf(attempt)) await count(tx, clock, subject)
  })
}

/** Forgets the account's failures. The address keeps its own: else one known password would buy endless guesses. */
export async function recordSuccess(db: Db, email: string): Promise<void> {
  await db.transaction((tx) => tx.deleteFrom('login_attempts').where('subject', '=', accountSubject(email)).execute())
}

/** Device codes are handed out to anybody who asks, each for a row: at most 20 a minute to one address. */
export async function countDeviceCode(db: Db, clock: Clock, address: string): Promise<void> {
  const subject = { name: `device:${address}`, rule: addressRule }
  await assertFree(db.read, clock, [subject])
  await db.transaction((tx) => count(tx, clock, subject))
}

/** For the housekeeper: counters that have been quiet for a day mean nothing any more. */
export async function deleteQuietAttempts(db: Db, clock: Clock): Promise<void> {
  const dayAgo = timestamp(clock.now() - QUIET_MS)
  await db.transaction((tx) => tx.deleteFrom('login_attempts').where('last_failure_at', '<', dayAgo).execute())
}

/**
 * Lets the attempts on one account happen one after another. Each then knows what came of the one before: without it, as
 * many guesses as can be hashed at once would pass before the first of them is counted.
 */
export function createTurns(): <Result>(key: string, work: () => Promise<Result>) => Promise<Result> {
  const queues = new Map<string, { length: number; last: Promise<unknown> }>()
  return async (key, work) => {
    const queue = queues.get(key) ?? { length: 0, last: Promise.resolve() }
    if (queue.length >= TURNS_MAX) throw tooManyRequests('Too many attempts; wait before you try again', 1)
    queues.set(key, queue)
    queue.length += 1
    // Whatever came of the attempt before, its own caller hears of it; here it only has to be over.
    const turn = queue.last.then(work, work)
    queue.last = turn
    try {
      return await turn
    } finally {
      queue.length -= 1
      if (queue.length === 0) queues.delete(key)
    }
  }
}

const TURNS_MAX = 20
const QUIET_MS = 24 * 60 * 60 * 1_000
const ACCOUNT_FREE = 5
const ACCOUNT_WAIT_MAX_MS = 15 * 60 * 1_000
const ADDRESS_ROOM = 20
const ADDRESS_DRAIN_MS = 3_000

/** What a further failure makes of the earlier ones, `elapsedMs` after the last of them. */
type Rule = (earlier: number, elapsedMs: number) => { failures: number; waitMs: number }

type Subject = { name: string; rule: Rule }

const accountRule: Rule = (earlier, elapsedMs) => {
  const failures = (elapsedMs > QUIET_MS ? 0 : earlier) + 1
  if (failures < ACCOUNT_FREE) return { failures, waitMs: 0 }
  return { failures, waitMs: Math.min(1_000 * 2 ** (failures - ACCOUNT_FREE), ACCOUNT_WAIT_MAX_MS) }
}

const addressRule: Rule = (earlier, elapsedMs) => {
  const failures = Math.max(0, earlier - Math.floor(elapsedMs / ADDRESS_DRAIN_MS)) + 1
  return { failures, waitMs: failures < ADDRESS_ROOM ? 0 : ADDRESS_DRAIN_MS }
}

function subjectsOf({ email, address }: Attempt): Subject[] {
  const byAddress = { name: `address:${address}`, rule: addressRule }
  return email === undefined ? [byAddress] : [{ name: accountSubject(email), rule: accountRule }, byAddress]
}

function accountSubject(email: string): string {
  return `account:${email.toLowerCase()}`
}

async function assertFree(queries: Queries, clock: Clock, subjects: Subject[]): Promise<void> {
  const names = subjects.map(({ name }) => name)
  const rows = await queries
    .selectFrom('login_attempts')
    .select('blocked_until')
    .where('subject', 'in', names)
    .where('blocked_until', 'is not', null)
    .execute()
  const until = Math.max(0, ...rows.map((row) => Date.parse(row.blocked_until ?? '')))
  const waitMs = until - clock.now()
  if (waitMs > 0) throw tooManyRequests('Too many attempts; wait before you try again', Math.ceil(waitMs / 1_000))
}

async function count(tx: Queries, clock: Clock, { name, rule }: Subject): Promise<void> {
  const now = clock.now()
  // Writing first takes the row's lock: a reader who then updates could lose what another has counted in between.
  const earlier = await tx
    .insertInto('login_attempts')
    .values({ subject: name, failures: 0, last_failure_at: timestamp(now), blocked_until: null })
    .onConflict((conflict) => conflict.column('subject').doUpdateSet({ subject: name }))
    .returning(['failures', 'last_failure_at'])
    .executeTakeFirst()
  invariant(earlier, 'an upsert must return its row')
  const { failures, waitMs } = rule(earlier.failures, Math.max(0, now - Date.parse(earlier.last_failure_at)))
  await tx
    .updateTable('login_attempts')
    .set({
      failures,
      last_failure_at: timestamp(now),
      blocked_until: waitMs > 0 ? timestamp(now + waitMs) : null,
    })
    .where('subject', '=', name)
    .execute()
}
