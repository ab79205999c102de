/**
 * Computes the pending scores that need a model. A few concurrent tasks each call the model, retry after transient
 * errors and store their result on their own, so a call that hangs blocks only one of them. Progress is stored only in
 * the database, so after a crash the next worker finds exactly what is pending.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../base/errors.ts'
import { failureOf } from '../../base/thread-failure.ts'
import { asksModel, type Case, type Evaluator, type Verdict } from '../../evaluators/evaluator.ts'
import type { JobRun } from '../../jobs/job-handler.ts'
import { NotSentError } from '../../llm/host-limits.ts'
import { ModelError } from '../../llm/model-client.ts'
import { markScores, type ScoreResult } from '../../scores/score-queries.ts'
import { type CircuitBreaker, createCircuitBreaker } from '../../spending/circuit-breaker.ts'
import { BudgetError } from '../../spending/ledger.ts'
import { type MeteredModel, type ModelSession, meteredModel } from '../../spending/metered-model.ts'
import {
  logFailures,
  missingTrace,
  type PendingTasks,
  readPendingTasks,
  type Scoring,
  saveScores,
  scoreResult,
  type Task,
  UNEXPECTED,
} from './scoring.ts'

const ATTEMPTS_MAX = 5
const PAUSE_MS_MAX = 60_000
const JUDGE_ATTEMPTS_MAX = 3

export async function scoreWithModels(job: JobRun, scoring: Scoring, session: ModelSession): Promise<void> {
  const { evaluationId, config } = scoring
  const over = new AbortController()
  const stoppable = { ...scoring, softStop: AbortSignal.any([scoring.softStop, over.signal]) }
  const tasks = modelTasks(job, stoppable)
  const breaker = createCircuitBreaker()
  const work = async () => {
    for await (const task of tasks) {
      const model = meteredModel(session, { mayReuse: config.repetitions === 1 })
      const onState = (state: 'running' | 'retrying', attempts: number, reason: string | null) =>
        job.commit((tx) =>
          markScores(tx, { workspaceId: job.workspaceId, evaluationId }, [
            { ...task.pending, state, attempts, reason },
          ]),
        )
      await onState('running', task.pending.attempts, null)
      const score = await scoreWithModel(task, stoppable, { model, breaker, onState }).catch(async (error: unknown) => {
        if (model.usage.calls > 0) await saveScores(job, evaluationId, { scores: [], usage: model.usage })
        throw error
      })
      const scores = score ? [score] : []
      logFailures(scoring, scores)
      if (scores.length === 0 && model.usage.calls === 0) continue
      // Cancelled or deleted: abort now, because no one will read further answers.
      if (!(await saveScores(job, evaluationId, { scores, usage: model.usage }))) over.abort()
    }
  }
  const workers = Array.from({ length: config.concurrency }, () =>
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
    const page: PendingTasks = await readPendingTasks(bulk, of, { ...whole, after })
    for await (const tasks of page.portions) {
      for (const task of tasks) {
        if (softStop.aborted) return
        yield task
      }
    }
    after = page.last
  }
}

type Stops = Pick<Scoring, 'hardStop' | 'softStop' | 'retryPauseMs'>

type Calling = {
  model: MeteredModel
  /** Shared by all scores of an evaluation. */
  breaker: CircuitBreaker
  onState(state: 'retrying', attempts: number, reason: string): Promise<void>
}

/** Returns undefined if it was stopped before it finished; the score stays pending for the next worker. */
export async function scoreWithModel(task: Task, stops: Stops, calling: Calling): Promise<ScoreResult | undefined> {
  const missing = missingTrace(task)
  if (missing) return scoreResult(task, missing)
  for (let attempts = task.pending.attempts + 1; ; attempts += 1) {
    const outcome = await callOnce(task, stops, calling)
    if (outcome === 'stopped') return undefined
    if (!('retryReason' in outcome)) return { ...outcome, attempts, costUsd: calling.model.usage.costUsd }
    const { retryReason: reason, waitMs } = outcome
    if (attempts >= ATTEMPTS_MAX) {
      const failed = scoreResult(task, { state: 'failed', reason })
      return { ...failed, attempts, costUsd: calling.model.usage.costUsd }
    }
    await calling.onState('retrying', attempts, reason)
    const pauseMs = Math.max(waitMs, Math.min(stops.retryPauseMs * 2 ** (attempts - 1), PAUSE_MS_MAX))
    const isStopped = await delay(pauseMs, false, { signal: stops.softStop }).catch(() => true)
    if (isStopped) return undefined
  }
}

type Outcome = ScoreResult | { retryReason: string; waitMs: number } | 'stopped'

async function callOnce(
  task: Task,
  { hardStop }: Stops,
  { model: { client, usage }, breaker }: Calling,
): Promise<Outcome> {
  const { evaluator, pending, input } = task
  const failedWith = (reason: string) => scoreResult(task, { state: 'failed', reason })
  if (breaker.reason !== undefined) return failedWith(breaker.reason)
  try {
    const verdict = await evaluator.evaluate(input, { model: client, repetition: pending.repetition })
    if (usage.calls > 0) breaker.answered()
    return scoreResult(task, verdict)
  } catch (error) {
    if (error instanceof BudgetError) return scoreResult(task, { state: 'skipped', reason: error.message })
    if (hardStop.aborted || error instanceof NotSentError) return 'stopped'
    // A database that is out of reach says nothing about the case: the score stays pending, and the job is tried again.
    if (error instanceof AppError && error.status >= 500) throw error
    if (!(error instanceof ModelError)) return { ...scoreResult(task, UNEXPECTED), failure: failureOf(error) }
    if (error.kind === 'transient') return { retryReason: error.message, waitMs: error.retryAfterMs ?? 0 }
    breaker.rejected(error.message)
    return failedWith(error.message)
  }
}

type JudgeCall = {
  session: ModelSession
  evaluator: Evaluator
  input: Case
  mayReuse: boolean
}

/**
 * Asks a judge about something else than a case: an injection or an anchor. Transient errors are retried; so is an
 * answer for which `read` throws one. The cost of every call is saved.
 */
export async function askJudge<Answer>(
  job: JobRun,
  { evaluationId, retryPauseMs, softStop }: Scoring,
  { session, evaluator, input, mayReuse }: JudgeCall,
  read: (verdict: Verdict) => Answer,
): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const { client, usage } = meteredModel(session, { mayReuse })
    try {
      return read(await evaluator.evaluate(input, { model: client, repetition: 1 }))
    } catch (error) {
      const isTransient = error instanceof ModelError && error.kind === 'transient'
      if (!isTransient || attempt === JUDGE_ATTEMPTS_MAX || softStop.aborted) throw error
      await delay(Math.max(error.retryAfterMs ?? 0, retryPauseMs * 2 ** (attempt - 1)), undefined, { signal: softStop })
    } finally {
      if (usage.calls > 0) await saveScores(job, evaluationId, { scores: [], usage })
    }
  }
}
