import { timestamp } from '../../base/clock.ts'
import type { JobRun } from '../../jobs/job-handler.ts'
import { addModelSpend, type ScoreResult, saveScoreResults } from '../../scores/score-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { insertAnswers } from './cached-answer-queries.ts'
import type { ModelUsage } from './metered-model.ts'
import { findPlan } from './plan-queries.ts'

const NO_USAGE: ModelUsage = { answers: [], calls: 0, costUsd: 0, spentUsd: 0 }

/** Stores scores with their answers and costs. Returns false when the evaluation is finished or deleted. */
export async function saveScores(
  job: JobRun,
  evaluationId: string,
  { scores, usage = NO_USAGE }: { scores: readonly ScoreResult[]; usage?: ModelUsage },
): Promise<boolean> {
  const of = { workspaceId: job.workspaceId, evaluationId }
  const now = timestamp(job.clock.now())
  const spent = { calls: usage.calls, costUsd: usage.spentUsd }
  const isSpent = usage.calls > 0
  const storeAll = async (tx: Queries) => {
    const isOpen = (await findPlan(tx, of)) !== undefined
    if (!isOpen && !isSpent) return false
    await saveScoreResults(tx, of, { scores: isOpen ? scores : [], spent, now })
    await insertAnswers(tx, job.workspaceId, { answers: usage.answers, now })
    return isOpen
  }
  // A model call without a result is not progress: a job that calls models and fails every time must use up its
  // attempts.
  return job.commit(storeAll, { resetAttempts: scores.length > 0 }).catch(async (error: unknown) => {
    // The calls were paid for, even if another worker has the job now.
    if (isSpent) await job.db.transaction((tx) => addModelSpend(tx, of, spent))
    throw error
  })
}
