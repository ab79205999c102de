/**
 * Computes the scores that need no model, page by page. It only reads, so it can run in a worker while the caller
 * stores the results.
 */
import { pauseAfter } from '../../base/event-loop.ts'
import { type Failure, failureOf } from '../../base/thread-failure.ts'
import { asksModel } from '../../evaluators/evaluator.ts'
import type { EvaluationScope, ScoreResult } from '../../scores/score-queries.ts'
import type { OnBatch, Queries, ReadTask } from '../../storage/db.ts'
import { readConfig } from '../evaluation-config.ts'
import { type Analysed, openCaseAnalysis } from '../results/analyze-cases.ts'
import { type CaseSource, countCases } from './case-queries.ts'
import { readOpenTasks, type Task } from './pending-tasks.ts'
import { scoreWithoutModel, type WithoutModel } from './score-case.ts'

/** How long evaluators may run before other work gets a turn. */
const SLICE_MS = 2

type Offline = EvaluationScope & {
  source: CaseSource
  /** The text of the config. */
  config: string
  /** Whether to analyze the traces in the same pass, which saves reading them again. */
  withAnalysis: boolean
}

export type OfflinePage = {
  scores: ScoreResult[]
  /** Unexpected errors of evaluators, for the log. */
  mishaps: { type: string; failure: Failure }[]
}

/** The analysis is undefined if the pass has not read all traces, for example because some cases were scored before. */
type OfflineOutcome = { analysed: Analysed | undefined }

export const scoreWithoutModels: ReadTask<Offline, OfflineOutcome, OfflinePage> = {
  name: 'scoreWithoutModels',
  run: scorePages,
}

/** Only judges read the baseline. */
const NO_BASELINE: ReadonlyMap<string, string> = new Map()

async function scorePages(
  q: Queries,
  { source, config: configText, withAnalysis, ...of }: Offline,
  signal: AbortSignal,
  onBatch: OnBatch<OfflinePage>,
): Promise<OfflineOutcome> {
  const config = readConfig(configText)
  const evaluators = config.evaluators.filter((evaluator) => !asksModel(evaluator))
  const analysis = withAnalysis ? await openCaseAnalysis(q, of.workspaceId) : undefined
  const whole = { evaluators, repetitions: 1, source, baselineRefs: NO_BASELINE, analysis }
  let seen = 0
  for (let after = ''; !signal.aborted; ) {
    const { cases, last, portions } = await readOpenTasks(q, of, { ...whole, after })
    if (last === undefined) break
    await onBatch(await scorePage(portions, { workspaceId: of.workspaceId, config, signal }))
    seen += cases
    after = last
  }
  const isWhole = analysis !== undefined && seen === (await countCases(q, source))
  return { analysed: isWhole ? analysis.finish() : undefined }
}

async function scorePage(portions: AsyncIterable<Task[]>, of: Omit<WithoutModel, 'onMishap'>): Promise<OfflinePage> {
  const page: OfflinePage = { scores: [], mishaps: [] }
  const pause = pauseAfter(SLICE_MS)
  for await (const tasks of portions) {
    for (const { evaluator, open, input } of tasks) {
      const onMishap = (error: unknown) => page.mishaps.push({ type: evaluator.type, failure: failureOf(error) })
      page.scores.push(await scoreWithoutModel(evaluator, open, input, { ...of, onMishap }))
      await pause()
    }
  }
  return page
}
