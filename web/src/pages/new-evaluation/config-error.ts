import { hasStatus } from '../../api/api-error.ts'
import { type FieldError, labelOf } from '../../ui/schema-form/json-schema.ts'
import { settingsInWords, settingTitle } from '../../ui/setting-words.ts'
import { type Config, evaluatorsOf } from './evaluation-draft.ts'
import { instructionsLabel, optionLabels } from './evaluator-words.ts'

/** The key of the config that a message of the server names: "config.evaluators[1].maxMs must be above 0". */
export function configError(error: unknown): FieldError | undefined {
  if (!hasStatus(error, 400)) return undefined
  const [, keys, rest] = /^(?:config|The field evaluation)\.([\w.[\]]+?)[.:]? (.*)$/s.exec(error.message) ?? []
  if (keys === undefined || rest === undefined) return undefined
  const path = [...keys.matchAll(/[^.[\]]+/g)].map(([key]) => (/^\d+$/.test(key) ? Number(key) : key))
  const message = settingsInWords(rest.replace(/^is missing: /, ''))
  return { path, message: `${message[0]?.toUpperCase() ?? ''}${message.slice(1)}` }
}

/** The error of one evaluator, with a path below it. */
export function evaluatorError(error: FieldError | undefined, index: number): FieldError | undefined {
  const [key, place, ...path] = error?.path ?? []
  return error && key === 'evaluators' && place === index ? { path, message: error.message } : undefined
}

/** The error of one key of the config. */
export function keyError(error: FieldError | undefined, key: string): string | undefined {
  return error?.path[0] === key ? error.message : undefined
}

/** Nothing was filled in yet, which is no mistake right after an evaluator was chosen. */
export function isUnfilled({ message }: FieldError): boolean {
  return message === 'Is required'
}

/** What must change before the evaluation can start: “When does an answer pass?” of Your own judge is empty. */
export function describeProblem(problem: FieldError, config: Config, titleOf: (type: string) => string): string {
  const [key, place, option, ...deeper] = problem.path
  const entry = key === 'evaluators' && typeof place === 'number' ? evaluatorsOf(config)[place] : undefined
  const text = isUnfilled(problem) ? ' is empty' : `: ${problem.message.replace(/\.$/, '')}`
  const field = (label: string, of = '') => `“${label}”${of}${text}.`
  if (!entry) return field(settingTitle(String(key)))
  const of = ` of ${entry.name ?? titleOf(entry.type)}`
  if (option === undefined) return field(entry.name ?? titleOf(entry.type))
  const inner = [option, ...deeper].findLast((part) => typeof part === 'string')
  const name = String(inner ?? option)
  return field(name === 'instructions' ? instructionsLabel(entry.type) : (optionLabels[name] ?? labelOf(name)), of)
}
