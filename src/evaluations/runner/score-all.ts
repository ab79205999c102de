/**
 * Computes all pending scores of an evaluation.
 *
 * Scores that need no model come first, page by page, and each page is stored before the next one. The remaining
 * scores go to a few concurrent tasks. Each task calls the model, retries and stores its result on its own, so a call
 * that hangs blocks only one of them. Progress is stored only in the database, so after a crash the next worker finds
 * exactly what is pending.
 */
import { chunksOf } from '../../base/event-loop.ts'
import type { Logger } from '../../base/log.ts'
import { errorOf } from '../../base/thread-failure.ts'
import { unlessAborted } from '../../base/unless-aborted.ts'
import { asksModel } from '../../evaluators/evaluator.ts'
import type { JobRun } from '../../jobs/job-handler.ts'
import { markScores } from '../../scores/score-queries.ts'
import type { Db } from '../../storage/db.ts'
import type { EvaluationConfig } from '../evaluation-config.ts'
import type { Analysed } from '../results/analyze-cases.ts'
import type { CaseSource } from './case-queries.ts'
import type { ModelSession } from './metered-model.ts'
import { type OpenTasks, readOpenTasks, type Task } from './pending-tasks.ts'
import { saveScores } from './save-scores.ts'
import { createCircuitBreaker, logFailure, type MadeScore, scoreByModel } from './score-case.ts'
import { type OfflinePage, scoreWithoutModels } from './score-without-models.ts'

/** Requests wait for a commit, so it is limited to about the duration of one request. */
const SCORES_PER_COMMIT = 200

export type Scoring = {
  evaluationId: string
  source: CaseSource
  config: EvaluationConfig
  baselineRefs: ReadonlyMap<string, string>
  session: ModelSession | undefined
  retryPauseMs: number
  log: Logger
  /** Reads in a worker, or in this thread for few cases. */
  runTask: Db['inReadWorker']
  /** Aborted when the process stops, the job is lost or the evaluation is cancelled: see `score-case.ts`. */
  hardStop: AbortSignal
  /** Aborted also when other jobs wait for a worker. */
  softStop: AbortSignal
}

/** Returns the analysis of the traces if this pass has read all of them. */
export async function scoreAll(job: JobRun, scoring: Scoring): Promise<{ analysed: Analysed | undefined }> {
  const { isWanted, analysed } = await scoreWithoutModel(job, scoring)
  if (isWanted && scoring.session) await askModels(job, scoring, scoring.session)
  return { analysed }
}

/** `isWanted` is false once the evaluation is finished or deleted. */
async function scoreWithoutModel(job: JobRun, scoring: Scoring) {
  const { evaluationId, source, config, log, runTask, softStop, hardStop, session } = scoring
  const over = new AbortController()
  const store = async ({ scores, mishaps }: OfflinePage) => {
    for (const { type, failure } of mishaps) logFailure(log, { type }, errorOf(failure))
    const made = scores.map((score) => ({ score, asked: undefined }))
    for (const some of chunksOf(made, SCORES_PER_COMMIT)) {
      if (hardStop.aborted || !(await saveScores(job, evaluationId, some))) return over.abort()
    }
  }
  // Model calls may need hours. Traces and ratings that arrive meanwhile belong in the analysis, so it then runs at the
  // end.
  const of = { workspaceId: job.workspaceId, evaluationId, source }
  const work = { ...of, config: config.text, withAnalysis: session === undefined }
  const signal = AbortSignal.any([softStop, over.signal])
  if (signal.aborted) return { isWanted: true, analysed: undefined }
  const options = { application: job.workspaceId, signal, onBatch: store }
  const done = await runTask(scoreWithoutModels, work, options).catch(unlessAborted(signal))
  return { isWanted: !over.signal.aborted, analysed: signal.aborted ? undefined : done?.analysed }
}

async function askModels(job: JobRun, scoring: Scoring, session: ModelSession): Promise<void> {
  const over = new AbortController()
  const softStop = AbortSignal.any([scoring.softStop, over.signal])
  const stoppable = { ...scoring, softStop }
  const tasks = modelTasks(job, stoppable)
  const refusals = createCircuitBreaker()
  const work = async () => {
    for await (const task of tasks) {
      const made = await askFor(job, stoppable, { ...task, refusals, session })
      if (!made.score && !made.asked?.calls) continue
      // Cancelled or deleted: abort now, because no one will read further answers.
      if (!(await saveScores(job, scoring.evaluationId, [made]))) over.abort()
    }
  }
  const workers = Array.from({ length: scoring.config.concurrency }, () =>
    work().catch((error: unknown) => {
      // The cause, such as a lost lease, affects all tasks.
      over.abort()
      throw error
    }),
  )
  const ends = await Promise.allSettled(workers)
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed) throw failed.reason
}

/** Yields the pending scores that need a model, one at a time. */
async function* modelTasks(job: JobRun, { evaluationId, source, config, baselineRefs, softStop }: Scoring) {
  const of = { workspaceId: job.workspaceId, evaluationId }
  const bulk = job.db.bulk({ application: job.workspaceId, from: 'job' })
  const evaluators = config.evaluators.filter(asksModel)
  const whole = { evaluators, repetitions: config.repetitions, source, baselineRefs }
  for (let after: string | undefined = ''; after !== undefined && !softStop.aborted; ) {
    const page: OpenTasks = await readOpenTasks(bulk, of, { ...whole, after })
    for await (const tasks of page.portions) {
      for (const task of tasks) {
        if (softStop.aborted) return
        yield task
      }
    }
    after = page.last
  }
}

type AskedTask = Task & { refusals: ReturnType<typeof createCircuitBreaker>; session: ModelSession }

async function askFor(job: JobRun, scoring: Scoring, task: AskedTask): Promise<MadeScore> {
  const { hardStop, softStop, log, config, evaluationId } = scoring
  const { evaluator, open, input, refusals, session } = task
  const of = { workspaceId: job.workspaceId, evaluationId }
  const show = (state: 'running' | 'retrying', attempts: number, reason: string | null) =>
    job.commit((tx) => markScores(tx, of, [{ ...open, state, attempts, reason }]))
  await show('running', open.attempts, null)
  return scoreByModel(evaluator, open, input, {
    session,
    mayReuse: config.repetitions === 1,
    refusals,
    pauseMs: scoring.retryPauseMs,
    hardStop,
    softStop,
    onRetry: (attempts, reason) => show('retrying', attempts, reason),
    log,
  })
}
