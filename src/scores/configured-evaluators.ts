/** As the stored config of an evaluation sets it. `name` is that of its type where none is given. */
export type ConfiguredEvaluator = {
  readonly name: string
  /** Everything but the name. */
  readonly options: Readonly<Record<string, unknown>>
}

/** Undefined where the config lists none, and the usual ones are meant. */
export function configuredEvaluators(config: string): ConfiguredEvaluator[] | undefined {
  const { evaluators }: { evaluators?: unknown } = Object(JSON.parse(config))
  if (!Array.isArray(evaluators)) return undefined
  return evaluators.map((entry) => {
    const { name, ...options }: Record<string, unknown> = Object(entry)
    return { name: String(name ?? options.type), options }
  })
}
