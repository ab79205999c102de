/**
 * Limits password guessing without letting attackers lock out a user. Counters are in the database, so that they survive restarts and
 * several servers share them.
 *
 * - A known device (see `device-cookie.ts`) has its own counter for each account: five free failures, then each one doubles
 *   the wait, from one second to 15 minutes. Other devices cannot use it up.
 * - Any other device has three free attempts per account and address a day.
 * - After these, the attempts on an account run one after another, with a pause that grows to five seconds. They are delayed, not
 *   denied: the correct password still works. Addresses take turns, so that a flood from one does not block another.
 * - An address with many failures (20, decreasing by one every three seconds) on any accounts is limited to one attempt a second.
 *
 * So unknown devices can try at most 3 × addresses + 17,280 passwords a day on one account. Unknown accounts are counted like any other.
 */
import { addressGroup } from '../../base/address-ranges.ts'
import type { Clock } from '../../base/clock.ts'
import { tooManyRequests } from '../../base/errors.ts'
import type { Db, Queries } from '../../storage/db.ts'
import { createFairQueue, type FairQueue, type QueueEntry } from './fair-queue.ts'
import {
  deleteAttempts,
  deleteAttemptsBefore,
  findAttempts,
  lockAttempts,
  updateAttempts,
} from './login-attempt-queries.ts'

/** `device` is the id of a device on which this account has signed in before. */
type Attempt = { email: string; address: string; device: string | undefined }

/**
 * The result of a check. `right` resets the failures; `neither` changes nothing. `waitSeconds` is the delay of the next attempt after too
 * many failures.
 */
export type CheckResult<Value> = { outcome: 'right' | 'wrong' | 'neither'; value: Value }
type ThrottledResult<Value> = CheckResult<Value> & { waitSeconds: number }

export type Throttle = {
  /** Checks a password when its turn comes, and counts a wrong one. */
  tryPassword<Value>(attempt: Attempt, check: () => Promise<CheckResult<Value>>): Promise<ThrottledResult<Value>>
  /** The same for checks that only the owner of `subject` can request, such as the current password of a session. */
  tryAsOwner<Value>(subject: string, check: () => Promise<CheckResult<Value>>): Promise<ThrottledResult<Value>>
  /** Counts an expensive request that needs no credentials; beyond 20 a minute, an address is limited to one a second. */
  countRequest(kind: 'password-reset' | 'oidc', address: string): Promise<void>
}

export type ThrottleDeps = { db: Db; clock: Clock; sleep: (ms: number) => Promise<unknown>; random: () => number }

const EXPIRY_MS = 24 * 60 * 60 * 1_000
const OWN_FREE = 5
const OWN_WAIT_MAX_MS = 15 * 60 * 1_000
const PAIR_FREE = 3
const ACCOUNT_PAUSE_MAX_MS = 5_000
const ADDRESS_BURST = 20
const ADDRESS_DRAIN_MS = 3_000
const ADDRESS_PAUSE_MS = 1_000
/** An attempt may wait for the pauses of all others, and proxies time out after a minute. */
const QUEUED_MAX = 10
/** Each password hash needs 19 MiB and a thread. */
const HASH_CONCURRENCY = 2
const QUEUED_HASHES_MAX = 40

export function createThrottle({ db, clock, sleep, random }: ThrottleDeps): Throttle {
  const queues = new Map<string, { queue: FairQueue; users: number }>()
  const hashes = createFairQueue({ concurrency: HASH_CONCURRENCY, queuedMax: QUEUED_HASHES_MAX, random })

  /** Runs the work of a subject one after another; removes the queue with its last user. */
  async function runSerially<Result>(subject: string, entry: QueueEntry, work: () => Promise<Result>): Promise<Result> {
    const known = queues.get(subject) ?? {
      queue: createFairQueue({ concurrency: 1, queuedMax: QUEUED_MAX, random }),
      users: 0,
    }
    queues.set(subject, known)
    known.users += 1
    try {
      return await known.queue(entry, work)
    } finally {
      known.users -= 1
      if (known.users === 0) queues.delete(subject)
    }
  }

  /** Waits for the next free slot of the subject. The slot is reserved before the attempt, regardless of its result. */
  async function waitForSlot(
    subject: string,
    entry: QueueEntry,
    pauseMs: (failures: number) => number,
  ): Promise<number> {
    return runSerially(subject, entry, async () => {
      const { waitMs, pause } = await db.transaction(async (tx) => {
        const attempts = await lockAttempts(tx, clock, subject)
        const now = clock.now()
        const begin = Math.max(now, attempts.blockedUntil)
        const pause = pauseMs(recent(attempts.failures, now - attempts.lastFailureAt))
        await updateAttempts(tx, subject, { ...attempts, blockedUntil: begin + pause })
        return { waitMs: begin - now, pause }
      })
      if (waitMs > 0) await sleep(waitMs)
      return pause
    })
  }

  /** Groups take turns within the address, so that attempts on one account do not block the others. */
  async function slowDownAddress(subject: string, group: string): Promise<void> {
    const attempts = await findAttempts(db.read, subject)
    if (!attempts || drained(attempts.failures, clock.now() - attempts.lastFailureAt) < ADDRESS_BURST) return
    await waitForSlot(`${subject} slots`, { group, device: 'unknown' }, () => ADDRESS_PAUSE_MS)
  }

  /** Adds one failure to what `left` returns of the earlier ones. Returns the new number. */
  async function count(subject: string, left: (failures: number, elapsedMs: number) => number): Promise<number> {
    return db.transaction(async (tx) => {
      const attempts = await lockAttempts(tx, clock, subject)
      const now = clock.now()
      const failures = left(attempts.failures, Math.max(0, now - attempts.lastFailureAt)) + 1
      await updateAttempts(tx, subject, { ...attempts, failures, lastFailureAt: now })
      return failures
    })
  }

  async function tryFromUnknownDevice<Value>(
    { email, address }: Attempt,
    check: () => Promise<CheckResult<Value>>,
  ): Promise<ThrottledResult<Value>> {
    const group = addressGroup(address)
    const subjects = { account: `account:${email}`, pair: `pair:${email} ${group}`, address: `address:${group}` }
    await slowDownAddress(subjects.address, email)
    // Counted before the check, so that concurrent attempts do not get more free ones.
    const isFree = (await count(subjects.pair, recent)) <= PAIR_FREE
    const entry: QueueEntry = { group, device: 'unknown' }
    const pause = isFree ? 0 : await waitForSlot(subjects.account, entry, accountPause)
    const checked = await hashes(entry, check)
    if (checked.outcome === 'right') {
      // The address keeps its failures: otherwise one known password would allow unlimited guesses at others.
      await db.transaction((tx) => deleteAttempts(tx, [subjects.account, subjects.pair]))
      return { ...checked, waitSeconds: 0 }
    }
    if (checked.outcome === 'neither') return { ...checked, waitSeconds: 0 }
    await count(subjects.account, recent)
    await count(subjects.address, drained)
    return { ...checked, waitSeconds: Math.ceil(pause / 1_000) }
  }

  async function tryAsOwner<Value>(
    subject: string,
    check: () => Promise<CheckResult<Value>>,
  ): Promise<ThrottledResult<Value>> {
    const entry: QueueEntry = { group: subject, device: 'known' }
    return runSerially(subject, entry, async () => {
      const waitMs = ((await findAttempts(db.read, subject))?.blockedUntil ?? 0) - clock.now()
      if (waitMs > 0) throw tooManyRequests(TOO_MANY, Math.ceil(waitMs / 1_000))
      const checked = await hashes(entry, check)
      if (checked.outcome === 'right') {
        await db.transaction((tx) => deleteAttempts(tx, [subject]))
        return { ...checked, waitSeconds: 0 }
      }
      if (checked.outcome === 'neither') return { ...checked, waitSeconds: 0 }
      const ownWait = ownWaitMs(await count(subject, recent))
      await db.transaction(async (tx) => {
        const attempts = await lockAttempts(tx, clock, subject)
        await updateAttempts(tx, subject, { ...attempts, blockedUntil: clock.now() + ownWait })
      })
      return { ...checked, waitSeconds: Math.ceil(ownWait / 1_000) }
    })
  }

  return {
    tryPassword: (attempt, check) => {
      const email = attempt.email.toLowerCase()
      if (attempt.device !== undefined) return tryAsOwner(`device:${attempt.device} ${email}`, check)
      return tryFromUnknownDevice({ ...attempt, email }, check)
    },
    tryAsOwner,
    async countRequest(kind, address) {
      const subject = `${kind}:${addressGroup(address)}`
      await slowDownAddress(subject, kind)
      await count(subject, drained)
    },
  }
}

const TOO_MANY = 'Too many attempts; wait before you try again'

/** After a password reset, earlier failures must not delay the user. */
export async function resetAttempts(tx: Queries, email: string): Promise<void> {
  await deleteAttempts(tx, [`account:${email.toLowerCase()}`])
}

/** For housekeeping: deletes counters without failures in the last day. */
export async function deleteExpiredAttempts(db: Db, clock: Clock): Promise<void> {
  await db.transaction((tx) => deleteAttemptsBefore(tx, clock.now() - EXPIRY_MS))
}

/** All failures expire together, a day after the last one. */
function recent(failures: number, elapsedMs: number): number {
  return elapsedMs > EXPIRY_MS ? 0 : failures
}

function drained(failures: number, elapsedMs: number): number {
  return Math.max(0, failures - Math.floor(elapsedMs / ADDRESS_DRAIN_MS))
}

function accountPause(failures: number): number {
  return Math.min(1_000 * 2 ** Math.max(0, failures - PAIR_FREE), ACCOUNT_PAUSE_MAX_MS)
}

function ownWaitMs(failures: number): number {
  return failures < OWN_FREE ? 0 : Math.min(1_000 * 2 ** (failures - OWN_FREE), OWN_WAIT_MAX_MS)
}
