import { yieldToEventLoop } from '../../base/event-loop.ts'
import type { Queries } from '../../storage/db.ts'
import { listOpenCalls, skipOpenCalls } from '../calls/call-queries.ts'
import { countCalls, skipUncounted, type Variant } from '../variant-queries.ts'
import type { EndedBy, Trialing } from './trialing.ts'

const CALLS_PER_TRANSACTION = 500

type Chosen = { variant?: number; waiting?: 'only waiting' }

/** Calls that wait for nothing: of a trial that has ended, or of a variant that is broken. Those that run may end. */
export async function skipUnneeded(
  trialing: Trialing,
  variants: readonly Variant[],
  ended: EndedBy | undefined,
): Promise<void> {
  if (ended) {
    await skipCalls(trialing, { waiting: 'only waiting' }, ended.reason)
    return
  }
  for (const { number, brokenReason } of variants)
    if (brokenReason !== null) await skipCalls(trialing, { variant: number, waiting: 'only waiting' }, brokenReason)
}

/** All calls of a canceled trial that have not ended, also those that were never rows. */
export async function skipCanceled(trialing: Trialing, reason: string): Promise<undefined> {
  const { job, of } = trialing
  await skipCalls(trialing, {}, `The trial was ${reason}`)
  await job.commit((tx) => skipUncounted(tx, of))
}

async function skipCalls({ job, of }: Trialing, chosen: Chosen, reason: string): Promise<void> {
  const skipSome = async (tx: Queries) => {
    const calls = await listOpenCalls(tx, of, { ...chosen, limit: CALLS_PER_TRANSACTION, lock: 'locked' })
    const skipped = await skipOpenCalls(
      tx,
      of,
      calls.map(({ number }) => number),
      reason,
    )
    for (const [number, ofVariant] of Map.groupBy(skipped, ({ variant }) => variant))
      await countCalls(tx, { ...of, number }, { skipped: ofVariant.length })
    return calls.length > 0
  }
  while (!job.signal.aborted && (await job.commit(skipSome))) await yieldToEventLoop()
}
