/**
 * The verdict on a change: what a run did with the items of a dataset, against what another run did with the same items.
 *
 * Read in few statements, by pages; then everything is computed anew on each request, from what is stored. Random draws are seeded by the two
 * runs and the metric, so reading twice gives the same answer.
 */

import { readRatingScheme } from '../annotations/rating-scheme-queries.ts'
import { badRequest, notFound } from '../base/errors.ts'
import { yieldToEventLoop } from '../base/event-loop.ts'
import type { Page } from '../base/page.ts'
import { isBlindTo } from '../scores/blind-annotations.ts'
import type { EvaluatorInfo } from '../scores/evaluator-info.ts'
import type { Queries } from '../storage/db.ts'
import { type ComparedLabels, compareLabels } from './compare-labels.ts'
import { compareMetric } from './compare-metric.ts'
import { type Metric, selectMetrics, withholdRatings } from './compared-metrics.ts'
import { type ComparedRun, findComparedRun } from './comparison-queries.ts'
import { type ComparisonRow, countFailed, orderRows, rowsOfPage } from './comparison-rows.ts'
import { measurePairs } from './measure-pairs.ts'
import { type ComparedMetric, decideMetricVerdicts, type MeasuredMetric } from './metric-verdicts.ts'
import { overallVerdict } from './overall-verdict.ts'
import { pairItems } from './pair-items.ts'
import { type RunData, readRunData } from './read-run-data.ts'
import type { ValuePairs } from './value-pairs.ts'
import type { Verdict } from './verdict.ts'

export type ComparisonRequest = {
  workspaceId: string
  baselineRunId: string
  candidateRunId: string
  /** Given: both runs must be of it. Else it is enough that they are of the same one. */
  componentId?: string | undefined
  margin?: number | undefined
  /** Taken for the candidate although it is not completed yet: gates are decided before that. */
  candidateEvaluationId?: string | undefined
  /** What that evaluation would tell of its evaluators if it were completed. */
  candidateEvaluators?: readonly (EvaluatorInfo & { name: string })[] | undefined
  /** Who reads it: while a run is rated blindly, raters are not told what people said. Nobody, if it is for a gate. */
  readerId?: string | undefined
  /** Which rows to answer; none without. */
  page?: Page | undefined
}

export type Comparison = {
  baseline: ComparedSide
  candidate: ComparedSide
  pairs: number
  onlyBaseline: number
  onlyCandidate: number
  failed: number
  verdict: Verdict
  summary: string
  metrics: ComparedMetric[]
  labels: ComparedLabels[]
  notCompared: { name: string; reason: string }[]
  total: number
  data: ComparisonRow[]
}

type ComparedSide = { runId: string; name: string | null; traceCount: number; evaluationId: string | null }

const NO_ROWS: Page = { limit: 0, offset: 0 }

/** Throws 404 for a run that is not there, and 400 for two that cannot be compared. */
export async function compareRuns(q: Queries, request: ComparisonRequest): Promise<Comparison> {
  const { workspaceId, margin, page = NO_ROWS } = request
  const runs = await findRuns(q, request)
  const baseline = await readRunData(q, { workspaceId, run: runs.baseline })
  const candidate = withEvaluators(
    await readRunData(q, { workspaceId, run: runs.candidate, evaluationId: request.candidateEvaluationId }),
    request.candidateEvaluators ?? [],
  )
  await yieldToEventLoop()
  const paired = pairItems(baseline.cases, candidate.cases)
  await yieldToEventLoop()
  const found = selectMetrics({ baseline, candidate }, await readRatingScheme(q, workspaceId))
  const { metrics, notCompared } = (await isBlindReader(q, request))
    ? withholdRatings(found, { baseline, candidate })
    : found
  const measuredMetrics: MeasuredMetric[] = []
  const labels: ComparedLabels[] = []
  for (const metric of metrics) {
    const measured = await measurePairs(metric, paired.pairs)
    const sampling = samplingOptions(runs, metric)
    await yieldToEventLoop()
    if (isLabelMetric(metric, measured)) {
      labels.push(await compareLabels(yieldToEventLoop, measured, { name: metric.name, seed: sampling.seed }))
    } else {
      const { values, labels: _, ...kept } = measured
      const evidence = await compareMetric(yieldToEventLoop, values, { ...metric, margin, ...sampling })
      measuredMetrics.push({ metric, measured: kept, evidence })
    }
    await yieldToEventLoop()
  }
  const verdicts = decideMetricVerdicts(measuredMetrics, { margin, candidateName: candidateNameOf(runs.candidate) })
  const quality = measuredMetrics.filter(({ metric }) => metric.role === 'quality')
  const rows = orderRows(
    paired,
    quality.map(({ measured }) => measured.gains),
  )
  await yieldToEventLoop()
  return {
    baseline: sideOf(baseline),
    candidate: sideOf(candidate),
    pairs: paired.pairs.length,
    onlyBaseline: paired.onlyBaseline.length,
    onlyCandidate: paired.onlyCandidate.length,
    failed: countFailed(rows, metrics),
    ...overallVerdict(verdicts),
    metrics: verdicts,
    labels,
    notCompared,
    total: rows.length,
    data: rowsOfPage(rows, metrics, page),
  }
}

async function isBlindReader(
  q: Queries,
  { workspaceId, baselineRunId, candidateRunId, readerId }: ComparisonRequest,
): Promise<boolean> {
  if (readerId === undefined) return false
  const reader = { workspaceId, readerId }
  return (await isBlindTo(q, { ...reader, runId: baselineRunId })) || isBlindTo(q, { ...reader, runId: candidateRunId })
}

async function findRuns(
  q: Queries,
  { workspaceId, baselineRunId, candidateRunId, componentId }: ComparisonRequest,
): Promise<{ baseline: ComparedRun; candidate: ComparedRun }> {
  const baseline = await findComparedRun(q, { workspaceId, runId: baselineRunId })
  const candidate = await findComparedRun(q, { workspaceId, runId: candidateRunId })
  const expectedComponentId = componentId ?? baseline?.componentId
  if (baseline?.componentId !== expectedComponentId || candidate?.componentId !== expectedComponentId)
    throw notFound('Run')
  if (!baseline || !candidate) throw notFound('Run')
  if (baselineRunId === candidateRunId) throw badRequest('The baseline and the candidate must be two different runs')
  if (baseline.datasetId !== candidate.datasetId) throw badRequest('The two runs must be of the same dataset')
  return { baseline, candidate }
}

function withEvaluators(side: RunData, infos: readonly (EvaluatorInfo & { name: string })[]): RunData {
  if (infos.length === 0) return side
  return { ...side, evaluators: new Map([...side.evaluators, ...infos.map((info) => [info.name, info] as const)]) }
}

/** The same draws for both orders of the runs, so that exchanging them mirrors the answer. */
function samplingOptions({ baseline, candidate }: { baseline: ComparedRun; candidate: ComparedRun }, { name }: Metric) {
  const isInOrder = baseline.runId < candidate.runId
  const ids = isInOrder ? [baseline.runId, candidate.runId] : [candidate.runId, baseline.runId]
  return { seed: [...ids, name].join(':'), order: isInOrder ? ('as given' as const) : ('reversed' as const) }
}

function isLabelMetric({ kind }: Metric, { values, labels }: { values: ValuePairs; labels: readonly unknown[] }) {
  return values.length === 0 && (kind === 'categorical' || labels.length > 0)
}

const NAME_SHOWN_MAX = 80

function candidateNameOf({ name }: ComparedRun): string {
  if (name === null || name.trim() === '') return 'The candidate'
  const characters = [...name.trim()]
  return characters.length > NAME_SHOWN_MAX ? `${characters.slice(0, NAME_SHOWN_MAX).join('')}…` : characters.join('')
}

function sideOf({ run, evaluationId }: RunData): ComparedSide {
  return { runId: run.runId, name: run.name, traceCount: run.traceCount, evaluationId }
}
