import type { CallRow } from '../calls/call-queries.ts'
import { listVariants, type Variant } from '../variant-queries.ts'
import type { Flight } from './call-budget.ts'
import type { Pool } from './pool.ts'
import type { Trialing } from './trialing.ts'

/** A variant whose calls the server can send. */
export type Sending = {
  variant: Variant
  /** The connection or the endpoint: all its calls wait while it is overloaded. */
  pausedBy: string
  /** Sends a call and stores its end, or returns it to the calls that wait. */
  send: (calling: Calling) => Promise<End>
}

export type Calling = { call: CallRow; flight: Flight; pool: Pool; isOver: () => boolean }
export type End = 'ended' | 'broken' | { overBudget: string }

/** Why an attempt without an answer is repeated. */
export const STOPPED = 'The work was stopped before the answer came'

export async function brokenOrEnded({ job, of }: Trialing, number: number): Promise<'broken' | 'ended'> {
  const variants = await listVariants(job.db.read, of)
  const isBroken = variants.some((variant) => variant.number === number && variant.brokenReason !== null)
  return isBroken ? 'broken' : 'ended'
}
