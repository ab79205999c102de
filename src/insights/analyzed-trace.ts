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
