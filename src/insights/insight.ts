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

/** The data of a trace that the analysis uses. It contains no texts, only values to compare and to count. */
export type AnalyzedTrace = {
  /** The id of the trace, not the OpenTelemetry id. */
  id: string
  isError: boolean
  /** Null if the trace has not ended. */
  durationMs: number | null
  totalTokens: number | null
  costUsd: number | null
  answer: OutputForm
  /** The ratings of the trace, one per rater. */
  ratings: readonly string[]
  /** Ordered by start time. */
  steps: readonly AnalyzedStep[]
  /** The names of the tools that were offered to the models. */
  offeredTools: readonly string[]
  /** The names of the tools that the models requested, with or without a step for the call. */
  requestedTools: readonly string[]
}

export type AnalyzedStep = {
  kind: string
  name: string
  isError: boolean
  errorMessage: string | null
  /** Excludes the usage of child steps; 0 if unknown. */
  tokens: number
  costUsd: number
  /** Equal for steps with equal input; null if the input is unknown. */
  inputHash: string | null
  finishReasons: readonly string[]
}

/** `none`: the trace has no output. `keys`: the sorted keys of an object, or of the objects in an array. */
export type OutputForm = { form: 'none' | 'empty' | 'text' } | { form: 'json'; keys: readonly string[] }
