/**
 * Inserts the rows of all calls before the first one begins. The items were fixed when the trial was created, so that the row of a call
 * follows from its number. Each chunk is one transaction that also counts the rows: after a crash, the next worker continues there.
 */
import { timestamp } from '../../base/clock.ts'
import { yieldToEventLoop } from '../../base/event-loop.ts'
import type { JobRun } from '../../jobs/job-handler.ts'
import { insertCalls } from '../calls/call-queries.ts'
import type { Plan } from '../read-plan.ts'
import { findPlannedItems, lockTrial, type TrialScope, updateTrial } from '../trial-queries.ts'

/** Requests wait for a commit, so it is limited to about the duration of one request. */
const CALLS_PER_CHUNK = 500
const MINUTE_MS = 60_000

/** Returns false if the trial has ended, or was deleted. */
export async function planCalls(job: JobRun, of: TrialScope, plan: Plan, variants: number): Promise<boolean> {
  const items = await findPlannedItems(job.db.read, of)
  const perItem = variants * plan.repetitions
  while (!job.signal.aborted) {
    const phase = await job.commit(
      async (tx) => {
        const trial = await lockTrial(tx, of)
        if (trial?.status !== 'pending') return 'ended'
        const now = job.clock.now()
        const { callsPlanned: from, callsTotal } = trial
        const to = Math.min(from + CALLS_PER_CHUNK, callsTotal)
        await insertCalls(tx, of, rowsBetween({ from, to, perItem, repetitions: plan.repetitions }, items))
        if (to < callsTotal) {
          await updateTrial(tx, of, { calls_planned: to, now: timestamp(now) })
          return 'planning'
        }
        await updateTrial(tx, of, {
          calls_planned: to,
          item_ids: null,
          status: 'running',
          phase: 'calling',
          started_at: timestamp(now),
          ends_at: timestamp(now + plan.maxMinutes * MINUTE_MS),
          now: timestamp(now),
        })
        return 'calling'
      },
      { resetAttempts: true },
    )
    if (phase === 'calling') return true
    if (phase === 'ended') return false
    await yieldToEventLoop()
  }
  return false
}

type Range = { from: number; to: number; perItem: number; repetitions: number }

/** Numbers begin at 1: all variants of the first item with all repetitions, then the second item. */
function rowsBetween({ from, to, perItem, repetitions }: Range, items: readonly string[]) {
  return Array.from({ length: to - from }, (_, place) => {
    const index = from + place
    const ofItem = index % perItem
    return {
      number: index + 1,
      itemId: items[Math.floor(index / perItem)] ?? '',
      variant: Math.floor(ofItem / repetitions) + 1,
      repetition: (ofItem % repetitions) + 1,
    }
  })
}
