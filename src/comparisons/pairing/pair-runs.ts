import { isBlindTo } from '../../annotations/blind-annotation-queries.ts'
import { readRatingScheme } from '../../annotations/rating-rule-queries.ts'
import { yieldToEventLoop } from '../../base/event-loop.ts'
import { readDuplicates } from '../../datasets/items/item-groups.ts'
import type { Split } from '../../datasets/splits/split.ts'
import type { EvaluatorInfo } from '../../scores/evaluator-info.ts'
import type { Queries } from '../../storage/db.ts'
import { findItemChanges, selectCases, withoutChanged } from './compared-items.ts'
import { selectMetrics, withholdRatings } from './compared-metrics.ts'
import type { ComparedRun } from './comparison-queries.ts'
import { pairItems } from './pair-items.ts'
import { readRunData } from './read-run-data.ts'

type ReadRuns = {
  workspaceId: string
  baselineRunId: string
  candidateRunId: string
  /**
   * The user who reads the comparison. In a run that is rated blindly, ratings are withheld from raters. Undefined for
   * a gate.
   */
  readerId?: string | undefined
  /** Withholds ratings from every reader: for what is stored and shown to others later. */
  withholdsRatings?: boolean | undefined
}

export type PairRequest = ReadRuns & {
  /** Compares only items of this split. */
  split?: Split | undefined
  /**
   * The evaluation to use for the candidate even if it is not completed: a gate is decided before the evaluation
   * completes.
   */
  candidateEvaluationId?: string | undefined
  /** The evaluator infos of `candidateEvaluationId`, which its stored results do not contain yet. */
  candidateEvaluators?: readonly (EvaluatorInfo & { name: string })[] | undefined
}

/** Reads two runs of a dataset: the items that are the same in both, and the metrics that both have. */
export async function pairRuns(
  q: Queries,
  request: PairRequest,
  runs: { baseline: ComparedRun; candidate: ComparedRun },
) {
  const { workspaceId, split, baselineRunId, candidateRunId } = request
  const own = { evaluationId: request.candidateEvaluationId, evaluators: request.candidateEvaluators }
  const baseline = await readRunData(q, { workspaceId, run: runs.baseline, otherRunId: candidateRunId })
  const candidate = await readRunData(q, { workspaceId, run: runs.candidate, otherRunId: baselineRunId, ...own })
  const sides = { baseline, candidate }
  await yieldToEventLoop()
  const dataset = { workspaceId, datasetId: runs.baseline.datasetId }
  const sameAs = await readDuplicates(q, dataset)
  const both = { baseline: baseline.cases, candidate: candidate.cases }
  const cases = await selectCases(q, { workspaceId, runs, split, sameAs }, both)
  const isBlind = await isBlindReader(q, request)
  const found = selectMetrics(sides, await readRatingScheme(q, workspaceId))
  const { metrics, notCompared } = isBlind ? withholdRatings(found, sides) : found
  const changes = await findItemChanges(q, dataset, { sides, cases, metrics, sameAs })
  const paired = pairItems(withoutChanged(cases, changes), sameAs)
  await yieldToEventLoop()
  return { ...sides, dataset, cases, isBlind, metrics, notCompared, changes, paired }
}

/** True if the reader must rate one of the two runs blindly. */
export async function isBlindReader(
  q: Queries,
  { workspaceId, baselineRunId, candidateRunId, readerId, withholdsRatings }: ReadRuns,
): Promise<boolean> {
  if (withholdsRatings) return true
  if (readerId === undefined) return false
  const reader = { workspaceId, readerId }
  return (await isBlindTo(q, { ...reader, runId: baselineRunId })) || isBlindTo(q, { ...reader, runId: candidateRunId })
}
