import type { TObject } from 'typebox'
import type { ModelClient } from '../llm/model-client.ts'
import type { WorkBudget } from './work-budget.ts'

/** One thing to be judged. What it holds beside texts is read only if an evaluator says that it needs it. */
export type Case = {
  /** Texts as a trace or an item has them: JSON where structured. Null where there is none. */
  input: string | null
  output: string | null
  /** What was said before the input, as JSON, where there was more than one turn. Left out: nothing. */
  conversation?: string | null
  expected: string | null
  /** What the run to compare with answered to the same item. */
  baseline: string | null
  /** What people said of it, one entry a person. */
  ratings: readonly string[]
  /** Whether the application takes a rating for a good one; undefined where it says neither. Left out: its usual words. */
  isGoodRating?(rating: string): boolean | undefined
  /** Null while the trace has not arrived, or where an item never had one. */
  trace: CaseTrace | null
}

export type CaseTrace = {
  status: 'ok' | 'error'
  durationMs: number | null
  totalTokens: number | null
  costUsd: number | null
  /** What it did, in the order in which it began; empty unless an evaluator needs `steps`. */
  steps: readonly Step[]
}

/**
 * `kind` is the meaning of a span: tool, agent, llm, retriever … Tools that a model asked for without a span are steps, too.
 * `arguments` are the JSON text of what is structured: a text is sent to another thread at little cost, and parsed only if it is compared.
 */
export type Step = { kind: string; name: string; arguments: string | number | boolean | null; isError: boolean }

export type Verdict =
  | {
      state: 'scored'
      /** On the evaluator's scale; null for a label alone. */
      score: number | null
      /** Undefined where the evaluator draws no line. */
      passed?: boolean
      label?: string
      /** One message for people: why this score. */
      reason?: string
      /** JSON, whatever else there is to tell. */
      details?: Readonly<Record<string, unknown>>
    }
  | { state: 'skipped'; reason: string }
  | { state: 'failed'; reason: string }

/** What an evaluator reads of a case. A case that lacks `output` or `expected` is skipped with that reason before it is asked. */
export type Need = 'output' | 'expected' | 'baseline' | 'trace' | 'steps' | 'ratings' | 'model'

type Asking = {
  model: ModelClient
  /** Counts from 1. */
  repetition: number
  /** What the score may cost. Left out: as much as every score. */
  budget?: WorkBudget
}

/** An evaluator with its configuration read. Without a model it is pure: the same case always gets the same verdict. */
export type Evaluator = {
  type: string
  name: string
  kind: 'binary' | 'numeric' | 'categorical'
  /** The least and the greatest score; null where there is no such bound. */
  scale: readonly [number, number] | null
  higherIsBetter: boolean
  needs: readonly Need[]
  /** Compiling its options may need long, so that it is compiled and runs in a worker: see `evaluate-case.ts`. Left out: false. */
  isSlowToCompile?: boolean
  /** Compiles the options, once. Throws a ConfigError that names the key. Left out: there is nothing to compile. */
  compile?(): void
  /** Compiles the options first if nothing has yet. */
  evaluate(input: Case, asking: Asking): Verdict | Promise<Verdict>
  /** For those with `model`: what to ask for the estimate of costs, as many calls as `evaluate` makes. */
  estimate?(input: Case): {
    model: string | undefined
    /** Left out: completion. It decides which model it is when none is named. */
    purpose?: 'completion' | 'embedding'
    promptCharacters: number
    answerTokens: number
  }[]
}

export function asksModel({ needs }: Pick<Evaluator, 'needs'>): boolean {
  return needs.includes('model')
}

/** A kind of evaluator, for the list that interfaces build forms from. */
export type EvaluatorDefinition = {
  type: string
  /** One line for people. */
  summary: string
  /** JSON Schema of what may stand beside `type` and `name`; closed. */
  options: TObject
  needs: readonly Need[]
  /** Left out where it depends on the options. */
  kind?: Evaluator['kind']
  /**
   * `options` fit the schema. Throws a ConfigError, which names the key below `key`, for what a schema cannot say, here or when they are
   * compiled.
   */
  create(name: string, options: Record<string, unknown>, key: string): Evaluator
}

/** Thrown when a known key of `config` makes no sense; its message names the key and ends the evaluation. */
export class ConfigError extends Error {}
