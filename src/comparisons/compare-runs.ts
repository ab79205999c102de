/**
 * Compares the results of two runs on the same dataset and returns a verdict.
 *
 * The comparison is computed from stored data on each request, without random draws. Data is read in pages.
 */

import { isBlindTo } from '../annotations/blind-annotation-queries.ts'
import { readRatingScheme } from '../annotations/rating-rule-queries.ts'
import { badRequest, notFound } from '../base/errors.ts'
import { yieldToEventLoop } from '../base/event-loop.ts'
import type { Page } from '../base/page.ts'
import { readItemGroups } from '../datasets/items/item-groups.ts'
import type { Split } from '../datasets/splits/split.ts'
import type { EvaluatorInfo } from '../scores/evaluator-info.ts'
import type { Queries } from '../storage/db.ts'
import { type ComparedLabels, compareLabels } from './evidence/compare-labels.ts'
import { compareMetric } from './evidence/compare-metric.ts'
import { correctDifference, itemsDrawn } from './evidence/correct-difference.ts'
import { type Metric, RATING_METRIC, selectMetrics, withholdRatings } from './pairing/compared-metrics.ts'
import { type ComparedRun, findComparedRun } from './pairing/comparison-queries.ts'
import {
  changesSummary,
  findItemChanges,
  type ItemChanges,
  readDuplicates,
  withoutChanged,
} from './pairing/equal-items.ts'
import type { ItemValues } from './pairing/item-values.ts'
import { type MeasuredItems, measureItems } from './pairing/measure-items.ts'
import { type PairedItems, pairItems } from './pairing/pair-items.ts'
import { type RunData, readRunData, selectCases } from './pairing/read-run-data.ts'
import {
  type ComparisonRow,
  countFailed,
  filterRows,
  orderRows,
  type Row,
  type RowCounts,
  type RowFilter,
  toComparisonRows,
} from './rows/comparison-rows.ts'
import { type ComparedMetric, decideMetricVerdicts, type MeasuredMetric } from './verdicts/metric-verdicts.ts'
import { overallVerdict, type Verdict } from './verdicts/verdict.ts'
import type { RunNames } from './verdicts/verdict-summary.ts'

export type ComparisonRequest = {
  workspaceId: string
  baselineRunId: string
  candidateRunId: string
  /** If set, both runs must belong to this component. Otherwise both runs must belong to the same component. */
  componentId?: string | undefined
  margin?: number | undefined
  /** Compares only items of this split. */
  split?: Split | undefined
  /** Uses intervals and tests that stay valid however often the comparison is read while items are added. */
  isSequential?: boolean | undefined
  /**
   * The evaluation to use for the candidate even if it is not completed: a gate is decided before the evaluation
   * completes.
   */
  candidateEvaluationId?: string | undefined
  /** The evaluator infos of `candidateEvaluationId`, which its stored results do not contain yet. */
  candidateEvaluators?: readonly (EvaluatorInfo & { name: string })[] | undefined
  /**
   * The user who reads the comparison. In a run that is rated blindly, ratings are withheld from raters. Undefined for
   * a gate.
   */
  readerId?: string | undefined
  /** Withholds ratings from every reader: for what is stored and shown to others later. */
  withholdsRatings?: boolean | undefined
  /** The page of rows to return. No rows if undefined. */
  page?: Page | undefined
  /** Selects rows. Undefined: all rows, ordered by all quality metrics, and no `selection`. */
  rows?: RowSelection | undefined
}

type RowSelection = {
  /** Filters and orders by this metric; by all quality metrics if undefined. */
  metric?: string | undefined
  filter?: RowFilter | undefined
  /** Only the rows of this item. */
  itemId?: string | undefined
}

export type Comparison = {
  baseline: ComparedSide
  candidate: ComparedSide
  pairs: number
  onlyBaseline: number
  onlyCandidate: number
  failed: number
  /** The field that groups the items; null if the dataset names none. */
  groupBy: string | null
  split: Split | null
  /** What was read: the dataset, and whether items of its test split. Not part of the response. */
  dataset: { id: string; readsTest: boolean }
  verdict: Verdict
  summary: string
  metrics: ComparedMetric[]
  labels: ComparedLabels[]
  notCompared: { name: string; reason: string }[]
  itemChanges: ItemChangeCounts
  total: number
  data: ComparisonRow[]
  /** If rows were selected. Not part of the response. */
  selection?: SelectedRows
}

type SelectedRows = {
  /** The page, in the order of `data`. */
  rows: readonly Row[]
  counts: RowCounts
  /** The number of rows of all pages. */
  selected: number
  /** The names of the metrics that the reader may see. */
  metrics: string[]
}

export type ComparedSide = { runId: string; name: string | null; traceCount: number; evaluationId: string | null }

const NO_ROWS: Page = { limit: 0, offset: 0 }

/** Throws 404 if a run does not exist, and 400 if the two runs cannot be compared. */
export async function compareRuns(q: Queries, request: ComparisonRequest): Promise<Comparison> {
  const { margin, split, page = NO_ROWS, rows: selection } = request
  const measured = await measureRuns(q, request)
  const { paired, metrics, measuredMetrics, labels, notCompared, names, groupBy, dataset, changes } = measured
  const verdicts = decideMetricVerdicts(measuredMetrics, { margin, names })
  const ordering = orderingMetrics(measuredMetrics, selection?.metric)
  const rows = orderRows(
    paired,
    ordering.map(({ measured }) => measured.gains),
  )
  await yieldToEventLoop()
  const filtered = selection && {
    ...filterRows(rows, { ...selection, metrics: ordering.map(({ metric }) => metric) }),
    metrics: metrics.map(({ name }) => name),
  }
  const shown = (filtered?.rows ?? rows).slice(page.offset, page.offset + page.limit)
  return {
    ...countsOf(measured),
    failed: countFailed(rows, metrics),
    groupBy,
    split: split ?? null,
    dataset,
    ...withChanges(overallVerdict(verdicts.map(withIdle)), changes),
    metrics: verdicts,
    labels,
    notCompared,
    itemChanges: itemChangesOf(changes),
    total: rows.length,
    data: toComparisonRows(shown, metrics),
    ...(filtered && { selection: { ...filtered, rows: shown, selected: filtered.rows.length } }),
  }
}

type Changes = ItemChanges & { readonly duplicates: number }

/** Items that are not the same in both evaluations, which are not compared. */
export type ItemChangeCounts = {
  changed: { count: number; items: string[] }
  removed: { count: number; items: string[] }
  /** Compared items of which it is not known whether they changed. */
  unverified: number
  /** Items that count as one with another item, because their question and expected answer are the same. */
  duplicates: number
  summary: string | null
}

const CHANGES_LISTED_MAX = 100

export function itemChangesOf(changes: Changes): ItemChangeCounts {
  const listed = (items: readonly string[]) => ({ count: items.length, items: items.slice(0, CHANGES_LISTED_MAX) })
  return {
    changed: listed(changes.changed),
    removed: listed(changes.removed),
    unverified: changes.unverified,
    duplicates: changes.duplicates,
    summary: changesSummary(changes),
  }
}

export function withChanges<Judged extends { summary: string }>(judged: Judged, changes: Changes): Judged {
  const left = changesSummary(changes)
  const { duplicates } = changes
  const notes = [
    left === null ? [] : [`${left} and not compared.`],
    duplicates === 0
      ? []
      : [
          `${duplicates} ${duplicates === 1 ? 'item repeats' : 'items repeat'} another one and ${duplicates === 1 ? 'counts' : 'count'} with it.`,
        ],
  ].flat()
  return notes.length === 0 ? judged : { ...judged, summary: [judged.summary, ...notes].join(' ') }
}

/** Errors of two runs without any say nothing. */
export function withIdle(metric: ComparedMetric): ComparedMetric & { isIdle: boolean } {
  const { name, wins, losses, candidate } = metric
  return { ...metric, isIdle: name === 'error' && wins + losses === 0 && candidate.mean === 0 }
}

/** The metrics by which rows are ordered and filtered: the named one, or all quality metrics. */
function orderingMetrics(measured: readonly MeasuredMetric[], name: string | undefined): MeasuredMetric[] {
  if (name === undefined) return measured.filter(({ metric }) => metric.role === 'quality')
  const found = measured.filter(({ metric }) => metric.name === name)
  if (found.length === 0) throw badRequest('The query parameter metric must be the name of a compared metric')
  return found
}

/** Everything that is known of the two runs before the verdicts. */
export type MeasuredRuns = {
  baseline: ComparedSide
  candidate: ComparedSide
  names: RunNames
  paired: PairedItems
  metrics: readonly Metric[]
  measuredMetrics: MeasuredMetric[]
  labels: ComparedLabels[]
  notCompared: { name: string; reason: string }[]
  changes: Changes
  groupBy: string | null
  dataset: Comparison['dataset']
}

export function countsOf({ baseline, candidate, paired }: MeasuredRuns) {
  return {
    baseline,
    candidate,
    pairs: paired.pairs.length,
    onlyBaseline: paired.onlyBaseline.length,
    onlyCandidate: paired.onlyCandidate.length,
  }
}

/** `onValues` receives the values of each metric. */
export async function measureRuns(
  q: Queries,
  request: ComparisonRequest,
  onValues: (metric: Metric, values: ItemValues) => void = () => {},
): Promise<MeasuredRuns> {
  const { workspaceId, margin, split, isSequential } = request
  const runs = await findComparedRuns(q, request)
  const baseline = await readRunData(q, { workspaceId, run: runs.baseline })
  const candidate = withEvaluators(
    await readRunData(q, { workspaceId, run: runs.candidate, evaluationId: request.candidateEvaluationId }),
    request.candidateEvaluators ?? [],
  )
  await yieldToEventLoop()
  const dataset = { workspaceId, datasetId: runs.baseline.datasetId }
  const groups = await readItemGroups(q, dataset)
  const sides = { baseline: baseline.cases, candidate: candidate.cases }
  const selected = await selectCases(q, { ...dataset, split }, sides)
  const changes = await findItemChanges(q, dataset, { sides: { baseline, candidate }, cases: selected })
  const equal = withoutChanged(selected, changes)
  const sameAs = await readDuplicates(q, dataset)
  const paired = pairItems(equal.baseline, equal.candidate, sameAs)
  await yieldToEventLoop()
  const found = selectMetrics({ baseline, candidate }, await readRatingScheme(q, workspaceId))
  const { metrics, notCompared } = (await isBlindReader(q, request))
    ? withholdRatings(found, { baseline, candidate })
    : found
  const ratings = await readRatingDifferences(metrics, paired, { baseline, candidate })
  const measuredMetrics: MeasuredMetric[] = []
  const labels: ComparedLabels[] = []
  for (const metric of metrics) {
    const measured = await measureItems(metric, paired)
    await yieldToEventLoop()
    if (isLabelMetric(metric, measured)) {
      labels.push(await compareLabels(measured, { name: metric.name, groupOf: groups?.groupOf }))
    } else {
      const { values, missing, failed, flips, orderFlips, gains } = measured
      onValues(metric, values)
      const evidence = await compareMetric(measured, { ...metric, margin, groupOf: groups?.groupOf, isSequential })
      const corrected = metric.isJudged && ratings ? correctDifference(metric, values, ratings) : null
      measuredMetrics.push({ metric, measured: { missing, failed, flips, orderFlips, gains }, evidence, corrected })
    }
    await yieldToEventLoop()
  }
  return {
    baseline: sideOf(baseline),
    candidate: sideOf(candidate),
    names: runNamesOf(runs),
    paired,
    metrics,
    measuredMetrics,
    labels,
    notCompared,
    changes: { ...changes, duplicates: paired.duplicates },
    groupBy: groups?.groupBy ?? null,
    dataset: { id: dataset.datasetId, readsTest: selected.readsTest },
  }
}

type TwoRuns = Pick<ComparisonRequest, 'workspaceId' | 'baselineRunId' | 'candidateRunId'>
type RunsOfReader = TwoRuns & Pick<ComparisonRequest, 'readerId' | 'withholdsRatings'>

/** True if the reader must rate one of the two runs blindly. */
export async function isBlindReader(
  q: Queries,
  { workspaceId, baselineRunId, candidateRunId, readerId, withholdsRatings }: RunsOfReader,
): Promise<boolean> {
  if (withholdsRatings) return true
  if (readerId === undefined) return false
  const reader = { workspaceId, readerId }
  return (await isBlindTo(q, { ...reader, runId: baselineRunId })) || isBlindTo(q, { ...reader, runId: candidateRunId })
}

/** Throws 404 if a run does not exist, and 400 if the two runs cannot be compared. */
export async function findComparedRuns(
  q: Queries,
  { workspaceId, baselineRunId, candidateRunId, componentId }: TwoRuns & Pick<ComparisonRequest, 'componentId'>,
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

/** The difference of the ratings for each item that people rated in both runs; undefined if there are none. */
async function readRatingDifferences(metrics: readonly Metric[], paired: PairedItems, sides: TwoSides) {
  const metric = metrics.find(({ name, isSampled }) => name === RATING_METRIC && isSampled)
  if (!metric) return undefined
  const { values } = await measureItems(metric, paired)
  if (values.length === 0) return undefined
  return { differences: values.differencesByItem(), drawn: itemsDrawn(paired.items, sides), scale: metric.scale }
}

type TwoSides = { baseline: RunData; candidate: RunData }

function withEvaluators(side: RunData, infos: readonly (EvaluatorInfo & { name: string })[]): RunData {
  if (infos.length === 0) return side
  return { ...side, evaluators: new Map([...side.evaluators, ...infos.map((info) => [info.name, info] as const)]) }
}

function isLabelMetric({ kind }: Metric, { values, labels }: MeasuredItems) {
  return values.length === 0 && (kind === 'categorical' || labels.length > 0)
}

const NAME_SHOWN_MAX = 80

function runNamesOf({ baseline, candidate }: { baseline: ComparedRun; candidate: ComparedRun }): RunNames {
  return { baseline: shownName(baseline, 'The baseline'), candidate: shownName(candidate, 'The candidate') }
}

function shownName({ name }: ComparedRun, otherwise: string): string {
  if (name === null || name.trim() === '') return otherwise
  const characters = [...name.trim()]
  return characters.length > NAME_SHOWN_MAX ? `${characters.slice(0, NAME_SHOWN_MAX).join('')}…` : characters.join('')
}

function sideOf({ run, evaluationId }: RunData): ComparedSide {
  return { runId: run.runId, name: run.name, traceCount: run.traceCount, evaluationId }
}
