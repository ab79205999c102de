/** An evaluator as configured in the evaluation. `name` defaults to the type. */
export type ConfiguredEvaluator = {
  readonly name: string
  /** All fields except the name. */
  readonly options: Readonly<Record<string, unknown>>
}

/** Undefined if the config does not list evaluators and the default ones are used. */
export function configuredEvaluators(config: string): ConfiguredEvaluator[] | undefined {
  const { evaluators }: { evaluators?: unknown } = Object(JSON.parse(config))
  if (!Array.isArray(evaluators)) return undefined
  return evaluators.map((entry) => {
    const { name, ...options }: Record<string, unknown> = Object(entry)
    return { name: String(name ?? options.type), options }
  })
}
