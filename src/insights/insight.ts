import type { AnalyzedTrace } from './analyzed-trace.ts'
import type { Affected } from './bounded-tally.ts'
import type { InsightType, Severity } from './insight-thresholds.ts'

/** A finding over many traces, computed without a model. */
export type Insight = {
  type: InsightType
  severity: Severity
  title: string
  description: string
  /** Between 0 and 1, relative to what the title counts: traces, calls or tokens. */
  frequency: number
  /** A limited list of trace ids; `details.affectedTraces` is the exact count. */
  affectedRunIds: string[]
  details: Record<string, unknown>
  suggestedFix: string | null
}

/** A finding without type and severity, which the analysis adds. */
export type Finding = Omit<Insight, 'type' | 'severity' | 'affectedRunIds'> & { affected: Affected }

/** Searches for one type of insight. It receives each trace once, in any order, and keeps counters only. */
export type Finder = {
  add(trace: AnalyzedTrace): void
  /** `traces` is the number of added traces. */
  finish(traces: number): Finding[]
}
