/**
 * Compares the results of two runs on the same dataset and returns a verdict.
 *
 * The comparison is computed from stored data on each request, without random draws. Data is read in pages.
 */

import { badRequest, notFound } from '../base/errors.ts'
import { yieldToEventLoop } from '../base/event-loop.ts'
import type { Page } from '../base/page.ts'
import { readItemGroups } from '../datasets/items/item-groups.ts'
import type { Split } from '../datasets/splits/split.ts'
import type { Queries } from '../storage/db.ts'
import { type ComparedLabels, compareLabels } from './evidence/compare-labels.ts'
import { compareMetric } from './evidence/compare-metric.ts'
import { correctDifference, itemsDrawn } from './evidence/correct-difference.ts'
import type { GroupOf } from './evidence/estimate-mean.ts'
import { changesSummary, type ItemChanges } from './pairing/compared-items.ts'
import { type Metric, type NotCompared, RATING_METRIC } from './pairing/compared-metrics.ts'
import { type ComparedRun, findComparedRun } from './pairing/comparison-queries.ts'
import type { ItemValues } from './pairing/item-values.ts'
import { type MeasuredItems, measureItems } from './pairing/measure-items.ts'
import type { PairedItems } from './pairing/pair-items.ts'
import { type PairRequest, pairRuns } from './pairing/pair-runs.ts'
import type { RunData } from './pairing/read-run-data.ts'
import { findLookRule, type Look, resultHashOf } from './record-comparison-look.ts'
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
import type { Looking, LookRule } from './verdicts/look-rule.ts'
import { type ComparedMetric, decideMetricVerdicts, type MeasuredMetric } from './verdicts/metric-verdicts.ts'
import { overallVerdict, type Verdict, withNotes } from './verdicts/verdict.ts'
import { type RunNames, UNNAMED } from './verdicts/verdict-summary.ts'

export type ComparisonRequest = PairRequest & {
  /** If set, both runs must belong to this component. Otherwise both runs must belong to the same component. */
  componentId?: string | undefined
  /** Default: that of the gate of the candidate's evaluation against this baseline, so that both have the same verdict. */
  margin?: number | undefined
  /** Uses intervals and tests that stay valid however often the comparison is read while items are added. Default: as the gate. */
  isSequential?: boolean | undefined
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
  /** The margin that was applied; null if there is none. */
  margin: number | null
  /** What was read: the dataset, whether items of its test split, and how many if it is a sample. Not part of the response. */
  dataset: { id: string; readsTest: boolean; coverage: string | null }
  /** To record that the result was read. Not part of the response. */
  look: Look
  looking: Looking
  verdict: Verdict
  summary: string
  metrics: ComparedMetric[]
  labels: ComparedLabels[]
  notCompared: NotCompared[]
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
  /** The metrics that the reader may see. */
  metrics: readonly Metric[]
}

export type ComparedSide = { runId: string; name: string | null; traceCount: number; evaluationId: string | null }

const NO_ROWS: Page = { limit: 0, offset: 0 }

/** Throws 404 if a run does not exist, and 400 if the two runs cannot be compared. */
export async function compareRuns(q: Queries, request: ComparisonRequest): Promise<Comparison> {
  const { split, page = NO_ROWS, rows: selection } = request
  const measured = await measureRuns(q, request)
  const { paired, metrics, measuredMetrics, labels, notCompared, names, dataset, changes, look, rule, margin } =
    measured
  const verdicts = decideMetricVerdicts(measuredMetrics, { margin, names, rule })
  const ordering = orderingMetrics(measuredMetrics, selection?.metric)
  const gains = ordering.map((one) => one.measured.gains)
  const rows = orderRows(paired, gains)
  await yieldToEventLoop()
  const filtered = selection && {
    ...filterRows(rows, { ...selection, metrics: ordering.map(({ metric }) => metric) }),
    metrics,
  }
  const itemChanges = itemChangesOf(changes)
  const shown = (filtered?.rows ?? rows).slice(page.offset, page.offset + page.limit)
  return {
    ...countsOf(measured),
    failed: countFailed(rows, metrics),
    groupBy: measured.groupBy,
    split: split ?? null,
    margin: margin ?? null,
    dataset,
    look,
    looking: rule.looking,
    ...withNotes(overallVerdict(verdicts, notCompared), itemChanges, dataset),
    metrics: verdicts,
    labels,
    notCompared,
    itemChanges,
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
  added: { count: number; items: string[] }
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
    added: listed(changes.added),
    unverified: changes.unverified,
    duplicates: changes.duplicates,
    summary: changesSummary(changes),
  }
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
  notCompared: NotCompared[]
  changes: Changes
  groupBy: string | null
  /** Undefined if the dataset names no groups. */
  groupOf: GroupOf | undefined
  dataset: Comparison['dataset']
  margin: number | undefined
  look: Look
  /** Decides at this look. */
  rule: LookRule
}

export function countsOf({ baseline, candidate, paired }: Pick<MeasuredRuns, 'baseline' | 'candidate' | 'paired'>) {
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
  const { split } = request
  const runs = await findComparedRuns(q, request)
  const pairing = await pairRuns(q, request, runs)
  const { baseline, candidate, dataset, cases, metrics, notCompared, changes, paired } = pairing
  const { margin = candidate.gateRule?.margin, isSequential = candidate.gateRule?.isSequential ?? false } = request
  const groups = await readItemGroups(q, dataset)
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
      const rated = metric.isJudged ? ratings : undefined
      const corrected = (alpha: number) => (rated ? correctDifference(metric, values, rated, alpha) : null)
      measuredMetrics.push({ metric, measured: { missing, failed, flips, orderFlips, gains }, evidence, corrected })
    }
    await yieldToEventLoop()
  }
  const compared = { baseline: sideOf(baseline), candidate: sideOf(candidate), paired, measuredMetrics }
  const groupBy = groups?.groupBy ?? null
  const hash = resultHashOf({ ...compared, ...countsOf(compared), split, groupBy })
  const items = paired.items.filter((item) => item.baseline.length > 0 && item.candidate.length > 0).length
  const looked = { ...request, ...dataset, result: { hash, items }, declared: candidate.plan, isSequential }
  return {
    ...compared,
    ...(await findLookRule(q, looked)),
    names: runNamesOf(runs),
    metrics,
    labels,
    notCompared,
    changes: { ...changes, duplicates: paired.duplicates },
    groupBy,
    groupOf: groups?.groupOf,
    margin,
    dataset: { id: dataset.datasetId, readsTest: cases.readsTest, coverage: cases.coverage },
  }
}

type TwoRuns = Pick<ComparisonRequest, 'workspaceId' | 'baselineRunId' | 'candidateRunId'>
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

function isLabelMetric({ kind }: Metric, { values, labels }: MeasuredItems) {
  return values.length === 0 && (kind === 'categorical' || labels.length > 0)
}

const NAME_SHOWN_MAX = 80

function runNamesOf({ baseline, candidate }: { baseline: ComparedRun; candidate: ComparedRun }): RunNames {
  return { baseline: shownName(baseline, UNNAMED.baseline), candidate: shownName(candidate, UNNAMED.candidate) }
}

function shownName({ name }: ComparedRun, otherwise: string): string {
  if (name === null || name.trim() === '') return otherwise
  const characters = [...name.trim()]
  return characters.length > NAME_SHOWN_MAX ? `${characters.slice(0, NAME_SHOWN_MAX).join('')}…` : characters.join('')
}

function sideOf({ run, evaluationId }: RunData): ComparedSide {
  return { runId: run.runId, name: run.name, traceCount: run.traceCount, evaluationId }
}
