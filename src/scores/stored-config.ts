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
}

/** An evaluator as configured in the evaluation. `name` defaults to the type. */
export type ConfiguredEvaluator = {
  readonly name: string
  /** All fields except the name. */
  readonly options: Readonly<Record<string, unknown>>
}

export function readStoredConfig(text: string): StoredConfig {
  const { evaluators, provider, baselineRunId, gate }: Record<string, unknown> = Object(JSON.parse(text))
  const { metric, corrected }: Record<string, unknown> = Object(gate)
  return {
    evaluators: Array.isArray(evaluators) ? evaluators.map(configuredEvaluator) : undefined,
    provider,
    baselineRunId: typeof baselineRunId === 'string' ? baselineRunId.toLowerCase() : undefined,
    gateMetric: typeof metric === 'string' ? metric : undefined,
    isGateCorrected: corrected === true,
  }
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
