/** Streams the state of a trial as server-sent events: progress whenever it changes, and the end. */
import { setTimeout as delay } from 'node:timers/promises'
import { type Clock, elapsedMs } from '../base/clock.ts'
import { KEEP_ALIVE, RIGHTS_MS_MAX, SILENCE_MS_MAX, serverSentEvent } from '../http/event-stream.ts'
import type { Db } from '../storage/db.ts'
import { describeTrial } from './describe-trial.ts'
import { findTrial, type TrialScope } from './trial-queries.ts'

const POLL_MS = 500
/** If no worker is running to skip the calls of a canceled trial, the end is sent after this time. */
const SETTLING_MS_MAX = 10_000
const RECONNECT = 'The trial has not ended; ask for its events again'

type EventDeps = {
  db: Db
  clock: Clock
  isStillAllowed: () => Promise<boolean>
  /** Whether a client is still connected. */
  isRead: () => boolean
}

export async function* trialEvents(
  { db, clock, isStillAllowed, isRead }: EventDeps,
  of: TrialScope,
): AsyncGenerator<string> {
  let allowedAt = elapsedMs(clock)
  let sent = ''
  let sentAt = elapsedMs(clock)
  let endedAt: number | undefined
  for (;;) {
    const trial = await findTrial(db.read, of)
    if (!trial) return yield serverSentEvent('end', { status: 'failed', endedBy: null, error: 'The trial was deleted' })
    const { status, endedBy, error, progress, variants, cost } = await describeTrial(db.read, trial)
    const counted = variants.map(({ name, done, failed, skipped, reason }) => ({ name, done, failed, skipped, reason }))
    const state = JSON.stringify({ status, progress, variants: counted, spentUsd: cost.spentUsd })
    if (state !== sent || elapsedMs(clock) - allowedAt >= RIGHTS_MS_MAX) {
      // When the client connects again, the response has the reason.
      if (!(await isStillAllowed())) return yield serverSentEvent('reconnect', { summary: RECONNECT })
      allowedAt = elapsedMs(clock)
    }
    if (state !== sent) {
      sent = state
      sentAt = elapsedMs(clock)
      yield serverSentEvent('progress', JSON.parse(state))
    }
    if (status === 'completed' || status === 'failed') {
      endedAt ??= elapsedMs(clock)
      const { total, done, failed, skipped } = progress
      const isSettled = done + failed + skipped >= total
      if (isSettled || elapsedMs(clock) - endedAt > SETTLING_MS_MAX)
        return yield serverSentEvent('end', { status, endedBy, error })
    }
    if (elapsedMs(clock) - sentAt > SILENCE_MS_MAX) {
      sentAt = elapsedMs(clock)
      yield KEEP_ALIVE
    }
    await delay(POLL_MS)
    if (!isRead()) return
  }
}
