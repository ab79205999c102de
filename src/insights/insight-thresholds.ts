/**
 * When something is worth telling, and how much. Everything that decides about insights stands in this table and nowhere else;
 * `docs/guide/insights.md` explains it to people.
 */
export const INSIGHT_THRESHOLDS = {
  /** A tool fails in more than this share of its calls, or at least so often. */
  tool_error: { impact: 1, failedShareAbove: 0.1, failuresAtLeast: 3 },
  /** Calls of one tool with equal arguments in one trace. */
  tool_loop: { impact: 0.8, equalCallsAtLeast: 3 },
  /** Traces that offer a tool which is called in none. */
  unused_tool: { impact: 0.04, offeredInAtLeast: 1 },
  /** Equal calls of a model in one trace that all succeeded, the first included. */
  redundant_call: { impact: 0.5, equalCallsAtLeast: 2 },
  /** Share of traces that failed. */
  error_rate: { impact: 1, failedShareAbove: 0.05 },
  /** Beyond the third quartile by so many times the distance of the quartiles; of fewer traces there are no quartiles worth it. */
  latency_outlier: { impact: 1, quartileDistances: 3, tracesAtLeast: 20 },
  /** Share of all cost; where only one step costs anything there is nothing to choose. */
  cost_hotspot: { impact: 0.1, costShareAtLeast: 0.5, costingStepsAtLeast: 2 },
  /** Share of all tokens that went into failed calls and into repeated ones. */
  token_waste: { impact: 0.5, wastedShareAtLeast: 0.05 },
  /** Calls of a model that ended because of their limit, and the words for that. */
  truncated_output: {
    impact: 0.8,
    callsAtLeast: 1,
    reasons: ['length', 'max_tokens', 'max_output_tokens', 'max-tokens', 'max_length', 'model_length', 'token_limit'],
  },
  /** Traces that ended well and answered nothing, where others answer. */
  empty_output: { impact: 1, emptyAtLeast: 1 },
  /** Of answers in JSON: how many there must be, how many must agree for there to be a rule, and how many deviate from it. */
  schema_drift: { impact: 0.5, answersAtLeast: 5, commonShareAtLeast: 0.5, deviatingShareAtLeast: 0.05 },
  /** Traces that somebody rated so. */
  negative_feedback: { impact: 1, ratings: ['negative'], ratedSoAtLeast: 1 },
} as const

export type InsightType = keyof typeof INSIGHT_THRESHOLDS

/** Frequency times impact: at least so much is of that severity, less than both is low. */
const SEVERITIES = { high: 0.15, medium: 0.05 } as const

export type Severity = 'high' | 'medium' | 'low'

export function severityOf(type: InsightType, frequency: number): Severity {
  const weight = frequency * INSIGHT_THRESHOLDS[type].impact
  if (weight >= SEVERITIES.high) return 'high'
  return weight >= SEVERITIES.medium ? 'medium' : 'low'
}

/** What an analysis holds and tells at most, whatever the traces are: see `bounded-tally.ts`. */
export const INSIGHT_LIMITS = {
  insightsPerType: 50,
  /** Per insight; in all of them together; and per insight even when those are used up. */
  affectedIds: 1_000,
  affectedIdsTogether: 10_000,
  affectedIdsAtLeast: 20,
  /** Tools or steps that are counted apart. */
  names: 300,
  /** Messages of errors per tool. */
  messages: 20,
  /** Sets of keys that answers in JSON have. */
  shapes: 5_000,
} as const
