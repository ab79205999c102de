/**
 * Makes all scores of an evaluation that are still open.
 *
 * What needs no model is scored page by page, in slices of a few milliseconds between which requests are served, and stored a page at a
 * time. What asks a model is taken by a few workers, each of which asks, waits and asks again on its own and stores what it got: a
 * question that hangs holds up one of them. Nothing is kept but in the database, so whoever goes on after a kill finds exactly what
 * is left.
 */
import { timestamp } from '../base/clock.ts'
import { yieldToEventLoop } from '../base/event-loop.ts'
import type { Logger } from '../base/log.ts'
import type { JobRun } from '../jobs/job-handler.ts'
import type { Queries } from '../storage/db.ts'
import { insertAnswers } from './answer-queries.ts'
import type { ModelSession } from './asked-model.ts'
import type { CaseSource } from './case-queries.ts'
import type { Evaluator, Need } from './evaluators/evaluator.ts'
import { findLayout } from './layout-queries.ts'
import { type LoadedCase, loadCases } from './load-cases.ts'
import { createRefusals, type MadeScore, scoreAtOnce, scoreByModel } from './make-score.ts'
import type { EvaluationConfig } from './read-config.ts'
import { addSpent, endScores, listOpenScores, markScores, type OpenScore, type Spent } from './score-queries.ts'

const CASES_PER_PAGE = 100
/** How long evaluators may work before others get a turn. */
const SLICE_MS = 4

export type Scoring = {
  evaluationId: string
  source: CaseSource
  config: EvaluationConfig
  baselineRefs: ReadonlyMap<string, string>
  session: ModelSession | undefined
  retryPauseMs: number
  log: Logger
  /** The process ends, the job is lost, or somebody cancelled: see `make-score.ts`. */
  hardStop: AbortSignal
  /** Also when others are waiting for their turn. */
  softStop: AbortSignal
}

export async function scoreAll(job: JobRun, scoring: Scoring): Promise<void> {
  const over = new AbortController()
  const softStop = AbortSignal.any([scoring.softStop, over.signal])
  const stoppable = { ...scoring, softStop }
  const tasks = openTasks(job, stoppable)
  const refusals = createRefusals()
  const work = async () => {
    for await (const task of tasks) {
      const made = await askFor(job, stoppable, { ...task, refusals })
      if (!made?.score && !made?.asked?.calls) continue
      // Cancelled or deleted: what is asked until that is noticed elsewhere would be asked for nobody.
      if (!(await store(job, stoppable, [made]))) over.abort()
    }
  }
  const workers = Array.from({ length: scoring.session === undefined ? 1 : scoring.config.concurrency }, () =>
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

type Task = { evaluator: Evaluator; open: OpenScore; input: LoadedCase }

/** Scores what needs no model on the way, and hands out what does. */
async function* openTasks(job: JobRun, scoring: Scoring): AsyncGenerator<Task> {
  const { evaluationId, source, softStop } = scoring
  const of = { workspaceId: job.workspaceId, evaluationId }
  const evaluators = new Map(scoring.config.evaluators.map((evaluator) => [evaluator.name, evaluator]))
  const needs = new Set<Need>(scoring.config.evaluators.flatMap((evaluator) => evaluator.needs))
  for (let after = ''; !softStop.aborted; ) {
    const page = await listOpenScores(job.db.read, of, { after, cases: CASES_PER_PAGE })
    const last = page.at(-1)
    if (!last) return
    after = last.caseRef
    const keys = new Map(page.map(({ caseRef: ref, itemId, traceRef }) => [ref, { ref, itemId, traceRef }]))
    const opens = Map.groupBy(page, ({ caseRef }) => caseRef)
    const loading = { source, needs, baselineRefs: scoring.baselineRefs }
    const ended: MadeScore[] = []
    const storeEnded = async () => ended.length === 0 || (await store(job, scoring, ended.splice(0)))
    for await (const cases of loadCases(job.db.bulk, loading, [...keys.values()])) {
      const tasks = [...cases].flatMap(([ref, input]) => tasksOf(evaluators, opens.get(ref) ?? [], input))
      ended.push(...(await scoreOffline(tasks, scoring.log)))
      if (!tasks.some(asksModel)) continue
      // Models may take their time, and whoever waits for them should see what is there.
      if (!(await storeEnded())) return
      for (const task of tasks) {
        if (softStop.aborted) return
        if (asksModel(task)) yield task
      }
    }
    if (!(await storeEnded())) return
  }
}

function tasksOf(evaluators: ReadonlyMap<string, Evaluator>, opens: readonly OpenScore[], input: LoadedCase): Task[] {
  return opens.flatMap((open) => {
    const evaluator = evaluators.get(open.evaluator)
    return evaluator ? [{ evaluator, open, input }] : []
  })
}

function asksModel({ evaluator }: Task): boolean {
  return evaluator.needs.includes('model')
}

async function scoreOffline(tasks: readonly Task[], log: Logger): Promise<MadeScore[]> {
  const made: MadeScore[] = []
  let sliceFrom = performance.now()
  for (const task of tasks) {
    if (asksModel(task)) continue
    made.push({ score: await scoreAtOnce(task.evaluator, task.open, task.input, log), asked: undefined })
    if (performance.now() - sliceFrom < SLICE_MS) continue
    await yieldToEventLoop()
    sliceFrom = performance.now()
  }
  return made
}

type AskedTask = Task & { refusals: ReturnType<typeof createRefusals> }

async function askFor(job: JobRun, scoring: Scoring, task: AskedTask): Promise<MadeScore | undefined> {
  const { session, hardStop, softStop, log, config, evaluationId } = scoring
  if (!session) return undefined
  const { evaluator, open, input, refusals } = task
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
