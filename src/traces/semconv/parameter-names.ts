import { CONVENTIONS } from './conventions/conventions.ts'
import { RULES_BY_KEY } from './mapping-rules.ts'

/** The source of a setting of a model call. Of two with the same name, the lower rank wins. */
export type ParameterSource = {
  convention: string
  rank: number
  /** `key` and `prefix`: one setting. `object`: many in one value. `tools`: one of many keys of a list of tools. */
  form: 'key' | 'prefix' | 'object' | 'tools'
  name: string
}

type Prefix = Omit<ParameterSource, 'name'> & { prefix: string }

const sourcesByKey = new Map<string, ParameterSource>()
const prefixes: Prefix[] = []

for (const [rank, { name: convention, parameters = {} }] of CONVENTIONS.entries()) {
  for (const [key, name] of Object.entries(parameters.keys ?? {})) {
    sourcesByKey.set(key, { convention, rank, form: 'key', name })
  }
  for (const key of parameters.objects ?? []) sourcesByKey.set(key, { convention, rank, form: 'object', name: '' })
  for (const prefix of parameters.prefixes ?? []) prefixes.push({ convention, rank, form: 'prefix', prefix })
  for (const prefix of parameters.toolPrefixes ?? []) prefixes.push({ convention, rank, form: 'tools', prefix })
}

/** Custom data that users put next to the settings of a call. */
const NO_SETTINGS = 'ai.settings.context.'

/** Undefined for a key that is not a setting, or that has another meaning. */
export function findParameterSource(key: string): ParameterSource | undefined {
  const exact = sourcesByKey.get(key)
  if (exact) return exact
  if (key.startsWith(NO_SETTINGS) || RULES_BY_KEY.has(key)) return undefined
  const found = prefixes.find(({ prefix }) => key.startsWith(prefix))
  if (found === undefined) return undefined
  const { prefix, ...source } = found
  return { ...source, name: found.form === 'tools' ? prefix : snakeCase(key.slice(prefix.length)) }
}

const OTHER_NAMES: Readonly<Record<string, string>> = {
  max_output_tokens: 'max_tokens',
  max_completion_tokens: 'max_tokens',
  stop: 'stop_sequences',
}

/** Normalizes the name of a setting: `max_tokens` in the GenAI convention is `maxOutputTokens` elsewhere. */
export function snakeCase(name: string): string {
  const snake = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()
  return Object.hasOwn(OTHER_NAMES, snake) ? (OTHER_NAMES[snake] ?? snake) : snake
}
