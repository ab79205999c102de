/**
 * Computes the pending scores that need no model, page by page, and stores each page before the next one. Computing only
 * reads, so it can run in a worker while this thread stores the results.
 */
import { chunksOf, pauseAfter } from '../../base/event-loop.ts'
import { unlessAborted } from '../../base/stops.ts'
import { failureOf } from '../../base/thread-failure.ts'
import { asksModel, isExternal } from '../../evaluators/evaluator.ts'
import type { JobRun } from '../../jobs/job-handler.ts'
import type { EvaluationScope, ScoreResult } from '../../scores/score-queries.ts'
import type { OnBatch, Queries, ReadTask } from '../../storage/db.ts'
import { type EvaluationConfig, readConfig } from '../evaluation-config.ts'
import { type CaseSource, countSplitCases } from './case-queries.ts'
import { evaluateCase } from './evaluate-case.ts'
import { type AnalysisResult, openCaseAnalysis } from './read-case-traces.ts'
import {
  logFailures,
  missingTrace,
  readPendingTasks,
  type Scoring,
  saveScores,
  scoreResult,
  type Task,
  UNEXPECTED,
} from './scoring.ts'

/** Requests wait for a commit, so it is limited to about the duration of one request. */
const SCORES_PER_COMMIT = 200
/** How long evaluators may run before other work gets a turn. */
const SLICE_MS = 2

/**
 * `isActive` is false once the evaluation is finished or deleted. `analysed` is the analysis of the traces if this pass
 * has read all of them.
 */
export async function scoreWithoutModels(
  job: JobRun,
  scoring: Scoring,
): Promise<{ isActive: boolean; analysed: AnalysisResult | undefined }> {
  const { evaluationId, source, config, runTask, softStop, hardStop, session } = scoring
  const over = new AbortController()
  const store = async (scores: readonly ScoreResult[]) => {
    logFailures(scoring, scores)
    for (const some of chunksOf(scores, SCORES_PER_COMMIT)) {
      if (hardStop.aborted || !(await saveScores(job, evaluationId, { scores: some }))) return over.abort()
    }
  }
  const of = { workspaceId: job.workspaceId, evaluationId, source }
  // Model calls and clients may need hours. Traces and ratings that arrive meanwhile belong in the analysis, so it then
  // runs at the end.
  const isQuick = session === undefined && !config.evaluators.some(isExternal)
  const input = { ...of, config: config.text, withAnalysis: isQuick }
  const signal = AbortSignal.any([softStop, over.signal])
  if (signal.aborted) return { isActive: true, analysed: undefined }
  const options = { application: job.workspaceId, signal, onBatch: store }
  const done = await runTask(computeScores, input, options).catch(unlessAborted(signal))
  return { isActive: !over.signal.aborted, analysed: signal.aborted ? undefined : done?.analysed }
}

type ComputeInput = EvaluationScope & {
  source: CaseSource
  /** The text of the config. */
  config: string
  /** Whether to analyze the traces in the same pass, which saves reading them again. */
  withAnalysis: boolean
}

/** The analysis is undefined if the pass has not read all traces, for example because some cases were scored before. */
type ComputeOutput = { analysed: AnalysisResult | undefined }

export const computeScores: ReadTask<ComputeInput, ComputeOutput, ScoreResult[]> = {
  name: 'computeScores',
  run: computePages,
}

/** Only judges read the baseline. */
const NO_BASELINE: ReadonlyMap<string, string> = new Map()

async function computePages(
  q: Queries,
  { source, config: configText, withAnalysis, ...of }: ComputeInput,
  signal: AbortSignal,
  onBatch: OnBatch<ScoreResult[]>,
): Promise<ComputeOutput> {
  const config = readConfig(configText)
  const evaluators = config.evaluators.filter((evaluator) => !asksModel(evaluator) && !isExternal(evaluator))
  const analysis = withAnalysis ? await openCaseAnalysis(q, of.workspaceId) : undefined
  const whole = { evaluators, repetitions: 1, source, baselineRefs: NO_BASELINE, analysis }
  const computing = { workspaceId: of.workspaceId, config, signal }
  let seen = 0
  for (let after = ''; !signal.aborted; ) {
    const { cases, last, portions } = await readPendingTasks(q, of, { ...whole, after })
    if (last === undefined) break
    const scores: ScoreResult[] = []
    const pause = pauseAfter(SLICE_MS)
    for await (const tasks of portions) {
      for (const task of tasks) {
        scores.push(await computeScore(task, computing))
        await pause()
      }
    }
    await onBatch(scores)
    seen += cases
    after = last
  }
  const isWhole = analysis !== undefined && seen === (await countSplitCases(q, source))
  return { analysed: isWhole ? analysis.finish() : undefined }
}

type Computing = { workspaceId: string; config: EvaluationConfig; signal: AbortSignal }

/** When the signal is aborted, the call rejects and the score stays pending. */
export async function computeScore(task: Task, of: Computing): Promise<ScoreResult> {
  try {
    return scoreResult(task, missingTrace(task) ?? (await evaluateCase(task.evaluator, task.input, of)))
  } catch (error) {
    if (of.signal.aborted) throw error
    return { ...scoreResult(task, UNEXPECTED), failure: failureOf(error) }
  }
}
