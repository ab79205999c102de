/** Which field of the form a message of the server is about. */
import { isTransient } from '../../api/api-error.ts'
import { settingsInWords } from '../../ui/setting-words.ts'

export type TrialField =
  | 'variants'
  | 'endpoint'
  | 'queue'
  | 'recorded'
  | 'split'
  | 'sample'
  | 'repetitions'
  | 'maxCostUsd'
  | 'maxMinutes'
  | 'concurrency'
  | 'name'
  | `variable ${string}`
  | `variant ${string}`

export interface TrialFieldError {
  field: TrialField
  message: string
}

/** Undefined if the message is about no field, or if asking again may help. */
export function trialFieldError(error: unknown): TrialFieldError | undefined {
  if (!(error instanceof Error) || isTransient(error)) return undefined
  const { message } = error
  const variable = /^The field variables\.(.+?) (must|is) (.*)$/s.exec(message)
  if (variable) return { field: `variable ${variable[1]}`, message: sentence(`${variable[2]} ${variable[3]}`) }
  const variant = /^Variant (.+?): (.*)$/s.exec(message)
  if (variant) return { field: `variant ${variant[1]}`, message: sentence(variant[2] ?? '') }
  const found = patterns.find(({ pattern }) => pattern.test(message))
  return found && { field: found.field, message: sentence(message.replace(/^The field [\w.[\]]+ /, '')) }
}

const patterns: readonly { pattern: RegExp; field: TrialField }[] = [
  { pattern: /^The field variants\[\d+\]\.target\.(body|output|endpoint)|no endpoint named/, field: 'endpoint' },
  { pattern: /^The field variants\[\d+\]\.target\.queue/, field: 'queue' },
  { pattern: /of type recorded/, field: 'recorded' },
  {
    pattern: /^The field (variants|grid|baseline)|at least one variant|at most 50 variants|^Two variants/,
    field: 'variants',
  },
  { pattern: /no items in the split/, field: 'split' },
  { pattern: /^The field split/, field: 'split' },
  { pattern: /^The field sample|a trial has at most [\d,]+; set "sample"/, field: 'sample' },
  { pattern: /^The field repetitions/, field: 'repetitions' },
  { pattern: /maxCostUsd/, field: 'maxCostUsd' },
  { pattern: /^The field maxMinutes/, field: 'maxMinutes' },
  { pattern: /^The field concurrency/, field: 'concurrency' },
  { pattern: /^The field name/, field: 'name' },
]

function sentence(text: string): string {
  const words = settingsInWords(text)
  return `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}${/[.!?]$/.test(words) ? '' : '.'}`
}

export function errorIn(error: TrialFieldError | undefined, field: TrialField): string | undefined {
  return error?.field === field ? error.message : undefined
}
