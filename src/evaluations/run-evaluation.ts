/**
 * Runs an evaluation: reads its cases page by page, asks each evaluator, stores the verdicts, and sums them up.
 *
 * Safe to run twice and to be killed anywhere: a score is keyed by evaluation, case, evaluator and repetition, so a page that was
 * stored before changes nothing, and every write fails once another worker has taken the job over. It ends `failed` only if its
 * config makes no sense or nothing could be scored; single cases without a score are counted and give their reason.
 */
import { timestamp } from '../base/clock.ts'
import { yieldToEventLoop } from '../base/event-loop.ts'
import type { JobHandler, JobRun } from '../jobs/job-handler.ts'
import { type CaseSource, countCases, listCaseRefs, listRatings } from './case-queries.ts'
import { findEvaluation, markEvaluationEnded, markEvaluationRunning } from './evaluation-queries.ts'
import { type Case, ConfigError, type Evaluator } from './evaluators/evaluator.ts'
import { checkConfig, readEvaluators } from './read-config.ts'
import { insertScores } from './score-queries.ts'
import { summarize } from './summarize.ts'

const CASES_PER_PAGE = 200

export const evaluationHandler: JobHandler = {
  kind: 'evaluation',

  async run(job) {
    const { workspaceId, db } = job
    const evaluationId = job.payload.evaluationId ?? ''
    const evaluation = await findEvaluation(db.read, workspaceId, evaluationId)
    // Deleted, or ended by an earlier run of this job: there is nothing to do.
    if (!evaluation || evaluation.status === 'completed' || evaluation.status === 'failed') return
    const config: Record<string, unknown> = JSON.parse(evaluation.config)
    const source: CaseSource = { workspaceId, datasetId: evaluation.dataset_id, runId: evaluation.run_id }
    try {
      checkConfig(config)
      const evaluators = readEvaluators(config)
      await scoreAll(job, { evaluationId, source, evaluators })
      if (job.signal.aborted) return
      const { results, problem } = await summarize(job, { evaluationId, evaluators })
      await end(job, evaluationId, problem === undefined ? { results } : { error: problem })
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      await end(job, evaluationId, { error: error.message })
    }
  },

  async giveUp(tx, { workspaceId, payload, clock }, reason) {
    await markEvaluationEnded(tx, {
      workspaceId,
      evaluationId: payload.evaluationId ?? '',
      status: 'failed',
      error: `The evaluation was tried several times and did not end: ${reason}`,
      results: null,
      now: timestamp(clock.now()),
    })
  },
}

type Scoring = { evaluationId: string; source: CaseSource; evaluators: Evaluator[] }

async function scoreAll(job: JobRun, { evaluationId, source, evaluators }: Scoring): Promise<void> {
  const { db, clock, workspaceId, signal } = job
  const total = (await countCases(db.read, source)) * evaluators.length
  await job.write((tx) => markEvaluationRunning(tx, { workspaceId, evaluationId, total, now: timestamp(clock.now()) }))
  let after = ''
  while (!signal.aborted) {
    const refs = await listCaseRefs(db.read, source, { after, limit: CASES_PER_PAGE })
    const last = refs.at(-1)
    if (last === undefined) return
    const scores = scoreCases(await withRatings(job, source, refs), evaluators)
    const isThere = await job.write(async (tx) => {
      // Deleted meanwhile: what is written now would only have to be reclaimed again.
      if (!(await findEvaluation(tx, workspaceId, evaluationId))) return false
      await insertScores(tx, { workspaceId, evaluationId, scores, now: timestamp(clock.now()) })
      return true
    })
    if (!isThere) return
    after = last
    await yieldToEventLoop()
  }
}

async function withRatings({ db }: JobRun, source: CaseSource, refs: string[]): Promise<Case[]> {
  const rows = await listRatings(db.read, source, refs)
  const ratings = Map.groupBy(rows, ({ ref }) => ref)
  return refs.map((ref) => ({ ref, ratings: (ratings.get(ref) ?? []).map(({ rating }) => rating ?? '') }))
}

function scoreCases(cases: Case[], evaluators: Evaluator[]) {
  return cases.flatMap((input) =>
    evaluators.map((evaluator) => {
      const verdict = evaluator.evaluate(input)
      return {
        caseRef: input.ref,
        evaluator: evaluator.name,
        state: verdict.state,
        score: verdict.state === 'scored' ? verdict.score : null,
        reason: verdict.state === 'skipped' ? verdict.reason : null,
      }
    }),
  )
}

async function end(
  { write, workspaceId, clock }: JobRun,
  evaluationId: string,
  outcome: { results: unknown } | { error: string },
): Promise<void> {
  const isFailed = 'error' in outcome
  await write((tx) =>
    markEvaluationEnded(tx, {
      workspaceId,
      evaluationId,
      status: isFailed ? 'failed' : 'completed',
      error: isFailed ? outcome.error : null,
      results: isFailed ? null : JSON.stringify(outcome.results),
      now: timestamp(clock.now()),
    }),
  )
}
