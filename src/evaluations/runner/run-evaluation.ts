/**
 * Runs an evaluation as a job. The phases, in order:
 *
 * 1. Compile: reads the config, compiles its evaluators, reads the baseline run and opens a model session if an
 *    evaluator needs a model. This phase writes nothing unless the config is invalid.
 * 2. Plan: sets the status `running`, then inserts one queued score per case, evaluator and repetition. After a retry it
 *    queues the scores that failed or were never attempted. Each chunk is one transaction with the position it reached
 *    (`planned_to`). Then it stores which models and which rating scheme judge (`record-judges.ts`).
 * 3. Score without models (`score-without-models.ts`): reads the pending cases page by page and commits up to 200
 *    results at a time.
 * 4. Score with models (`score-with-models.ts`): `concurrency` tasks each commit the state `running` before the first
 *    call, `retrying` after a transient error, and at the end the result with its answers and its cost. If the config
 *    has `canaries`, the injection check follows; it commits only answers and cost. If it has `anchors`, the judges are
 *    asked about them; each verdict is committed at once.
 * 5. Wait for external scores (`wait-for-scores.ts`): the job pauses without a slot until clients have delivered them or
 *    their timeout has passed. It continues at phase 1, with nothing left to score. The checks of phase 4 that only ask
 *    models come after the wait. In the same way it waits for evaluations of the baseline that were created before it:
 *    the results compare with their scores.
 * 6. Summarize: reads all scores, and the traces unless phase 3 has analyzed them, then writes the results and the
 *    final status in one transaction.
 *
 * After a crash another worker claims the job and runs all phases again, as after a yield to other jobs. Committed data
 * survives: planning continues at `planned_to`, and only pending scores are computed, each with the attempts already
 * counted. Results that were not committed are computed again. The model calls of an uncommitted score are lost: the
 * next worker repeats them, and their cost is not recorded. On an orderly shutdown the worker aborts the calls in flight
 * and records them at their maximum cost.
 *
 * All writes of a run go through `job.commit`, which fails when another worker has claimed the job. The only exception
 * is the cost of calls already made. A score gets its result once; only a retry by a user can queue it again.
 *
 * The status becomes `failed` only if the config is invalid, a user cancels, no case could be scored, or the job has no
 * attempts left. Scores that are pending at that moment become `skipped`, in chunks, with the reason. A case that fails
 * does not fail the evaluation: its score has the reason, and the results count it.
 */
import { timestamp } from '../../base/clock.ts'
import { NIL_ID } from '../../base/ids.ts'
import type { Logger } from '../../base/log.ts'
import { unlessAborted, watchForStops } from '../../base/stops.ts'
import { countLook } from '../../comparisons/pairing/comparison-queries.ts'
import { insertTestOpening, listItemIds } from '../../datasets/splits/split-queries.ts'
import { evaluationSubject } from '../../datasets/splits/test-openings.ts'
import { asksModel, ConfigError, isExternal } from '../../evaluators/evaluator.ts'
import { compileOptionChecks } from '../../evaluators/read-evaluators.ts'
import { enqueueJob } from '../../jobs/enqueue.ts'
import type { JobHandler, JobPause, JobRun } from '../../jobs/job-handler.ts'
import type { ModelDeps } from '../../spending/model-session.ts'
import { type Db, ignoreBatch, type Queries } from '../../storage/db.ts'
import { readConfig } from '../evaluation-config.ts'
import {
  CANCELLED_ERROR,
  findEvaluation,
  hasTestScores,
  markEvaluationEnded,
  markEvaluationRunning,
} from '../evaluation-queries.ts'
import { type Summary, summarize } from '../results/summarize.ts'
import { askAnchors, checkAnchors } from './ask-anchors.ts'
import { type CaseSource, countCases } from './case-queries.ts'
import { compileEvaluators } from './evaluate-case.ts'
import { checkInjection } from './injection-check.ts'
import { readBaseline } from './load-cases.ts'
import { createModelSession } from './model-session.ts'
import { CANCELLED, findPlan, skipPendingScores } from './plan-queries.ts'
import { planScores, readPlan } from './plan-scores.ts'
import { recordJudges } from './record-judges.ts'
import { scoreWithModels } from './score-with-models.ts'
import { scoreWithoutModels } from './score-without-models.ts'
import type { Scoring } from './scoring.ts'
import { waitForBaseline, waitForScores } from './wait-for-scores.ts'

const CASES_PER_CHUNK = 200
/** To start a worker for fewer cases needs longer than to read them. */
const WORKER_CASES_MIN = 500

export type EvaluationDeps = ModelDeps & {
  log: Logger
  retryPauseMs: number
  /** How often an evaluation that waits for the baseline looks whether it has its scores. */
  pauseSeconds: number
}

type EvaluationRow = NonNullable<Awaited<ReturnType<typeof findEvaluation>>>

export function createEvaluationHandler(deps: EvaluationDeps): JobHandler {
  return {
    kind: 'evaluation',

    async run(job) {
      const evaluation = await findEvaluation(job.db.read, job.workspaceId, job.payload.evaluationId ?? '')
      if (!evaluation) return
      // Finished by an earlier run of this job, or cancelled by a user: only the pending scores remain to be skipped.
      if (evaluation.status === 'completed' || evaluation.status === 'failed') return skipRest(job, evaluation)
      const stops = watchForStops(job, async () => ((await isActive(job, evaluation.id)) ? 'continue' : 'end'))
      try {
        return await evaluate(job, deps, { evaluation, ...stops })
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        await finish(job, evaluation.id, { error: error.message })
        await skipRest(job, { id: evaluation.id, error: error.message })
      } finally {
        stops.end()
      }
    },

    async onFailed(tx, { workspaceId, payload, clock, newId }, reason) {
      const { evaluationId = '' } = payload
      const error = `The evaluation was tried several times and did not end: ${reason}`
      const isEnded = await markEvaluationEnded(tx, {
        workspaceId,
        evaluationId,
        status: 'failed',
        error,
        results: null,
        now: timestamp(clock.now()),
      })
      // There may be many pending scores: a second job skips them in chunks. If that job fails, no third one follows.
      if (isEnded)
        await enqueueJob(tx, { clock, newId }, { workspaceId, kind: 'evaluation', payload: { evaluationId } })
    },
  }
}

type Running = { evaluation: EvaluationRow; hardStop: AbortSignal; softStop: AbortSignal }

async function evaluate(
  job: JobRun,
  deps: EvaluationDeps,
  { evaluation, hardStop, softStop }: Running,
): Promise<'requeue' | JobPause | undefined> {
  const { workspaceId, clock } = job
  const { id: evaluationId, spent_usd: spentUsd } = evaluation
  await compileOptionChecks()
  const config = readConfig(evaluation.config)
  const of = { workspaceId, evaluationId }
  const external = config.evaluators.filter(isExternal)
  // Nothing else is left to do, so a job that is only due to look at the time need not prepare to score.
  if (readPlan(evaluation.planned_to).isWaiting) {
    const pause = await waitForScores(job, of, external)
    if (pause) return pause
  }
  await compileEvaluators({ workspaceId, config, use: 'evaluation', signal: hardStop }).catch(unlessAborted(hardStop))
  if (job.signal.aborted) return undefined
  const { dataset_id: datasetId, run_id: runId } = evaluation
  const source: CaseSource = { workspaceId, datasetId, runId, split: config.split }
  const bulk = job.db.bulk({ application: workspaceId, from: 'job' })
  const baselineRefs = await readBaseline(
    { read: job.db.read, bulk },
    { config, source, hasBegun: evaluation.started_at !== null },
  )
  if (config.anchors !== undefined) await checkAnchors(job.db.read, workspaceId, config.anchors)
  const stops = { hardStop, softStop }
  const session = config.evaluators.some(asksModel)
    ? await createModelSession(job, deps, { evaluationId, config, spentUsd, ...stops })
    : undefined
  await job.commit((tx) => markEvaluationRunning(tx, { workspaceId, evaluationId, now: timestamp(clock.now()) }))
  await planScores(job, { workspaceId, evaluationId, source, config })
  await recordJudges(job, of, { evaluators: config.evaluators, session })
  const { retryPauseMs, log } = deps
  const runTask = await taskRunner(job, source)
  const scoring: Scoring = { evaluationId, source, config, baselineRefs, session, retryPauseMs, log, runTask, ...stops }
  const { isActive: isStillActive, analysed } = await scoreWithoutModels(job, scoring)
  if (isStillActive && session) await scoreWithModels(job, scoring, session)
  if (external.length > 0 && isStillActive && !softStop.aborted) {
    const pause = await waitForScores(job, of, external)
    if (pause) return pause
  }
  if (config.baselineRunId !== undefined && isStillActive && !softStop.aborted) {
    const pause = await waitForBaseline(job, of, { runId: config.baselineRunId, pauseSeconds: deps.pauseSeconds })
    if (pause) return pause
  }
  const isTried = session !== undefined && config.canaries && !softStop.aborted
  const injections = isTried ? await checkInjection(job, scoring, session) : new Map()
  if (session && config.anchors !== undefined && !softStop.aborted) await askAnchors(job, scoring, session)
  if (job.signal.aborted) return undefined
  if (!(await isActive(job, evaluationId))) {
    await skipRest(job, { id: evaluationId })
    return undefined
  }
  if (softStop.aborted) return 'requeue'
  const readsTest = await recordTestOpening(job, { evaluationId, source })
  const summing = {
    evaluationId,
    source,
    readsTest,
    config: config.text,
    analysed,
    injections,
    now: timestamp(clock.now()),
  }
  const options = { application: workspaceId, signal: hardStop }
  const summed = await runTask(summarize, summing, options).catch(unlessAborted(hardStop))
  if (job.signal.aborted) return undefined
  await (summed ? finish(job, evaluationId, summed) : skipRest(job, { id: evaluationId }))
  return undefined
}

/**
 * Runs tasks in a worker when there are many cases, so that requests are not blocked. For fewer cases, starting the worker costs more
 * than reading them here.
 */
async function taskRunner({ db, workspaceId }: JobRun, source: CaseSource): Promise<Db['inReadWorker']> {
  const cases = await countCases(db.read, source)
  if (cases >= WORKER_CASES_MIN) return db.inReadWorker
  const bulk = db.bulk({ application: workspaceId, from: 'job' })
  return (task, input, { signal, onBatch = ignoreBatch }) => task.run(bulk, input, signal, onBatch)
}

/** False if the evaluation is finished or deleted, or if its dataset is. */
async function isActive({ db, workspaceId }: JobRun, evaluationId: string): Promise<boolean> {
  const evaluation = await findEvaluation(db.read, workspaceId, evaluationId)
  return evaluation?.status === 'pending' || evaluation?.status === 'running'
}

/** `error` is the error of the evaluation; null or undefined if it was cancelled. */
async function skipRest(job: JobRun, { id, error }: { id: string; error?: string | null }): Promise<void> {
  const of = { workspaceId: job.workspaceId, evaluationId: id }
  const reason = !error || error === CANCELLED_ERROR ? CANCELLED : error
  const skipSome = (tx: Queries) => skipPendingScores(tx, of, { reason, cases: CASES_PER_CHUNK })
  // After a retry in the meantime the evaluation is active again, and the new job computes the pending scores.
  const skipUnwanted = async (tx: Queries) => !(await findPlan(tx, of)) && skipSome(tx)
  while (!job.signal.aborted && (await job.commit(skipUnwanted)));
}

async function finish({ commit, workspaceId, clock }: JobRun, evaluationId: string, outcome: Summary): Promise<void> {
  const isFailed = 'error' in outcome
  const now = timestamp(clock.now())
  await commit(async (tx) => {
    await markEvaluationEnded(tx, {
      workspaceId,
      evaluationId,
      status: isFailed ? 'failed' : 'completed',
      error: isFailed ? outcome.error : null,
      results: isFailed ? null : JSON.stringify(outcome.results),
      now,
    })
    if (!isFailed && outcome.look) await countLook(tx, { ...outcome.look, now })
  })
}

type Evaluated = { evaluationId: string; source: CaseSource }

/**
 * Records that an evaluation has scored items of the test split, and returns whether it has. Must run before the results
 * are computed, which count it. An evaluation that is tried again counts once.
 */
async function recordTestOpening(job: JobRun, evaluated: Evaluated): Promise<boolean> {
  const { evaluationId, source } = evaluated
  if (!(await readsTestSplit(job, evaluated))) return false
  const subject = await evaluationSubject(job.db.read, source.workspaceId, evaluationId)
  await job.commit((tx) => insertTestOpening(tx, { ...source, subject, now: timestamp(job.clock.now()) }))
  return true
}

async function readsTestSplit({ db }: JobRun, { evaluationId, source }: Evaluated): Promise<boolean> {
  const { split = 'test' } = source
  if (split !== 'test') return false
  const [first] = await listItemIds(db.read, { ...source, split, after: NIL_ID, limit: 1 })
  return first !== undefined && hasTestScores(db.read, { ...source, evaluationId })
}
