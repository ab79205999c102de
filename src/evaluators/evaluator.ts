import type { TObject } from 'typebox'
import type { ModelClient } from '../llm/model-client.ts'
import type { WorkBudget } from './work-budget.ts'

/** The input of an evaluator. Everything except texts is read only if an evaluator needs it. */
export type Case = {
  /** The texts of a trace or an item: JSON where structured, null where there is none. */
  input: string | null
  output: string | null
  /** The turns before the input, as JSON, if there are several. */
  conversation?: string | null
  expected: string | null
  /** The answer of the baseline run to the same item. */
  baseline: string | null
  /** The ratings by people, one per person. */
  ratings: readonly string[]
  /**
   * Whether a rating is positive in the application; undefined if it is neutral or unknown. Defaults to the standard
   * rating words.
   */
  isGoodRating?(rating: string): boolean | undefined
  /** Null while the trace has not arrived, or if the item has none. */
  trace: CaseTrace | null
}

export type CaseTrace = {
  status: 'ok' | 'error'
  durationMs: number | null
  totalTokens: number | null
  costUsd: number | null
  /** The steps in the order in which they started; empty unless an evaluator needs `steps`. */
  steps: readonly Step[]
}

/**
 * `kind` is the meaning of a span: tool, agent, llm, retriever … Tool calls that a model requested without a span are
 * steps, too. `arguments` is JSON text where structured: text is cheap to send to another thread, and is parsed only
 * for a comparison.
 */
export type Step = { kind: string; name: string; arguments: string | number | boolean | null; isError: boolean }

export type Verdict =
  | {
      state: 'scored'
      /** A score on the scale of the evaluator; null for a label alone. */
      score: number | null
      /** Undefined without a pass threshold. */
      passed?: boolean
      label?: string
      /** A message for people: the reason of this score. */
      reason?: string
      /** Further details, as JSON. */
      details?: Readonly<Record<string, unknown>>
    }
  | { state: 'skipped'; reason: string }
  | { state: 'failed'; reason: string }

/**
 * What an evaluator reads of a case. A case without the `output` or `expected` that an evaluator needs is skipped with
 * that reason.
 */
export type Need = 'output' | 'expected' | 'baseline' | 'trace' | 'steps' | 'ratings' | 'model'

type EvaluateOptions = {
  model: ModelClient
  /** Starts at 1. */
  repetition: number
  /** The maximum work for the score. Defaults to `WORK_MAX`. */
  budget?: WorkBudget
}

/** An evaluator with its options read. Without a model it is pure: the same case always gets the same verdict. */
export type Evaluator = {
  type: string
  name: string
  kind: 'binary' | 'numeric' | 'categorical'
  /** The minimum and the maximum score; null where there is no bound. */
  scale: readonly [number, number] | null
  higherIsBetter: boolean
  needs: readonly Need[]
  /** Set if clients deliver the scores: an evaluation does not compute them but waits for them. See `external.ts`. */
  external?: { timeoutMinutes: number; passAt: number | undefined }
  /**
   * Whether compiling the options may be slow; it is then compiled and run in a worker: see `evaluate-case.ts`.
   * Defaults to false.
   */
  isSlowToCompile?: boolean
  /** Compiles the options once. Throws a ConfigError that names the key. Undefined if there is nothing to compile. */
  compile?(): void
  /** Compiles the options first unless that has happened. */
  evaluate(input: Case, options: EvaluateOptions): Verdict | Promise<Verdict>
  /** For evaluators that need `model`: the calls for the estimate of costs, as many as `evaluate` makes. */
  estimate?(input: Case): {
    model: string | undefined
    /** Defaults to completion. It determines the model if none is named. */
    purpose?: 'completion' | 'embedding'
    promptCharacters: number
    answerTokens: number
  }[]
}

export function asksModel({ needs }: Pick<Evaluator, 'needs'>): boolean {
  return needs.includes('model')
}

/**
 * True if 0 and 1 mean no and yes, so that the interval of a rate applies. False if 1 is, for example, a dollar or the
 * worst of five grades.
 */
export function isBinaryScale({ kind, scale }: { kind: Evaluator['kind'] | null; scale: Evaluator['scale'] }): boolean {
  return scale === null ? kind !== 'numeric' : scale[0] === 0 && scale[1] === 1
}

/** The label of a judge that compares two answers, if its choice changes with the order in which they are shown. */
export const ORDER_LABEL = 'order'

/** An evaluator whose scores clients deliver. */
export type ExternalEvaluator = Evaluator & { external: NonNullable<Evaluator['external']> }

export function isExternal(evaluator: Evaluator): evaluator is ExternalEvaluator {
  return evaluator.external !== undefined
}

/** The definition of an evaluator type, from which clients build forms. */
export type EvaluatorDefinition = {
  type: string
  /** One line for people. */
  summary: string
  /** A closed JSON Schema of the options next to `type` and `name`. */
  options: TObject
  needs: readonly Need[]
  /** Undefined if it depends on the options. */
  kind?: Evaluator['kind']
  /**
   * `options` conform to the schema. What a schema cannot express throws a ConfigError that names the key below `key`,
   * here or when the options are compiled.
   */
  create(name: string, options: Record<string, unknown>, key: string): Evaluator
}

/**
 * Thrown when a known key of `config` is invalid. Its message names the key and becomes the error of the evaluation.
 */
export class ConfigError extends Error {}
