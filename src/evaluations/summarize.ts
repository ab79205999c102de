import { timestamp } from '../base/clock.ts'
import { yieldToEventLoop } from '../base/event-loop.ts'
import type { JobRun } from '../jobs/job-handler.ts'
import type { Observation } from '../statistics/bootstrap-mean.ts'
import type { Evaluator } from './evaluators/evaluator.ts'
import { distributionOf, estimate, type Metric } from './metric.ts'
import { countUnscored, listScoreValues } from './score-queries.ts'

const VALUES_PER_PAGE = 1_000

type Unscored = Awaited<ReturnType<typeof countUnscored>>

/** Turns stored scores into metrics. `problem` is a sentence if there is nothing to sum up. */
export async function summarize(
  job: JobRun,
  { evaluationId, evaluators }: { evaluationId: string; evaluators: Evaluator[] },
) {
  const unscored = await countUnscored(job.db.read, job.workspaceId, evaluationId)
  const metrics: Metric[] = []
  for (const { name } of evaluators) {
    const scores = await readScores(job, evaluationId, name)
    metrics.push({
      name,
      n: scores.length,
      missing: countOf(unscored, name, 'skipped'),
      failed: countOf(unscored, name, 'failed'),
      ...(await estimate(scores, `${evaluationId}:${name}`)),
      distribution: distributionOf(scores),
      corrected: null,
    })
  }
  if (metrics.every(({ n }) => n === 0)) return { problem: nothingScored(unscored), results: undefined }
  const meta = {
    // No trace has been analysed: these evaluators read what people said, not what the traces hold.
    totalRuns: 0,
    totalTokens: 0,
    totalCostUsd: 0,
    averageDurationMs: 0,
    errorRate: 0,
    analyzedAt: timestamp(job.clock.now()),
  }
  return { problem: undefined, results: { insights: [], meta, metrics } }
}

async function readScores(
  { db, workspaceId }: JobRun,
  evaluationId: string,
  evaluator: string,
): Promise<Observation[]> {
  const scores: Observation[] = []
  let after = ''
  for (;;) {
    const page = await listScoreValues(db.read, { workspaceId, evaluationId, evaluator, after, limit: VALUES_PER_PAGE })
    const last = page.at(-1)
    if (last === undefined) return scores
    for (const { caseRef, score } of page) scores.push({ value: score ?? 0, cluster: caseRef })
    after = last.caseRef
    await yieldToEventLoop()
  }
}

function countOf(unscored: Unscored, evaluator: string, state: 'skipped' | 'failed'): number {
  return unscored
    .filter((row) => row.evaluator === evaluator && row.state === state)
    .reduce((sum, { count }) => sum + count, 0)
}

function nothingScored(unscored: Unscored): string {
  if (unscored.length === 0) return 'Nothing could be scored: there are no cases'
  const reasons = unscored
    .slice(0, 3)
    .map(({ reason, count }) => `${count} ${count === 1 ? 'case' : 'cases'}: ${reason ?? 'no reason given'}`)
  return `Nothing could be scored (${reasons.join('; ')})`
}
