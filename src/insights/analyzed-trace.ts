/** What the analysis sees of a trace: no texts, only what is needed to compare and to count. */
export type AnalyzedTrace = {
  /** Ours. */
  id: string
  isError: boolean
  /** Null while it has not ended. */
  durationMs: number | null
  totalTokens: number | null
  costUsd: number | null
  answer: Answer
  /** What people said of it, one entry a person. */
  ratings: readonly string[]
  /** In the order in which they began. */
  steps: readonly AnalyzedStep[]
  /** Names of the tools that its model calls could choose from. */
  offeredTools: readonly string[]
  /** Names of the tools that its models wanted to call, whether or not there are steps of these calls. */
  requestedTools: readonly string[]
}

export type AnalyzedStep = {
  kind: string
  name: string
  isError: boolean
  errorMessage: string | null
  /** Without what is told by the steps below it; 0 where nothing is told. */
  tokens: number
  costUsd: number
  /** The same for steps that were asked the same; null where it is not known what they were asked. */
  inputHash: string | null
  finishReasons: readonly string[]
}

/** `none`: the trace tells no output at all. `keys`: those of an object, or of the objects in a list, sorted. */
export type Answer = { form: 'none' | 'empty' | 'text' } | { form: 'json'; keys: readonly string[] }
