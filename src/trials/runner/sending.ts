import { AppError } from '../../base/errors.ts'
import { findCallItems } from '../calls/call-item-queries.ts'
import type { CallRow } from '../calls/call-queries.ts'
import { skipCall } from '../calls/end-call.ts'
import { ITEM_DELETED } from '../calls/lease-calls.ts'
import { endingOf } from '../calls/recover-lost.ts'
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

/** The item of a call; undefined if it was deleted, after the call is skipped. */
export async function findItem({ job, deps, trial }: Trialing, variant: Variant, call: CallRow) {
  const { workspaceId, datasetId } = trial
  const item = (await findCallItems(job.db.read, { workspaceId, datasetId }, [call.itemId])).get(call.itemId)
  if (item) return item
  const skipped = { reason: ITEM_DELETED, isRetryable: false }
  await job.commit((tx) => skipCall(tx, deps, endingOf(trial, variant, call), skipped))
  return undefined
}

/** An error that the request itself causes. Others, such as a database that cannot be reached, end the attempt of the job. */
export function rejection(error: unknown): AppError {
  if (error instanceof AppError && error.status < 500) return error
  throw error
}
