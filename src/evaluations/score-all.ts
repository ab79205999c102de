/**
 * Makes all scores of an evaluation that are still open.
 *
 * First what needs no model, page by page, each stored at once. Then what asks one: it is taken by a few workers, each of which asks,
 * waits and asks again on its own and stores what it got: a question that hangs holds up one of them. Nothing is kept but in the
 * database, so whoever goes on after a kill finds exactly what is left.
 */
import { timestamp } from '../base/clock.ts'
import { chunksOf } from '../base/event-loop.ts'
import type { Logger } from '../base/log.ts'
import { errorOf } from '../base/thread-failure.ts'
import type { JobRun } from '../jobs/job-handler.ts'
import type { Db, Queries } from '../storage/db.ts'
import { insertAnswers } from './answer-queries.ts'
import type { ModelSession } from './asked-model.ts'
import type { CaseSource } from './case-queries.ts'
import { asksModel } from './evaluators/evaluator.ts'
import { findLayout } from './layout-queries.ts'
import { createRefusals, logMishap, type MadeScore, scoreByModel } from './make-score.ts'
import { type OpenTasks, readOpenTasks, type Task } from './open-tasks.ts'
import type { EvaluationConfig } from './read-config.ts'
import { scoreOffline } from './score-offline.ts'
import { addSpent, endScores, markScores, type Spent } from './score-queries.ts'

/** A commit writes all of these at once, and requests wait for it: about as long as one of them takes. */
const SCORES_PER_COMMIT = 200

export type Scoring = {
  evaluationId: string
  source: CaseSource
  config: EvaluationConfig
  /** As it is stored. */
  configText: string
  baselineRefs: ReadonlyMap<string, string>
  session: ModelSession | undefined
  retryPauseMs: number
  log: Logger
  /** How much is read: apart, or as part of the job. */
  read: Db['readApart']
  /** The process ends, the job is lost, or somebody cancelled: see `make-score.ts`. */
  hardStop: AbortSignal
  /** Also when others are waiting for their turn. */
  softStop: AbortSignal
}

export async function scoreAll(job: JobRun, scoring: Scoring): Promise<void> {
  const isWanted = await scoreWithoutModel(job, scoring)
  if (isWanted && scoring.session) await askModels(job, scoring, scoring.session)
}

/** False when there is nobody to score for any more. */
async function scoreWithoutModel(job: JobRun, scoring: Scoring): Promise<boolean> {
  const { evaluationId, source, configText: config, log, read, softStop, hardStop } = scoring
  const { workspaceId } = job
  for (let after = ''; !softStop.aborted; ) {
    const page = { workspaceId, evaluationId, source, config, after }
    const { scores, last, mishaps } = await read(scoreOffline, page, hardStop)
    for (const { type, failure } of mishaps) logMishap(log, { type }, errorOf(failure))
    if (last === undefined) return true
    const made = scores.map((score) => ({ score, asked: undefined }))
    for (const some of chunksOf(made, SCORES_PER_COMMIT)) {
      if (hardStop.aborted || !(await store(job, scoring, some))) return false
    }
    after = last
  }
  return true
}

async function askModels(job: JobRun, scoring: Scoring, session: ModelSession): Promise<void> {
  const over = new AbortController()
  const softStop = AbortSignal.any([scoring.softStop, over.signal])
  const stoppable = { ...scoring, softStop }
  const tasks = modelTasks(job, stoppable)
  const refusals = createRefusals()
  const work = async () => {
    for await (const task of tasks) {
      const made = await askFor(job, stoppable, { ...task, refusals, session })
      if (!made.score && !made.asked?.calls) continue
      // Cancelled or deleted: what is asked until that is noticed elsewhere would be asked for nobody.
      if (!(await store(job, stoppable, [made]))) over.abort()
    }
  }
  const workers = Array.from({ length: scoring.config.concurrency }, () =>
    work().catch((error: unknown) => {
      // What stopped one of them, such as a lost lease, concerns all.
      over.abort()
      throw error
    }),
  )
  const ends = await Promise.allSettled(workers)
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed) throw failed.reason
}

/** Hands out what is to be asked of a model, one after the other. */
async function* modelTasks(job: JobRun, { evaluationId, source, config, baselineRefs, softStop }: Scoring) {
  const of = { workspaceId: job.workspaceId, evaluationId }
  const evaluators = config.evaluators.filter(asksModel)
  for (let after: string | undefined = ''; after !== undefined && !softStop.aborted; ) {
    const page: OpenTasks = await readOpenTasks(job.db.bulk, of, { evaluators, source, baselineRefs, after })
    for await (const tasks of page.portions) {
      for (const task of tasks) {
        if (softStop.aborted) return
        yield task
      }
    }
    after = page.last
  }
}

type AskedTask = Task & { refusals: ReturnType<typeof createRefusals>; session: ModelSession }

async function askFor(job: JobRun, scoring: Scoring, task: AskedTask): Promise<MadeScore> {
  const { hardStop, softStop, log, config, evaluationId } = scoring
  const { evaluator, open, input, refusals, session } = task
  const of = { workspaceId: job.workspaceId, evaluationId }
  const show = (state: 'running' | 'retrying', attempts: number, reason: string | null) =>
    job.write((tx) => markScores(tx, of, [{ ...open, state, attempts, reason }]))
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

/** False when the evaluation has ended or is gone: then there is nobody to score for. */
async function store(job: JobRun, { evaluationId }: Scoring, made: readonly MadeScore[]): Promise<boolean> {
  const of = { workspaceId: job.workspaceId, evaluationId }
  const now = timestamp(job.clock.now())
  const spent: Spent = { calls: 0, costUsd: 0 }
  for (const { asked } of made) {
    spent.calls += asked?.calls ?? 0
    spent.costUsd += asked?.spentUsd ?? 0
  }
  const isSpent = spent.calls > 0
  const scores = made.flatMap(({ score }) => score ?? [])
  const storeAll = async (tx: Queries) => {
    const isOpen = (await findLayout(tx, of)) !== undefined
    if (!isOpen && !isSpent) return false
    await endScores(tx, of, { scores: isOpen ? scores : [], spent, now })
    await insertAnswers(tx, job.workspaceId, { answers: made.flatMap(({ asked }) => asked?.answers ?? []), now })
    return isOpen
  }
  // A question alone is no progress: a job that asks and fails each time must use up its attempts.
  return job.write(storeAll, scores.length > 0 ? 'made progress' : undefined).catch(async (error: unknown) => {
    // What was paid is paid, whoever has the job now.
    if (isSpent) await job.db.transaction((tx) => addSpent(tx, of, spent))
    throw error
  })
}
