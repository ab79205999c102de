/** Waits for scores: those of external evaluators, which clients deliver (`deliver-scores.ts`), and those of the baseline. */
import type { ExternalEvaluator } from '../../evaluators/evaluator.ts'
import type { JobPause, JobRun } from '../../jobs/job-handler.ts'
import type { EvaluationScope } from '../../scores/score-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { countPendingScores, lockEvaluation } from '../delivery/delivery-queries.ts'
import { findEvaluation, hasOpenEvaluationBefore } from '../evaluation-queries.ts'
import { findPlan, markPlanned, skipPendingScores } from './plan-queries.ts'
import { WAITING_MARK } from './plan-scores.ts'

const MINUTE_MS = 60_000
const CASES_PER_CHUNK = 200

/**
 * Skips scores whose timeout has passed. Returns a pause if others are still pending: the job is due again when their
 * timeout passes, or when the last one is delivered. All other scores must be final.
 */
export async function waitForScores(
  job: JobRun,
  of: EvaluationScope,
  external: readonly ExternalEvaluator[],
): Promise<JobPause | undefined> {
  if ((await countPendingScores(job.db.read, of)) === 0) return undefined
  const evaluation = await findEvaluation(job.db.read, of.workspaceId, of.evaluationId)
  if (!evaluation) return undefined
  const since = Date.parse(evaluation.external_since ?? evaluation.created_at)
  const waitMs = ({ external: { timeoutMinutes } }: ExternalEvaluator) =>
    since + timeoutMinutes * MINUTE_MS - job.clock.now()
  const expired = external.filter((evaluator) => waitMs(evaluator) <= 0)
  for (const evaluator of expired) await skipUndelivered(job, of, evaluator)
  if (expired.length === external.length || (await countPendingScores(job.db.read, of)) === 0) return undefined
  const awaited = external.filter((evaluator) => !expired.includes(evaluator))
  return {
    pauseSeconds: Math.max(0, Math.min(...awaited.map(waitMs))) / 1_000,
    async isStillWaiting(tx) {
      await lockEvaluation(tx, of)
      if ((await countPendingScores(tx, of)) === 0) return false
      await markPlanned(tx, of, { plannedTo: WAITING_MARK, added: 0 })
      return true
    },
  }
}

/**
 * Both runs of a comparison may be evaluated at the same time. Returns a pause while an evaluation of the baseline that was created earlier
 * has not ended: later ones are not awaited, so that two evaluations never wait for each other.
 */
export async function waitForBaseline(
  { db }: JobRun,
  of: EvaluationScope,
  { runId, pauseSeconds }: { runId: string; pauseSeconds: number },
): Promise<JobPause | undefined> {
  const isStillWaiting = (q: Queries) => hasOpenEvaluationBefore(q, { ...of, runId })
  if (!(await isStillWaiting(db.read))) return undefined
  return { pauseSeconds, isStillWaiting }
}

async function skipUndelivered(job: JobRun, of: EvaluationScope, evaluator: ExternalEvaluator): Promise<void> {
  const { timeoutMinutes } = evaluator.external
  const reason = `not delivered within ${timeoutMinutes} ${timeoutMinutes === 1 ? 'minute' : 'minutes'}`
  const skipSome = async (tx: Queries) => {
    await lockEvaluation(tx, of)
    if (!(await findPlan(tx, of))) return false
    return skipPendingScores(tx, of, { reason, cases: CASES_PER_CHUNK, evaluators: [evaluator.name] })
  }
  while (!job.signal.aborted && (await job.commit(skipSome)));
}
