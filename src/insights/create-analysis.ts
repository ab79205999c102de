/**
 * The built-in analysis. It accepts traces one by one, in any order, and returns the insights at the end. It needs no
 * model. Its memory does not grow with the number of traces, except for eight bytes per duration.
 */

import { dollarsOf, dollarUnits, microseconds } from './bounded-tally.ts'
import {
  findCostHotspots,
  findLatencyOutliers,
  findRedundantCalls,
  findTokenWaste,
  findToolLoops,
  findUnusedTools,
} from './efficiency-insights.ts'
import type { AnalyzedTrace, Finder, Finding, Insight } from './insight.ts'
import { INSIGHT_LIMITS, type InsightType, type Severity, severityOf } from './insight-thresholds.ts'
import {
  findEmptyOutputs,
  findErrorRate,
  findNegativeFeedback,
  findSchemaDrift,
  findToolErrors,
  findTruncatedOutputs,
} from './quality-insights.ts'

/** The order breaks ties between insights of equal severity and frequency. */
const FINDERS: readonly { type: InsightType; create: () => Finder }[] = [
  { type: 'error_rate', create: findErrorRate },
  { type: 'negative_feedback', create: findNegativeFeedback },
  { type: 'tool_error', create: findToolErrors },
  { type: 'empty_output', create: findEmptyOutputs },
  { type: 'truncated_output', create: findTruncatedOutputs },
  { type: 'tool_loop', create: findToolLoops },
  { type: 'schema_drift', create: findSchemaDrift },
  { type: 'token_waste', create: findTokenWaste },
  { type: 'redundant_call', create: findRedundantCalls },
  { type: 'latency_outlier', create: findLatencyOutliers },
  { type: 'cost_hotspot', create: findCostHotspots },
  { type: 'unused_tool', create: findUnusedTools },
]

export type Analysis = {
  add(trace: AnalyzedTrace): void
  finish(): { insights: Insight[]; meta: AnalysisMeta }
}

/** Totals over all traces; missing values count as 0. */
type AnalysisMeta = {
  totalRuns: number
  totalTokens: number
  totalCostUsd: number
  averageDurationMs: number
  errorRate: number
}

export function createAnalysis(): Analysis {
  const finders = FINDERS.map(({ type, create }) => ({ type, finder: create() }))
  const sums = { traces: 0, failed: 0, tokens: 0, costUnits: 0, timed: 0, durationUs: 0 }
  return {
    add(trace) {
      sums.traces += 1
      if (trace.isError) sums.failed += 1
      sums.tokens += trace.totalTokens ?? 0
      sums.costUnits += dollarUnits(trace.costUsd ?? 0)
      if (trace.durationMs !== null) {
        sums.timed += 1
        sums.durationUs += microseconds(trace.durationMs)
      }
      for (const { finder } of finders) finder.add(trace)
    },
    finish() {
      const found = finders.flatMap(({ type, finder }) => findingsOf(type, finder, sums.traces))
      // The sort is stable: ties keep the order of the types and of `findingsOf`.
      found.sort((a, b) => SEVERITY_RANKS[a.severity] - SEVERITY_RANKS[b.severity] || b.frequency - a.frequency)
      const meta = {
        totalRuns: sums.traces,
        totalTokens: sums.tokens,
        totalCostUsd: dollarsOf(sums.costUnits),
        averageDurationMs: sums.timed === 0 ? 0 : sums.durationUs / sums.timed / 1_000,
        errorRate: sums.traces === 0 ? 0 : sums.failed / sums.traces,
      }
      return { insights: toInsights(found), meta }
    },
  }
}

const SEVERITY_RANKS: Readonly<Record<Severity, number>> = { high: 0, medium: 1, low: 2 }

type RankedFinding = Finding & { type: InsightType; severity: Severity }

function findingsOf(type: InsightType, finder: Finder, traces: number): RankedFinding[] {
  return finder
    .finish(traces)
    .sort(
      (a, b) => b.frequency - a.frequency || compareText(a.title, b.title) || compareText(tieBreaker(a), tieBreaker(b)),
    )
    .slice(0, INSIGHT_LIMITS.insightsPerType)
    .map((finding) => ({ ...finding, type, severity: severityOf(type, finding.frequency) }))
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/**
 * Orders findings with the same title, such as a tool and a model of the same name, independently of the order of the
 * traces.
 */
function tieBreaker({ description, details }: Finding): string {
  return `${description} ${JSON.stringify(details)}`
}

/**
 * Limits the total number of ids because hundreds of insights with a thousand ids each would be megabytes. The most
 * severe insights get theirs first.
 */
function toInsights(found: readonly RankedFinding[]): Insight[] {
  let idsLeft: number = INSIGHT_LIMITS.affectedIdsTogether
  return found.map(({ type, severity, title, description, frequency, affected, details, suggestedFix }) => {
    const affectedRunIds = affected.ids().slice(0, Math.max(idsLeft, INSIGHT_LIMITS.affectedIdsAtLeast))
    idsLeft -= affectedRunIds.length
    return {
      type,
      severity,
      title,
      description,
      frequency,
      affectedRunIds,
      details: { ...details, affectedTraces: affected.count() },
      suggestedFix,
    }
  })
}
