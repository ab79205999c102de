import type { Queries } from '../../storage/db.ts'
import { type CallRow, listOpenCalls } from '../calls/call-queries.ts'
import { skipCall } from '../calls/end-call.ts'
import { endingOf } from '../calls/recover-lost.ts'
import { listVariants, skipUncounted, type Variant } from '../variant-queries.ts'
import type { EndedBy, Trialing } from './trialing.ts'

const CALLS_PER_TRANSACTION = 100

type Chosen = { variant?: number; waiting?: 'only waiting' }

/** Calls that wait for nothing: of a trial that has ended, or of a variant that is broken. Those that run may end. */
export async function skipUnneeded(
  trialing: Trialing,
  variants: readonly Variant[],
  ended: EndedBy | undefined,
): Promise<void> {
  if (ended) {
    await skipCalls(trialing, variants, { waiting: 'only waiting' }, ended.reason)
    return
  }
  for (const { number, brokenReason } of variants)
    if (brokenReason !== null)
      await skipCalls(trialing, variants, { variant: number, waiting: 'only waiting' }, brokenReason)
}

/** All calls of a canceled trial that have not ended, also those that were never rows. */
export async function skipCanceled({ job, of, ...trialing }: Trialing, reason: string): Promise<undefined> {
  const variants = await listVariants(job.db.read, of)
  await skipCalls({ job, of, ...trialing }, variants, {}, `The trial was ${reason}`)
  await job.commit((tx) => skipUncounted(tx, of))
}

async function skipCalls(
  { job, of, deps, trial }: Trialing,
  variants: readonly Variant[],
  chosen: Chosen,
  reason: string,
): Promise<void> {
  const skipSome = async (tx: Queries) => {
    const calls = await listOpenCalls(tx, of, { ...chosen, limit: CALLS_PER_TRANSACTION, lock: 'locked' })
    for (const call of calls) await skipOne(tx, call)
    return calls.length > 0
  }
  const skipOne = async (tx: Queries, call: CallRow) => {
    const variant = variants.find(({ number }) => number === call.variant)
    if (variant) await skipCall(tx, deps, endingOf(trial, variant, call), { reason, isRetryable: true })
  }
  while (!job.signal.aborted && (await job.commit(skipSome)));
}
