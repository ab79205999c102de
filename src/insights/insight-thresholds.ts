/**
 * The thresholds of all insights and their weights. All constants that decide about insights are in this table;
 * `docs/guide/insights.md` explains them.
 */
export const INSIGHT_THRESHOLDS = {
  /** A tool fails in more than this share of its calls, or at least this often. */
  tool_error: { impact: 1, failedShareAbove: 0.1, failuresAtLeast: 3 },
  /** Calls of one tool with equal arguments in one trace. */
  tool_loop: { impact: 0.8, equalCallsAtLeast: 3 },
  /** Traces that offer a tool that is never called. */
  unused_tool: { impact: 0.04, offeredInAtLeast: 1 },
  /** Equal successful model calls in one trace, including the first. */
  redundant_call: { impact: 0.5, equalCallsAtLeast: 2 },
  /** Share of traces that failed. */
  error_rate: { impact: 1, failedShareAbove: 0.05 },
  /** Above the third quartile by this many interquartile ranges. With fewer traces the quartiles are not reliable. */
  latency_outlier: { impact: 1, quartileDistances: 3, tracesAtLeast: 20 },
  /** The share of the total cost. With a single step that costs anything there is nothing to compare. */
  cost_hotspot: { impact: 0.1, costShareAtLeast: 0.5, costingStepsAtLeast: 2 },
  /** The share of all tokens that was spent on failed and on repeated calls. */
  token_waste: { impact: 0.5, wastedShareAtLeast: 0.05 },
  /** Model calls that reached their token limit, and the finish reasons for that. */
  truncated_output: {
    impact: 0.8,
    callsAtLeast: 1,
    reasons: ['length', 'max_tokens', 'max_output_tokens', 'max-tokens', 'max_length', 'model_length', 'token_limit'],
  },
  /** Traces that ended without an error and without an output, while others have one. */
  empty_output: { impact: 1, emptyAtLeast: 1 },
  /** For JSON outputs: the minimum number, the share that must have the same keys, and the share that deviates. */
  schema_drift: { impact: 0.5, answersAtLeast: 5, commonShareAtLeast: 0.5, deviatingShareAtLeast: 0.05 },
  /** Traces with one of these ratings. */
  negative_feedback: { impact: 1, ratings: ['negative'], ratedSoAtLeast: 1 },
} as const

export type InsightType = keyof typeof INSIGHT_THRESHOLDS

/** Minimum values of frequency × impact; lower values have the severity `low`. */
const SEVERITIES = { high: 0.15, medium: 0.05 } as const

export type Severity = 'high' | 'medium' | 'low'

export function severityOf(type: InsightType, frequency: number): Severity {
  const weight = frequency * INSIGHT_THRESHOLDS[type].impact
  if (weight >= SEVERITIES.high) return 'high'
  return weight >= SEVERITIES.medium ? 'medium' : 'low'
}

/** Upper limits of what an analysis keeps and returns: see `bounded-tally.ts`. */
export const INSIGHT_LIMITS = {
  insightsPerType: 50,
  /** Per insight; in total; and per insight after the total is used up. */
  affectedIds: 1_000,
  affectedIdsTogether: 10_000,
  affectedIdsAtLeast: 20,
  /** Tools or steps with their own counter. */
  names: 300,
  /** Error messages per tool. */
  messages: 20,
  /** Distinct sets of keys of JSON outputs. */
  shapes: 5_000,
} as const
