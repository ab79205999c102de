import type { DatasetItem } from '../generated/api.ts'
import type { Touchstone } from '../touchstone.ts'
import type { DataItem } from './ensure-items.ts'

/** An evaluator of the server: its type, or its type with options, as `GET /evaluators` describes them. */
export type ServerEvaluator = string | ({ type: string; name?: string } & Record<string, unknown>)

/** A function of your program that scores a case. Its name is the name of the metric. */
export type ScorerFunction<Output> = (scored: EvaluatedCase<Output>) => ScorerResult | Promise<ScorerResult>

/** From 0 to 1, or whether it passed, or more than that. */
export type ScorerResult =
  | number
  | boolean
  | { score?: number; label?: string; passed?: boolean; reason?: string; details?: Record<string, unknown> }

/** A scorer with settings. */
export interface Scorer<Output> {
  name: string
  score: (scored: EvaluatedCase<Output>) => ScorerResult | Promise<ScorerResult>
  /** The score from which a case passes. */
  passAt?: number
  higherIsBetter?: boolean
  /** How long the server waits for the scores. Default: 60. */
  timeoutMinutes?: number
}

export interface Gate {
  /** The name of the evaluator that decides. */
  metric: string
  margin?: number
  maxMissing?: number
  corrected?: boolean
  sequential?: boolean
}

export type Progress =
  | { phase: 'tasks' | 'scores'; runId: string; done: number; total: number }
  | { phase: 'evaluation'; runId: string; evaluationId: string; done: number; total: number }

export interface EvaluateOptions<Output> {
  /** Default: `new Touchstone()`. */
  client?: Touchstone
  /** The id or the name of a component. */
  component: string
  /** The id or the name of a dataset of the component. */
  dataset: string
  /** Items that the dataset must have. It is created if it does not exist; all of its items are run. */
  data?: readonly DataItem[]
  /** Of the run and the evaluation. */
  name?: string
  /** Runs the component on one item. What it throws becomes the error of its case. */
  task: (item: DatasetItem, context: { signal: AbortSignal | undefined }) => Output | Promise<Output>
  /** Evaluators of the server, and functions of your own. Default: those of the server that apply. */
  evaluators?: (ServerEvaluator | ScorerFunction<Output> | Scorer<Output>)[]
  /** The id or the name of the run to compare with. It must have been evaluated with evaluators of the same names. */
  baseline?: string
  /** Requires `baseline`. */
  gate?: Gate
  /** Only the items of one split. */
  split?: 'train' | 'validation' | 'test'
  /** Further keys of the config of the evaluation, for example `provider` or `maxCostUsd`. */
  config?: Record<string, unknown>
  /** How many tasks and scorers run at a time. Default: 8. */
  concurrency?: number
  /** The id of a run that was interrupted: only items that have no trace in it are run. */
  resume?: string
  /**
   * Makes the items calls of a trial with this `name`. A second evaluation with the same name goes on where the first one stopped, and
   * several programs that run at the same time share the items. Default: false.
   */
  resumable?: boolean
  onProgress?: (progress: Progress) => void
  signal?: AbortSignal
}

/** One item with what the component responded. */
export interface EvaluatedCase<Output = unknown> {
  item: DatasetItem
  input: string | null
  expected: string | null
  /** What the task returned; undefined if it failed. In a run that was resumed, a text or an object of JSON as it was stored. */
  output: Output | undefined
  /** Why there is no output. */
  error: string | undefined
  /** The id by which the server knows the trace. */
  traceDbId: string
  traceId: string
  durationMs: number | undefined
}
