import { yieldToEventLoop } from '../../base/event-loop.ts'
import type { Queries } from '../../storage/db.ts'
import { listOpenCalls, skipOpenCalls } from '../calls/call-queries.ts'
import { countCalls, skipUncounted, type Variant } from '../variant-queries.ts'
import type { EndedBy, Trialing } from './trialing.ts'

const CALLS_PER_TRANSACTION = 500

type Chosen = { variant?: number; waiting?: 'only waiting' }

/** Calls that wait for nothing: of a trial or a variant that has ended, or of a variant that is broken. Those that run may end. */
export async function skipUnneeded(
  trialing: Trialing,
  variants: readonly Variant[],
  ended: EndedBy | undefined,
): Promise<void> {
  const waiting = 'only waiting'
  for (const { number, brokenReason, endedBy } of variants) {
    if (brokenReason !== null)
      await skipCalls(trialing, { variant: number, waiting }, { reason: brokenReason, isRetryable: true })
    if (endedBy !== null)
      await skipCalls(trialing, { variant: number, waiting }, { reason: NOT_NEEDED, isRetryable: false })
  }
  if (!ended) return
  const isRetryable = ended.endedBy === 'budget' || ended.endedBy === 'time'
  await skipCalls(trialing, { waiting }, { reason: ended.reason, isRetryable })
}

/** Of calls that no look needs any more. */
export const NOT_NEEDED = 'The variant was decided, or nearly certain to stay undecided, before this call'

/** All calls of a canceled trial that have not ended, also those that were never rows. */
export async function skipCanceled(trialing: Trialing, reason: string): Promise<undefined> {
  const { job, of } = trialing
  await skipCalls(trialing, {}, { reason: `The trial was ${reason}`, isRetryable: true })
  await job.commit((tx) => skipUncounted(tx, of))
}

type Skipped = { reason: string; isRetryable: boolean }

async function skipCalls({ job, of }: Trialing, chosen: Chosen, why: Skipped): Promise<void> {
  const skipSome = async (tx: Queries) => {
    const calls = await listOpenCalls(tx, of, { ...chosen, limit: CALLS_PER_TRANSACTION, lock: 'locked' })
    const skipped = await skipOpenCalls(
      tx,
      of,
      calls.map(({ number }) => number),
      why,
    )
    for (const [number, ofVariant] of Map.groupBy(skipped, ({ variant }) => variant))
      await countCalls(tx, { ...of, number }, { skipped: ofVariant.length })
    return calls.length > 0
  }
  while (!job.signal.aborted && (await job.commit(skipSome))) await yieldToEventLoop()
}
