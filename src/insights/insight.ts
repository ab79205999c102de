import type { AnalyzedTrace } from './analyzed-trace.ts'
import type { Affected } from './bounded-tally.ts'
import type { InsightType, Severity } from './insight-thresholds.ts'

/** Something found in many traces at once, without a model. */
export type Insight = {
  type: InsightType
  severity: Severity
  /** A message with numbers. */
  title: string
  description: string
  /** Between 0 and 1, of what the title counts: traces, calls, tokens. */
  frequency: number
  /** Our ids of traces, bounded; `details.affectedTraces` counts all. */
  affectedRunIds: string[]
  details: Record<string, unknown>
  suggestedFix: string | null
}

/** What a finder says of one finding; its type and severity are the same for all and are added by the analysis. */
export type Finding = Omit<Insight, 'type' | 'severity' | 'affectedRunIds'> & { affected: Affected }

/** Looks for one type of insight. Sees each trace once, in any order, and keeps only what it counts. */
export type Finder = {
  add(trace: AnalyzedTrace): void
  /** `traces`: how many were added. */
  finish(traces: number): Finding[]
}
