/**
 * Runs an evaluation: lays out its scores, makes them, and sums them up.
 *
 * Safe to run twice and to be killed anywhere: a score is keyed by evaluation, case, evaluator and repetition and ends once, everything
 * is written in transactions that fail once another worker has taken the job over, and whoever goes on finds what is left in the
 * database. It ends `failed` only if its config makes no sense, it was cancelled, or nothing could be scored; single cases without a
 * score are counted and give their reason.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { timestamp } from '../../base/clock.ts'
import type { Logger } from '../../base/log.ts'
import { unlessAborted } from '../../base/unless-aborted.ts'
import { ConfigError } from '../../evaluators/evaluator.ts'
import { compileOptionChecks } from '../../evaluators/read-evaluators.ts'
import { enqueueJob } from '../../jobs/enqueue.ts'
import type { JobHandler, JobRun } from '../../jobs/job-handler.ts'
import { type Db, ignoreBatch, type Queries } from '../../storage/db.ts'
import { compileEvaluators } from '../evaluate-case.ts'
import { readConfig } from '../evaluation-config.ts'
import { CANCELLED_ERROR, findEvaluation, markEvaluationEnded, markEvaluationRunning } from '../evaluation-queries.ts'
import { readBaseline } from '../results/read-baseline.ts'
import { summarize } from '../results/summarize.ts'
import { type CaseSource, countCases } from './case-queries.ts'
import { checkInjection } from './injection-check.ts'
import { createModelSession, type ModelDeps } from './model-session.ts'
import { CANCELLED, findPlan, skipOpenScores } from './plan-queries.ts'
import { planScores } from './plan-scores.ts'
import { scoreAll } from './score-all.ts'

const LOOK_MS = 500
const CASES_PER_CHUNK = 200
/** To start a worker for fewer cases needs longer than to read them. */
const WORKER_CASES_MIN = 500

export type EvaluationDeps = ModelDeps & { log: Logger; retryPauseMs: number }

type EvaluationRow = NonNullable<Awaited<ReturnType<typeof findEvaluation>>>

export function createEvaluationHandler(parts: EvaluationDeps): JobHandler {
  return {
    kind: 'evaluation',

    async run(job) {
      const evaluation = await findEvaluation(job.db.read, job.workspaceId, job.payload.evaluationId ?? '')
      // Deleted: there is nothing to do.
      if (!evaluation) return
      // Ended, by an earlier run of this job or by somebody who cancelled it: only what was left open is to be told so.
      if (evaluation.status === 'completed' || evaluation.status === 'failed') return skipRest(job, evaluation)
      const stops = watchForStops(job, evaluation.id)
      try {
        return await evaluate(job, parts, { evaluation, ...stops })
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        await end(job, evaluation.id, { error: error.message })
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
      // Its open scores may be many: another job ends them, in chunks. One that fails at that is not followed by a third.
      if (isEnded)
        await enqueueJob(tx, { clock, newId }, { workspaceId, kind: 'evaluation', payload: { evaluationId } })
    },
  }
}

type Running = { evaluation: EvaluationRow; hardStop: AbortSignal; softStop: AbortSignal }

async function evaluate(
  job: JobRun,
  parts: EvaluationDeps,
  { evaluation, hardStop, softStop }: Running,
): Promise<'requeue' | undefined> {
  const { workspaceId, clock } = job
  const { id: evaluationId, spent_usd: spentUsd } = evaluation
  const configText = evaluation.config
  await compileOptionChecks()
  const config = readConfig(JSON.parse(configText))
  const { evaluators } = config
  const compiling = { evaluators, workspaceId, config: configText, use: 'evaluation', signal: hardStop } as const
  await compileEvaluators(compiling).catch(unlessAborted(hardStop))
  if (job.signal.aborted) return undefined
  const source: CaseSource = { workspaceId, datasetId: evaluation.dataset_id, runId: evaluation.run_id }
  const bulk = job.db.bulk({ application: workspaceId, from: 'job' })
  const baselineRefs = await readBaseline(
    { read: job.db.read, bulk },
    { config, source, hasBegun: evaluation.started_at !== null },
  )
  const session = await createModelSession(job, parts, { evaluationId, config, spentUsd, hardStop, softStop })
  await job.commit((tx) => markEvaluationRunning(tx, { workspaceId, evaluationId, now: timestamp(clock.now()) }))
  await planScores(job, { workspaceId, evaluationId, source, config })
  const { retryPauseMs, log } = parts
  const runTask = await taskRunner(job, source)
  const scoring = { evaluationId, source, config, configText, baselineRefs, session, retryPauseMs, log, runTask }
  const stoppable = { ...scoring, hardStop, softStop }
  const { analysed } = await scoreAll(job, stoppable)
  const isTried = session !== undefined && config.canaries && !softStop.aborted
  const injections = isTried ? await checkInjection(job, stoppable, session) : new Map()
  if (job.signal.aborted) return undefined
  if (!(await isStillWanted(job, evaluationId))) {
    await skipRest(job, { id: evaluationId })
    return undefined
  }
  if (softStop.aborted) return 'requeue'
  const summing = { evaluationId, source, config: configText, analysed, injections, now: timestamp(clock.now()) }
  const options = { application: workspaceId, signal: hardStop }
  const summed = await runTask(summarize, summing, options).catch(unlessAborted(hardStop))
  if (job.signal.aborted) return undefined
  if (summed === undefined) await skipRest(job, { id: evaluationId })
  else
    await end(job, evaluationId, summed.problem === undefined ? { results: summed.results } : { error: summed.problem })
  return undefined
}

async function taskRunner({ db, workspaceId }: JobRun, source: CaseSource): Promise<Db['inReadWorker']> {
  const cases = await countCases(db.read, source)
  if (cases >= WORKER_CASES_MIN) return db.inReadWorker
  const bulk = db.bulk({ application: workspaceId, from: 'job' })
  return (task, input, { signal, onBatch = ignoreBatch }) => task.run(bulk, input, signal, onBatch)
}

/** Looks every moment whether this is still wanted, and whether others wait for their turn. */
function watchForStops(job: JobRun, evaluationId: string) {
  const hard = new AbortController()
  const soft = new AbortController()
  const over = new AbortController()
  const look = async () => {
    for (;;) {
      const isOver = await delay(LOOK_MS, false, { signal: over.signal }).catch(() => true)
      if (isOver) return
      if (job.shouldYield()) soft.abort()
      // A look that fails says nothing; the next write will tell.
      const isWanted = await isStillWanted(job, evaluationId).catch(() => true)
      if (!isWanted) hard.abort()
    }
  }
  void look()
  const hardStop = AbortSignal.any([job.signal, hard.signal])
  return { hardStop, softStop: AbortSignal.any([hardStop, soft.signal]), end: () => over.abort() }
}

/** Not if it has ended, and not if it is gone, be it with its dataset. */
async function isStillWanted({ db, workspaceId }: JobRun, evaluationId: string): Promise<boolean> {
  const evaluation = await findEvaluation(db.read, workspaceId, evaluationId)
  return evaluation?.status === 'pending' || evaluation?.status === 'running'
}

/** `error` is why the evaluation ended, if it was not cancelled. */
async function skipRest(job: JobRun, { id, error }: { id: string; error?: string | null }): Promise<void> {
  const of = { workspaceId: job.workspaceId, evaluationId: id }
  const reason = !error || error === CANCELLED_ERROR ? CANCELLED : error
  const skipSome = (tx: Queries) => skipOpenScores(tx, of, { reason, cases: CASES_PER_CHUNK })
  // Tried again meanwhile: then another job makes the scores that are open.
  const skipUnwanted = async (tx: Queries) => !(await findPlan(tx, of)) && skipSome(tx)
  while (!job.signal.aborted && (await job.commit(skipUnwanted)));
}

async function end(
  { commit, workspaceId, clock }: JobRun,
  evaluationId: string,
  outcome: { results: unknown } | { error: string },
): Promise<void> {
  const isFailed = 'error' in outcome
  await commit((tx) =>
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
