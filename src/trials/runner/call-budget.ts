/**
 * The cost limit of a trial. A call is reserved at its maximum before it is sent: in its row, so that a process that is killed leaves the
 * maximum, and in memory, so that concurrent calls see each other. One job sends all calls of a trial.
 */
import { BudgetError } from '../../spending/ledger.ts'
import type { ModelSession } from '../../spending/metered-model.ts'
import { nanosOf } from '../../spending/spending-limit.ts'
import type { Queries } from '../../storage/db.ts'
import { reserveForCall, startCall } from '../calls/call-queries.ts'
import { listVariants, spentOf } from '../variant-queries.ts'
import type { Trialing } from './trialing.ts'

/** Thrown if the call has ended, or was skipped, since it was chosen. */
export class CallNotWanted extends Error {}

/** What the calls in flight may cost, by their numbers. */
export type Flight = Map<number, number>

/** The attempt of one call: its cost so far, and its number once the first request is about to be sent. */
export type Attempt = { number: number; nanoUsd: number; tokens: number; attempt: number | undefined }

/** A session whose requests begin the attempt, and are reserved in its trial. */
export function sessionOfCall(
  trialing: Trialing,
  session: ModelSession,
  { attempt, flight }: { attempt: Attempt; flight: Flight },
): ModelSession {
  const { job } = trialing
  const { number } = attempt
  return {
    ...session,
    budget: {
      async reserve(size) {
        const reserved = await session.budget.reserve(size)
        const most = attempt.nanoUsd + nanosOf(reserved.maxUsd ?? 0)
        try {
          await job.commit((tx) => reserve(tx, trialing, { attempt, flight, most }))
        } catch (error) {
          flight.set(number, attempt.nanoUsd)
          await reserved.release('not sent')
          throw error
        }
        return {
          ...reserved,
          isLimited: true,
          async settle(usage) {
            const cost = await reserved.settle(usage)
            attempt.nanoUsd += nanosOf(cost.usd ?? 0)
            attempt.tokens += cost.tokens
            flight.set(number, attempt.nanoUsd)
            return cost
          },
          async release(outcome) {
            await reserved.release(outcome)
            flight.set(number, attempt.nanoUsd)
          },
        }
      },
    },
  }
}

async function reserve(
  tx: Queries,
  { of, job, trial }: Trialing,
  { attempt, flight, most }: { attempt: Attempt; flight: Flight; most: number },
): Promise<void> {
  const { number } = attempt
  if (trial.maxNanoUsd !== null) {
    const spent = await readSpent(tx, of, flight)
    const others = [...flight].reduce((sum, [other, nanos]) => (other === number ? sum : sum + nanos), 0)
    const limit = Number(trial.maxNanoUsd)
    if (spent + others + most > limit)
      throw new BudgetError(`The cost limit of $${limit / 1e9} (maxCostUsd) leaves no room for another call`)
  }
  // In the same step as the check: of two calls that ask at the same moment, one sees the other, and not each the other.
  flight.set(number, most)
  if (attempt.attempt === undefined) {
    const started = await startCall(tx, job.clock, { ...of, number }, { lease: null, reservedNanoUsd: most })
    if (!started) throw new CallNotWanted()
    attempt.attempt = started.attempt
  } else if (!(await reserveForCall(tx, { ...of, number }, most))) throw new CallNotWanted()
}

/** With what the calls have cost that ended while it was read, and are in flight no more. */
async function readSpent(tx: Queries, of: Trialing['of'], flight: Flight): Promise<number> {
  for (;;) {
    const known = [...flight.keys()]
    const spent = spentOf(await listVariants(tx, of))
    if (known.every((number) => flight.has(number))) return spent
  }
}
