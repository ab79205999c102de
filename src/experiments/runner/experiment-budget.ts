/**
 * The cost limit of an experiment. Each request is reserved at its maximum before it is sent: in the row of its call, so that a process that
 * is killed leaves the maximum, and in memory, so that concurrent calls see each other.
 */
import { BudgetError } from '../../spending/ledger.ts'
import type { ModelSession } from '../../spending/metered-model.ts'
import { dollarsOf, nanosOf } from '../../spending/spending-limit.ts'
import { CallNotWanted } from '../../trials/runner/call-budget.ts'
import { type CallValue, reserveForExperimentCall } from '../calls/experiment-call-queries.ts'
import { type ExperimentPlan, testAnswers } from '../experiment-plan.ts'
import { lockExperiment, raiseCallMax } from '../experiment-queries.ts'
import type { Sending } from './searching.ts'

/** One attempt at a call: what its requests have used, and why the last one was not sent. */
export type Attempt = {
  number: number
  attempt: number
  nanoUsd: number
  tokens: number
  overBudget: string | undefined
}

/** The next attempt at a call. A preview has no calls. */
export function newAttempt(
  { number, attempt }: { number: number; attempt: number } = { number: 0, attempt: 0 },
): Attempt {
  return { number, attempt: attempt + 1, nanoUsd: 0, tokens: 0, overBudget: undefined }
}

export function sessionOfAttempt(sending: Sending, session: ModelSession, attempt: Attempt): ModelSession {
  const { flight } = sending
  const { number, attempt: begun } = attempt
  return {
    ...session,
    budget: {
      async reserve(size) {
        try {
          const reserved = await session.budget.reserve(size)
          const most = attempt.nanoUsd + nanosOf(reserved.maxUsd ?? 0)
          try {
            await reserve(sending, { number, attempt: begun, most, added: most - attempt.nanoUsd })
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
        } catch (error) {
          if (error instanceof BudgetError) attempt.overBudget = error.message
          throw error
        }
      },
    },
  }
}

async function reserve(
  { job, of, flight, limitNanoUsd }: Sending,
  { number, attempt, most, added }: { number: number; attempt: number; most: number; added: number },
): Promise<void> {
  await job.commit(async (tx) => {
    const experiment = await lockExperiment(tx, of)
    if (experiment?.status !== 'running' || experiment.phase !== 'searching') throw new CallNotWanted()
    if (limitNanoUsd !== null) {
      const others = [...flight].reduce((sum, [other, nanos]) => (other === number ? sum : sum + nanos), 0)
      if (Number(experiment.spentNanoUsd) + others + most > limitNanoUsd)
        throw new BudgetError('The cost limit (maxCostUsd) leaves no room for another call and the test')
    }
    // In the same step as the check: of two calls that ask at the same moment, one sees the other, and not each the other.
    flight.set(number, most)
    await raiseCallMax(tx, of, added)
    if (!(await reserveForExperimentCall(tx, { ...of, number }, { nanoUsd: most, attempt }))) throw new CallNotWanted()
  })
}

/** More than the mean: the finalist may answer at greater length than the start. */
const SAFETY = 1.25

/** What the search may spend. The answers so far show what those of the test split will cost, which must be left at its end. */
export function searchLimit(
  plan: ExperimentPlan,
  {
    maxNanoUsd,
    callMaxNanoUsd,
    calls,
    testItems,
  }: {
    maxNanoUsd: number | null
    callMaxNanoUsd: number
    calls: readonly CallValue[]
    testItems: number
  },
): number | null {
  if (maxNanoUsd === null) return null
  const answered = calls.filter(({ kind, state }) => kind !== 'reflection' && state === 'done')
  const mean =
    answered.length === 0
      ? nanosOf(plan.expected?.answerUsd ?? 0)
      : answered.reduce((sum, { nanoUsd }) => sum + nanoUsd, 0) / answered.length
  return Math.floor(maxNanoUsd - SAFETY * mean * testAnswers(plan, testItems) - callMaxNanoUsd)
}

/** How what is left is shared between the answers of the test and its evaluations, each of which has a limit of its own. */
export function testBudget(
  plan: ExperimentPlan,
  { leftNanoUsd, runs }: { leftNanoUsd: number; runs: number },
): { trialUsd: number; evaluationUsd: number | null } {
  const share = plan.expected?.taskShare ?? 1
  const hasJudges = plan.callsPerAnswer > 1
  const ofTask = hasJudges ? Math.floor(leftNanoUsd * Math.min(0.95, Math.max(0.05, share))) : leftNanoUsd
  const ofRun = Math.floor((leftNanoUsd - ofTask) / runs)
  return { trialUsd: dollarsOf(ofTask), evaluationUsd: hasJudges ? dollarsOf(ofRun) : null }
}
