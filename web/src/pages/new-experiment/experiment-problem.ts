import { hasStatus } from '../../api/api-error.ts'
import type { FieldError } from '../../ui/schema-form/json-schema.ts'
import { settingsInWords } from '../../ui/setting-words.ts'
import { evaluatorsOf, nameOf } from '../new-evaluation/evaluation-draft.ts'
import { type ExperimentDraft, roleOf } from './experiment-draft.ts'

/** The option of an evaluator that a message of the server is about. The server lists those that are improved first. */
export function evaluatorProblem(error: unknown, draft: ExperimentDraft): FieldError | undefined {
  if (!hasStatus(error, 400)) return undefined
  const [, number, keys = '', rest] =
    /^(?:The field )?evaluators\[(\d+)\]([\w.[\]]*?)[.:]? (.*)$/s.exec(error.message) ?? []
  if (number === undefined || rest === undefined) return undefined
  const evaluators = evaluatorsOf(draft.config)
  const sorted = evaluators.toSorted((a, b) => Number(isImproved(draft, b)) - Number(isImproved(draft, a)))
  const wrong = sorted[Number(number)]
  const place = wrong ? evaluators.indexOf(wrong) : -1
  const path = [...keys.matchAll(/[^.[\]]+/g)].map(([key]) => (/^\d+$/.test(key) ? Number(key) : key))
  const message = settingsInWords(rest.replace(/^is missing: /, ''))
  return { path: ['evaluators', place, ...path], message: `${message[0]?.toUpperCase() ?? ''}${message.slice(1)}` }
}

function isImproved(draft: ExperimentDraft, evaluator: Parameters<typeof nameOf>[0]): boolean {
  return roleOf(draft, nameOf(evaluator)).role === 'improve'
}

/** What only a decision of the user can change: too few test items, which may be accepted. */
export function isTooFewItems(error: unknown): boolean {
  return hasStatus(error, 409) && error.message.startsWith('The test split has ')
}
