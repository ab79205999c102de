import type { Logger } from '../../base/log.ts'
import type { Db } from '../../storage/db.ts'
import type { EvaluationConfig } from '../evaluation-config.ts'
import type { CaseSource } from './case-queries.ts'
import type { ModelSession } from './metered-model.ts'

/** What the phases of an evaluation share once its scores are planned. */
export type Scoring = {
  evaluationId: string
  source: CaseSource
  config: EvaluationConfig
  /** The trace of the baseline run, by item. */
  baselineRefs: ReadonlyMap<string, string>
  /** Undefined if no evaluator needs a model. */
  session: ModelSession | undefined
  retryPauseMs: number
  log: Logger
  /** Reads in a worker, or in this thread for few cases. */
  runTask: Db['inReadWorker']
  /**
   * Aborted when the process stops, the job is lost or the evaluation is cancelled: calls in flight are aborted, and
   * their scores stay pending.
   */
  hardStop: AbortSignal
  /** Aborted also when other jobs wait for a worker: calls in flight may finish, but there are no pauses and no retries. */
  softStop: AbortSignal
}
