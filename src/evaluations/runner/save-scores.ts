import { timestamp } from '../../base/clock.ts'
import type { JobRun } from '../../jobs/job-handler.ts'
import { addModelSpend, type ModelSpend, saveScoreResults } from '../../scores/score-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { insertAnswers } from './cached-answer-queries.ts'
import { findPlan } from './plan-queries.ts'
import type { MadeScore } from './score-case.ts'

/** Stores scores with their answers and costs. Returns false when the evaluation is finished or deleted. */
export async function saveScores(job: JobRun, evaluationId: string, made: readonly MadeScore[]): Promise<boolean> {
  const of = { workspaceId: job.workspaceId, evaluationId }
  const now = timestamp(job.clock.now())
  const spent: ModelSpend = { calls: 0, costUsd: 0 }
  for (const { asked } of made) {
    spent.calls += asked?.calls ?? 0
    spent.costUsd += asked?.spentUsd ?? 0
  }
  const isSpent = spent.calls > 0
  const scores = made.flatMap(({ score }) => score ?? [])
  const storeAll = async (tx: Queries) => {
    const isOpen = (await findPlan(tx, of)) !== undefined
    if (!isOpen && !isSpent) return false
    await saveScoreResults(tx, of, { scores: isOpen ? scores : [], spent, now })
    await insertAnswers(tx, job.workspaceId, { answers: made.flatMap(({ asked }) => asked?.answers ?? []), now })
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
