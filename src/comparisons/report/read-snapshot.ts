/**
 * Everything that a report of a comparison shows, as it was at one time. It needs neither the runs nor their traces
 * later: a decision stores it, and stays readable when they are deleted.
 */
import { type Clock, timestamp } from '../../base/clock.ts'
import { VERSION } from '../../base/version.ts'
import { readRunMetadata } from '../../runs/run-metadata-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { findTraceContents } from '../../traces/trace-contents.ts'
import { type Comparison, type ComparisonRequest, compareRuns } from '../compare-runs.ts'
import type { Looks } from '../record-comparison-look.ts'
import type { ComparisonRow } from '../rows/comparison-rows.ts'
import { type RunPrompt, readRunPrompts } from '../run-prompt-queries.ts'
import { SINGLE_LOOK } from '../verdicts/look-rule.ts'
import type { ComparedMetric } from '../verdicts/metric-verdicts.ts'
import { findDatasetNames, listComparedItemTexts } from './snapshot-queries.ts'

/** The items that got worse are listed up to the first number, and counted up to the second. */
const ITEMS_LISTED_MAX = 50
const ITEMS_COUNTED_MAX = 1_000
const TEXT_LENGTH_MAX = 1_000

export type SnapshotRequest = Pick<
  ComparisonRequest,
  'workspaceId' | 'baselineRunId' | 'candidateRunId' | 'margin' | 'split' | 'readerId' | 'withholdsRatings'
> & { componentId: string; metric?: string | undefined }

/** Decisions of older versions have no prompts. */
type Side = Comparison['baseline'] & { metadata: Record<string, unknown>; prompts?: readonly RunPrompt[] }

/** A text up to a limit. */
export type Excerpt = { text: string; isCut: boolean }

export type WorseItem = {
  itemId: string | null
  input: Excerpt | null
  expected: Excerpt | null
  baselineOutput: Excerpt | null
  candidateOutput: Excerpt | null
  /** On the metrics that count for the verdict. */
  scores: ComparisonRow['scores']
}

/** What is known before the reading is recorded. */
export type Measured = Pick<
  Comparison,
  | 'pairs'
  | 'onlyBaseline'
  | 'onlyCandidate'
  | 'failed'
  | 'groupBy'
  | 'split'
  | 'margin'
  | 'verdict'
  | 'summary'
  | 'metrics'
  | 'labels'
  | 'notCompared'
  | 'itemChanges'
  | 'looking'
> & {
  baseline: Side
  candidate: Side
  component: string
  dataset: string
  metric: string | null
  worseItems: { count: number; isCountCut: boolean; data: WorseItem[] }
  serverVersion: string
  comparedAt: string
}

export type Snapshot = Measured & Looks & { testSet: { openings: number; summary: string } | null }

/** Snapshots of older versions lack fields. They compared all metrics by their differences, each alone. */
export function readStoredSnapshot(text: string): Snapshot {
  const snapshot: Snapshot = JSON.parse(text)
  const metrics = snapshot.metrics.map((metric) => {
    const { items, incomplete, baseline, candidate, failed, neither = 0, summary } = metric.missingItems
    const older = { ...OLDER_METRIC, values: { baseline: metric.n, candidate: metric.n } }
    const missingItems = { items, incomplete, baseline, candidate, failed, neither, summary }
    const corrected =
      metric.corrected && Object.assign({ marginCi: metric.corrected.ci, excluded: 0 }, metric.corrected)
    return Object.assign(older, metric, { missingItems, corrected })
  })
  const notCompared = snapshot.notCompared.map((one) => Object.assign({ evaluate: null }, one))
  const { looking = SINGLE_LOOK.looking } = snapshot
  const itemChanges = Object.assign({ ...NOTHING_KNOWN }, snapshot.itemChanges)
  return { ...snapshot, itemChanges, looking, metrics, notCompared }
}

const NONE = { count: 0, items: [] }
const NOTHING_KNOWN = { changed: NONE, removed: NONE, added: NONE, unverified: 0, duplicates: 0, summary: null }
const OLDER_METRIC = {
  evaluations: null,
  confidence: 0.95,
  ratio: null,
  ratioCi: null,
  totalRatio: null,
  correction: null,
  alone: null,
  marginCi: null,
  orderFlips: null,
}

/** `dataset` is what was read, to record that its test split was opened. */
export async function measureSnapshot(
  q: Queries,
  clock: Clock,
  request: SnapshotRequest,
): Promise<{ measured: Measured } & Pick<Comparison, 'dataset' | 'look'>> {
  const { workspaceId, componentId, metric = null } = request
  const {
    dataset,
    look,
    total: _,
    data,
    ...compared
  } = await compareRuns(q, {
    ...request,
    page: { limit: ITEMS_COUNTED_MAX, offset: 0 },
  })
  const names = await findDatasetNames(q, { workspaceId, datasetId: dataset.id })
  const metadataOf = async (runId: string) => (await readRunMetadata(q, { workspaceId, componentId, runId })) ?? {}
  const prompts = await readRunPrompts(q, request)
  const worse = data.filter((row) => isWorse(row, compared.metrics))
  const measured = {
    ...compared,
    baseline: {
      ...compared.baseline,
      metadata: await metadataOf(compared.baseline.runId),
      prompts: prompts.baseline,
    },
    candidate: {
      ...compared.candidate,
      metadata: await metadataOf(compared.candidate.runId),
      prompts: prompts.candidate,
    },
    component: names?.component ?? '',
    dataset: names?.dataset ?? '',
    metric,
    worseItems: {
      count: worse.length,
      isCountCut: worse.length === ITEMS_COUNTED_MAX,
      data: await readWorseItems(q, { workspaceId, datasetId: dataset.id, metrics: compared.metrics }, worse),
    },
    serverVersion: VERSION,
    comparedAt: timestamp(clock.now()),
  }
  return { measured, dataset, look }
}

/** Worse on at least one metric that counts, as the order of the rows defines it. */
function isWorse({ scores }: ComparisonRow, metrics: readonly ComparedMetric[]): boolean {
  return qualityOf(metrics).some(({ name, higherIsBetter }) => {
    const deltas = scores.flatMap((one) => (one.name === name && one.delta !== null ? [one.delta] : []))
    const change = deltas.reduce((sum, delta) => sum + delta, 0)
    return higherIsBetter ? change < 0 : change > 0
  })
}

function qualityOf(metrics: readonly ComparedMetric[]): ComparedMetric[] {
  return metrics.filter(({ role }) => role === 'quality')
}

async function readWorseItems(
  q: Queries,
  { workspaceId, datasetId, metrics }: { workspaceId: string; datasetId: string; metrics: readonly ComparedMetric[] },
  worse: readonly ComparisonRow[],
): Promise<WorseItem[]> {
  const rows = worse.slice(0, ITEMS_LISTED_MAX)
  const refs = rows.flatMap(({ baselineTraceId, candidateTraceId }) => [baselineTraceId ?? [], candidateTraceId ?? []])
  const traces = await findTraceContents(q, workspaceId, refs.flat())
  const itemIds = rows.flatMap(({ itemId }) => itemId ?? [])
  const texts = await listComparedItemTexts(q, { workspaceId, datasetId, itemIds })
  const items = new Map(texts.map((item) => [item.id, item]))
  const counted = new Set(qualityOf(metrics).map(({ name }) => name))
  return rows.map(({ itemId, baselineTraceId, candidateTraceId, scores }) => {
    const item = items.get(itemId ?? '')
    const [before, after] = [traces.get(baselineTraceId ?? ''), traces.get(candidateTraceId ?? '')]
    return {
      itemId,
      input: excerptOf(item?.input ?? after?.input ?? before?.input),
      expected: excerptOf(item?.expected),
      baselineOutput: excerptOf(before?.output),
      candidateOutput: excerptOf(after?.output),
      scores: scores.filter(({ name }) => counted.has(name)),
    }
  })
}

function excerptOf(text: string | null | undefined): Excerpt | null {
  if (text === null || text === undefined) return null
  if (text.length <= TEXT_LENGTH_MAX) return { text, isCut: false }
  // Not in the middle of a character.
  return { text: text.slice(0, TEXT_LENGTH_MAX).replace(/[\uD800-\uDBFF]$/, ''), isCut: true }
}
