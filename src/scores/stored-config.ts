import { isDeepStrictEqual } from 'node:util'
import { isSplit, type Split } from '../datasets/splits/split.ts'

/**
 * The config of an evaluation for those who read its results. Nothing is validated, because the config may be invalid or
 * name evaluators of another version; `EvaluationConfig` is the validated form, for running an evaluation.
 */
export type StoredConfig = {
  /** Undefined if the config does not list evaluators and the default ones are used. */
  readonly evaluators: readonly ConfiguredEvaluator[] | undefined
  /** The connection of evaluators that call a model. */
  readonly provider: unknown
  readonly baselineRunId: string | undefined
  readonly gateMetric: string | undefined
  /** True if ratings decide the gate. */
  readonly isGateCorrected: boolean
  /** How its gate compares the two runs; other comparisons of them do the same by default. */
  readonly gateRule: GateRule
  /** How often comparisons of the run as a candidate will be read. */
  readonly plan: DeclaredPlan | undefined
}

export type GateRule = { readonly margin?: number | undefined; readonly isSequential: boolean }

/** `items` of each run at the last look. Default: all items of the dataset, or of the split. */
export type DeclaredPlan = {
  readonly looks: number
  readonly items?: number | undefined
  readonly split?: Split | undefined
}

export const PLANNED_LOOKS = [2, 20] as const
export const PLANNED_ITEMS_MAX = 10_000_000

/** An evaluator as configured in the evaluation. `name` defaults to the type. */
type ConfiguredEvaluator = {
  readonly name: string
  /** All fields except the name. */
  readonly options: Readonly<Record<string, unknown>>
}

export function readStoredConfig(text: string): StoredConfig {
  const config: Record<string, unknown> = Object(JSON.parse(text))
  const { evaluators, provider, baselineRunId, gate, sequential } = config
  const { metric, corrected, margin, sequential: ofGate }: Record<string, unknown> = Object(gate)
  return {
    evaluators: Array.isArray(evaluators) ? evaluators.map(configuredEvaluator) : undefined,
    provider,
    baselineRunId: typeof baselineRunId === 'string' ? baselineRunId.toLowerCase() : undefined,
    gateMetric: typeof metric === 'string' ? metric : undefined,
    isGateCorrected: corrected === true,
    gateRule: {
      margin: typeof margin === 'number' ? margin : undefined,
      isSequential: ofGate === true || sequential === true,
    },
    plan: readPlan(config),
  }
}

/** Undefined if the config has none, or an invalid one. */
function readPlan(config: Record<string, unknown>): DeclaredPlan | undefined {
  const { plannedLooks: looks, plannedItems: items, split } = config
  if (!isCount(looks, PLANNED_LOOKS)) return undefined
  return {
    looks,
    items: isCount(items, [1, PLANNED_ITEMS_MAX]) ? items : undefined,
    split: isSplit(split) ? split : undefined,
  }
}

export function isCount(value: unknown, [least, most]: readonly [number, number]): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
}

function configuredEvaluator(entry: unknown): ConfiguredEvaluator {
  const { name, ...options }: Record<string, unknown> = Object(entry)
  return { name: String(name ?? options.type), options }
}

/**
 * The names of evaluators that return the ratings of users. Comparing them with the ratings would compare the ratings
 * with themselves.
 */
export function humanRatingEvaluators({ evaluators }: StoredConfig): string[] {
  if (!evaluators) return ['humanRating']
  return evaluators.filter(({ options }) => options.type === 'humanRating').map(({ name }) => name)
}

/** Returns the configured options of an evaluator by name; undefined if the config does not contain it. */
export type EvaluatorOptions = (name: string) => ConfiguredEvaluator['options'] | undefined

/**
 * The types of evaluators that call a model. A comparison needs nothing else of the evaluators, so it does not import
 * their definitions; a test compares both.
 */
export const MODEL_TYPES: ReadonlySet<unknown> = new Set([
  'llmJudge',
  'comparisonJudge',
  'referenceJudge',
  'pairwise',
  'classify',
  'embeddingSimilarity',
])

/**
 * Includes the connection in the options of evaluators that call a model, and the other run in those of evaluators that
 * compare its answers.
 */
export function evaluatorOptions({ evaluators, provider, baselineRunId }: StoredConfig): EvaluatorOptions {
  // The default evaluators are named after their type and have no options.
  if (!evaluators) return (name) => ({ type: name })
  const known = new Map(
    evaluators.map(({ name, options }) => {
      const comparesRuns = options.type === 'pairwise' && options.against !== 'expected'
      const all = { ...options, provider, ...(comparesRuns && { baselineRunId }) }
      return [name, MODEL_TYPES.has(options.type) ? all : options]
    }),
  )
  return (name) => known.get(name)
}

/** A warning about the comparison of a metric of two evaluations, or null. */
export function warningAbout(name: string, before: EvaluatorOptions, after: EvaluatorOptions): string | null {
  if (measuredAs(name, before, after) === null) return null
  return `${name} is compared by the share of correct labels; the macro F1 of each run is in its evaluation.`
}

/**
 * What a comparison measures if it differs from what the name says: macro F1 is one number per run, so that runs are
 * compared by its parts, the labels of the items.
 */
export function measuredAs(name: string, before: EvaluatorOptions, after: EvaluatorOptions): string | null {
  const isF1 = before(name)?.type === 'f1' || after(name)?.type === 'f1'
  return isF1 ? 'share of correct labels, not F1' : null
}

/** How long an evaluation waits for external scores does not change them. */
const TIMEOUT_OPTION = 'timeoutMinutes'

/**
 * Why the scores of an evaluator cannot be compared: another threshold, another prompt, another model. The difference would
 * be one of the evaluators and not of the runs. Undefined if both evaluations configure it in the same way.
 */
export function changedEvaluator(name: string, before: EvaluatorOptions, after: EvaluatorOptions): string | undefined {
  const [one, other] = [before(name), after(name)]
  if (!one || !other) return undefined
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort()
  // An option that is not set means no.
  const different = keys.filter(
    (key) => key !== TIMEOUT_OPTION && !isDeepStrictEqual(one[key] ?? false, other[key] ?? false),
  )
  if (different.length === 0) return undefined
  return `the two evaluations configure ${different.join(', ')} differently`
}
