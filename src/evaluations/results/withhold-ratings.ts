/**
 * The results of an evaluation for a reader who still has to rate blindly: without anything derived from the ratings
 * of others. Even a mean over a few traces would reveal too much.
 */

import { isBlindTo, listBlindRuns, type Reader } from '../../annotations/blind-annotation-queries.ts'
import { COVERAGE } from '../../comparisons/pairing/compared-items.ts'
import { RATING_METRIC, WITHHELD_REASON } from '../../comparisons/pairing/compared-metrics.ts'
import { type JudgedMetric, overallVerdict, withNotes } from '../../comparisons/verdicts/verdict.ts'
import type { InsightType } from '../../insights/insight-thresholds.ts'
import { humanRatingEvaluators, type StoredConfig } from '../../scores/stored-config.ts'
import type { Queries } from '../../storage/db.ts'

type Evaluated = { runId: string | null; config: StoredConfig }

/** The parts of the results that depend on ratings. */
type Results<Insight, Metric, Compared, Gate> = {
  insights: readonly Insight[]
  metrics: readonly Metric[]
  comparison?: Compared
  gate?: Gate
}

type ComparisonPart<Metric> = {
  summary: string
  metrics: readonly Metric[]
  notCompared: readonly { name: string; reason: string }[]
  itemChanges?: { summary: string | null; duplicates: number; unverified?: number }
}

/** An evaluation without a run uses the ratings of all runs: it is enough that the reader is blind to one of them. */
export async function isBlindToEvaluation(q: Queries, reader: Reader, { runId, config }: Evaluated): Promise<boolean> {
  if (runId === null) return (await listBlindRuns(q, reader)).length > 0
  if (await isBlindTo(q, { ...reader, runId })) return true
  const { baselineRunId } = config
  return baselineRunId !== undefined && isBlindTo(q, { ...reader, runId: baselineRunId })
}

/** The same by a list of the runs that the reader is blind to, for many evaluations. */
export function isBlindAmong(blindRuns: ReadonlySet<string>, { runId, config }: Evaluated): boolean {
  if (runId === null) return blindRuns.size > 0
  return blindRuns.has(runId) || (config.baselineRunId !== undefined && blindRuns.has(config.baselineRunId))
}

const RATING_INSIGHT: InsightType = 'negative_feedback'

export function withoutRatings<
  Insight extends { type: string },
  Metric extends { name: string },
  Judged extends JudgedMetric,
  Compared extends ComparisonPart<Judged>,
  Gate,
>(
  results: Results<Insight, Metric, Compared & ComparisonPart<Judged>, Gate>,
  { id, config }: { id: string; config: StoredConfig },
) {
  const people = new Set([RATING_METRIC, ...humanRatingEvaluators(config)])
  const isOther = ({ name }: { name: string }) => !people.has(name)
  // What the comparison has of other evaluations may be ratings: this config does not say.
  const isOwn = (metric: Judged) => isOther(metric) && (metric.evaluations?.candidate ?? id) === id
  const { comparison, gate, ...rest } = results
  return {
    ...rest,
    insights: results.insights.filter(({ type }) => type !== RATING_INSIGHT),
    metrics: results.metrics.filter(isOther).map((metric) => ({ ...metric, corrected: null, drift: null })),
    ...(comparison && { comparison: withoutPeople(comparison, isOwn) }),
    ...(gate !== undefined && !config.isGateCorrected && isOther({ name: config.gateMetric ?? '' }) && { gate }),
  }
}

function withoutPeople<Judged extends JudgedMetric, Compared extends ComparisonPart<Judged>>(
  comparison: Compared & ComparisonPart<Judged>,
  isShown: (metric: Judged) => boolean,
) {
  const metrics: Judged[] = comparison.metrics.filter(isShown)
  const withheld = comparison.metrics.filter((metric) => !isShown(metric))
  const notCompared = [
    ...comparison.notCompared,
    ...withheld.map(({ name }) => ({ name, reason: WITHHELD_REASON, evaluate: null })),
  ]
  // Only the summary has it.
  const coverage = COVERAGE.exec(comparison.summary)?.[0] ?? null
  // Comparisons of older versions do not say which items changed.
  const { itemChanges = { summary: null, duplicates: 0 } } = comparison
  return {
    ...comparison,
    ...withNotes(overallVerdict(metrics, comparison.notCompared), itemChanges, { coverage }),
    metrics: metrics.map((metric) => ({ ...metric, corrected: null })),
    notCompared,
  }
}
