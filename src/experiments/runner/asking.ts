import { type Clock, timestamp } from '../../base/clock.ts'
import { insertAnswers } from '../../spending/cached-answer-queries.ts'
import type { ModelSession, ModelUsage } from '../../spending/metered-model.ts'
import type { DbOutsideTransaction } from '../../storage/db.ts'
import type { ExperimentPlan } from '../experiment-plan.ts'
import { type Attempt, sessionOfAttempt } from './experiment-budget.ts'
import type { Models, Sending } from './searching.ts'

/** What asking models needs, in the job of an experiment and in a preview. */
export type Asking = {
  db: Pick<DbOutsideTransaction, 'read'>
  clock: Clock
  workspaceId: string
  datasetId: string
  plan: ExperimentPlan
  models: Models
  /** Aborts calls in flight. */
  hardStop: AbortSignal
  /** Aborts evaluators that ask no model. */
  signal: AbortSignal
  retryPauseMs: number
  /** The session with the budget of the experiment: each request is reserved before it is sent. */
  meter(session: ModelSession, attempt: Attempt): ModelSession
  /** Whether a request that the budget has no room for may be tried again: calls in flight mostly cost less than their maximum. */
  mayTryAgain(): Promise<boolean>
  /** They are paid for: the same answer is not judged twice. */
  keepAnswers(usage: ModelUsage): Promise<void>
}

export function askingOf(sending: Sending): Asking {
  const { job, deps, experiment, plan, models, hardStop, pool, isOver } = sending
  return {
    db: job.db,
    clock: job.clock,
    workspaceId: job.workspaceId,
    datasetId: experiment.datasetId,
    plan,
    models,
    hardStop,
    signal: job.signal,
    retryPauseMs: deps.retryPauseMs,
    meter: (session, attempt) => sessionOfAttempt(sending, session, attempt),
    mayTryAgain: async () => (await pool.waitForOthers()) && !isOver(),
    async keepAnswers({ answers }) {
      if (answers.length === 0) return
      const now = timestamp(job.clock.now())
      await job.commit((tx) => insertAnswers(tx, job.workspaceId, { answers, now }))
    },
  }
}
