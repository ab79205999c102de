/** What scoring with and without models shares: the pending scores with their inputs, and saving the results. */

import { timestamp } from '../../base/clock.ts'
import type { Logger } from '../../base/log.ts'
import { errorOf } from '../../base/thread-failure.ts'
import type { Evaluator, Need, Verdict } from '../../evaluators/evaluator.ts'
import type { JobRun } from '../../jobs/job-handler.ts'
import {
  addModelSpend,
  type CaseKey,
  type EvaluationScope,
  listPendingScores,
  type PendingScore,
  type ScoreResult,
  saveScoreResults,
} from '../../scores/score-queries.ts'
import { insertAnswers } from '../../spending/cached-answer-queries.ts'
import { type ModelSession, type ModelUsage, noUsage } from '../../spending/metered-model.ts'
import type { Db, Queries } from '../../storage/db.ts'
import type { EvaluationConfig } from '../evaluation-config.ts'
import type { CaseSource } from './case-queries.ts'
import { type LoadedCase, loadCases } from './load-cases.ts'
import { findPlan } from './plan-queries.ts'
import type { CaseAnalysis } from './read-case-traces.ts'

/** What the phases of an evaluation share once its scores are planned. */
export type Scoring = {
  evaluationId: string
  source: CaseSource
  config: EvaluationConfig
  /** The trace of the baseline run, by item. */
  baselineRefs: ReadonlyMap<string, string>
  /** Undefined if no evaluator needs a model. */
  session: ModelSession | undefined
  retryPauseMs: number
  log: Logger
  /** Reads in a worker, or in this thread for few cases. */
  runTask: Db['inReadWorker']
  /**
   * Aborted when the process stops, the job is lost or the evaluation is cancelled: calls in flight are aborted, and
   * their scores stay pending.
   */
  hardStop: AbortSignal
  /** Aborted also when other jobs wait for a worker: calls in flight may finish, but there are no pauses and no retries. */
  softStop: AbortSignal
}

/**
 * A page stays in memory until its scores are stored. With larger pages the garbage collector promotes and copies
 * them.
 */
const CASES_PER_PAGE = 40

/** A score to compute, and its input. */
export type Task = { evaluator: Evaluator; pending: PendingScore; input: LoadedCase }

type PendingPage = {
  evaluators: readonly Evaluator[]
  /** The maximum number of scores per case and evaluator. */
  repetitions: number
  source: CaseSource
  baselineRefs: ReadonlyMap<string, string>
  /** Receives the traces of all these cases. */
  analysis?: CaseAnalysis | undefined
  /** The last case of the previous page; empty for the first page. */
  after: string
}

/** The number of cases, the last case (undefined if there is none), and their tasks in portions. */
export type PendingTasks = { cases: number; last: string | undefined; portions: AsyncGenerator<Task[]> }

/** Returns the next cases with pending scores of these evaluators. */
export async function readPendingTasks(
  q: Queries,
  of: EvaluationScope,
  { evaluators, repetitions, source, baselineRefs, analysis, after }: PendingPage,
): Promise<PendingTasks> {
  const byName = new Map(evaluators.map((evaluator) => [evaluator.name, evaluator]))
  const pendingByCase = await pendingScoresOfCases(q, of, { after, evaluators: [...byName.keys()], repetitions })
  const keys = [...pendingByCase].map(([ref, [first]]): CaseKey => {
    return { ref, itemId: first?.itemId ?? null, traceRef: first?.traceRef ?? null }
  })
  const needs = new Set<Need>(evaluators.flatMap((evaluator) => evaluator.needs))
  const tasksOf = ([ref, input]: [string, LoadedCase]): Task[] =>
    (pendingByCase.get(ref) ?? []).flatMap((pending) => {
      const evaluator = byName.get(pending.evaluator)
      return evaluator ? [{ evaluator, pending, input }] : []
    })
  async function* portions(): AsyncGenerator<Task[]> {
    for await (const cases of loadCases(q, { source, needs, baselineRefs, analysis }, keys)) {
      yield [...cases].flatMap(tasksOf)
    }
  }
  return { cases: keys.length, last: keys.at(-1)?.ref, portions: portions() }
}

/** All pending scores by case; empty when none are left. */
async function pendingScoresOfCases(
  q: Queries,
  of: EvaluationScope,
  { after, evaluators, repetitions }: { after: string; evaluators: string[]; repetitions: number },
): Promise<Map<string, PendingScore[]>> {
  // One more than the cases of a page can have: the scores of a case that may be incomplete are left to the next page.
  const limit = CASES_PER_PAGE * evaluators.length * repetitions + 1
  const scores = await listPendingScores(q, of, { after, evaluators, limit })
  const byCase = Map.groupBy(scores, ({ caseRef }) => caseRef)
  if (scores.length === limit) byCase.delete(scores.at(-1)?.caseRef ?? '')
  return byCase
}

/** The result of a score that was computed at the first attempt and has cost nothing. */
export function scoreResult({ pending, input }: Task, verdict: Verdict): ScoreResult {
  const { caseRef, evaluator, repetition } = pending
  const { itemId, itemHash } = input
  return { caseRef, evaluator, repetition, itemId, itemHash, attempts: 1, verdict, costUsd: null }
}

/** An unexpected error fails one case, not the evaluation. Only the log has the error itself. */
export const UNEXPECTED: Verdict = {
  state: 'failed',
  reason: 'the evaluator failed unexpectedly; the log of the server says more',
}

export function logFailures({ log, config }: Pick<Scoring, 'log' | 'config'>, scores: readonly ScoreResult[]): void {
  for (const { evaluator: name, failure } of scores) {
    if (!failure) continue
    const evaluator = config.evaluators.find((one) => one.name === name)?.type
    log.error({ err: errorOf(failure), evaluator }, 'an evaluator failed')
  }
}

/** A missing trace is a more useful reason than a missing output. */
export function missingTrace({ evaluator: { needs }, input }: Task): Verdict | undefined {
  const { isTraceMissing, output, trace } = input
  const readsTrace = needs.includes('trace') || needs.includes('steps')
  const lacks = (needs.includes('output') && output === null) || (readsTrace && trace === null)
  return isTraceMissing && lacks ? { state: 'skipped', reason: 'the trace has not arrived' } : undefined
}

/** Stores scores with their answers and costs. Returns false when the evaluation is finished or deleted. */
export async function saveScores(
  job: JobRun,
  evaluationId: string,
  { scores, usage = noUsage() }: { scores: readonly ScoreResult[]; usage?: ModelUsage },
): Promise<boolean> {
  const of = { workspaceId: job.workspaceId, evaluationId }
  const now = timestamp(job.clock.now())
  const spent = { calls: usage.calls, costUsd: usage.spentUsd, tokens: usage.tokens }
  const isSpent = usage.calls > 0
  const storeAll = async (tx: Queries) => {
    const isOpen = (await findPlan(tx, of)) !== undefined
    if (!isOpen && !isSpent) return false
    await saveScoreResults(tx, of, { scores: isOpen ? scores : [], spent, now })
    if (usage.answers.length > 0) await insertAnswers(tx, job.workspaceId, { answers: usage.answers, now })
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
