/**
 * Makes the calls of a retry wait again, and removes their failures from the runs, in chunks. Safe to run twice: a call that waits is not
 * found again, and the last chunk begins the calls.
 */
import { timestamp } from '../../base/clock.ts'
import { unlink } from '../../runs/unlink-moved-traces.ts'
import type { Queries } from '../../storage/db.ts'
import { type CallRow, listRetryableCalls, requeueCall } from '../calls/call-queries.ts'
import { traceIdOf } from '../calls/end-call.ts'
import { endingOf } from '../calls/recover-lost.ts'
import { lockTrial, updateTrial } from '../trial-queries.ts'
import { countCalls, forgetEvaluation, listVariants, mendVariants, type Variant } from '../variant-queries.ts'
import type { Trialing } from './trialing.ts'

const CALLS_PER_TRANSACTION = 100
const MINUTE_MS = 60_000

export async function requeueCalls(trialing: Trialing): Promise<void> {
  const { job, of, plan } = trialing
  for (let after: number | undefined = 0; after !== undefined && !job.signal.aborted; ) {
    const last: number = after
    after = await job.commit(async (tx) => {
      const locked = await lockTrial(tx, of)
      if (locked?.phase !== 'requeuing') return undefined
      const variants = await listVariants(tx, of)
      const broken = variants.filter(({ brokenReason }) => brokenReason !== null).map(({ number }) => number)
      const calls = await listRetryableCalls(tx, of, { after: last, limit: CALLS_PER_TRANSACTION, broken })
      for (const variant of variants)
        await requeueOf(
          tx,
          trialing,
          variant,
          calls.filter((call) => call.variant === variant.number),
        )
      if (calls.length === CALLS_PER_TRANSACTION) return calls.at(-1)?.number
      await mendVariants(tx, of)
      const now = job.clock.now()
      const endsAt = timestamp(now + plan.maxMinutes * MINUTE_MS)
      await updateTrial(tx, of, { phase: 'calling', ends_at: endsAt, now: timestamp(now) })
      return undefined
    })
  }
}

async function requeueOf(
  tx: Queries,
  { of, trial }: Trialing,
  variant: Variant,
  calls: readonly CallRow[],
): Promise<void> {
  if (calls.length === 0) return
  const failed = calls.filter(({ state }) => state === 'failed')
  const traceIds = failed.map((call) => traceIdOf(endingOf(trial, variant, call)))
  const { componentId, datasetId } = trial
  const departure = { componentId, datasetId, runId: variant.runId, itemIds: [], traceIds }
  if (traceIds.length > 0) await unlink(tx, of.workspaceId, departure)
  for (const { number } of calls) await requeueCall(tx, { ...of, number })
  await countCalls(
    tx,
    { ...of, number: variant.number },
    { failed: -failed.length, skipped: failed.length - calls.length },
  )
  await forgetEvaluation(tx, of, variant)
}
