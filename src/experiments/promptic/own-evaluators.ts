/** The evaluators of the original service as ours. */
import type { PrompticEvaluator } from './promptic-schemas.ts'
import type { Settings } from './settings.ts'
import { structuredFields } from './structured-fields.ts'

type Fields = Record<string, unknown>

/** In the order of the rows; names that occur twice get a number. */
export function ownEvaluators(
  evaluators: readonly PrompticEvaluator[],
  settings: Pick<Settings, 'taskType' | 'schema'>,
): (Fields & { name: string; type: string; weight: number })[] {
  const names = ownNames(evaluators)
  return evaluators.map((evaluator, place) => {
    const { type, ...options } = typeOf(evaluator, settings)
    return { type, name: names[place] ?? evaluator.name, weight: evaluator.weight, ...options }
  })
}

/** The names of the metrics, which are unique. */
export function ownNames(evaluators: readonly Pick<PrompticEvaluator, 'name'>[]): string[] {
  const used = new Set<string>()
  return evaluators.map(({ name }) => {
    let unique = name
    for (let number = 2; used.has(unique); number += 1) unique = `${name} ${number}`
    used.add(unique)
    return unique
  })
}

function typeOf(
  evaluator: PrompticEvaluator,
  { taskType, schema }: Pick<Settings, 'taskType' | 'schema'>,
): Fields & { type: string } {
  const { type, scaleMin, scaleMax } = evaluator
  const config: Fields = evaluator.config ?? {}
  const rubric = rubricOf(config)
  const messages = messagesIn(config)
  const judge = { scale: [scaleMin, scaleMax], ...(typeof config.model === 'string' && { model: config.model }) }
  switch (type) {
    // Of texts, the words that both have in common; of a classification, whether the class is right.
    case 'f1':
      return { type: taskType === 'textGeneration' ? 'tokenF1' : 'f1' }
    case 'similarity':
      return { type: 'embeddingSimilarity' }
    case 'referenceJudge':
      return { type: 'referenceJudge', instructions: rubric ?? evaluator.description ?? RUBRIC, ...judge }
    case 'comparisonJudge':
      return { type: 'comparisonJudge', ...(rubric !== undefined && { instructions: rubric }), ...judge }
    case 'generalJudge':
      return {
        type: 'llmJudge',
        ...(messages.length > 0
          ? { instructions: evaluator.description || 'As the messages say.', messages }
          : { instructions: rubric ?? evaluator.description ?? RUBRIC }),
        ...judge,
      }
    case 'structuredOutput':
      return { type: 'structuredOutput', ...structuredOptions(evaluator, schema) }
    default:
      return { type }
  }
}

function structuredOptions({ name, config }: PrompticEvaluator, schema: Settings['schema']): Fields {
  const fields = structuredFields(name, config ?? {}, schema)
  const asksModel = Object.values(fields).some(({ strategy }) => strategy === 'judge')
  return { fields, ...(asksModel && typeof config?.model === 'string' && { model: config.model }) }
}

const RUBRIC = 'The answer must be right, complete and helpful.'

/** What the messages of the other judges stand for: they get the texts as fields of one JSON object, which no text can leave. */
const FIELDS: Record<string, string> = {
  input: 'the field "input"',
  expected: 'the field "expected"',
  predicted: 'the field "output"',
}

function rubricOf({ messages, instructions, prompt }: Fields): string | undefined {
  const texts = Array.isArray(messages) ? messages.flatMap((message) => contentOf(message) ?? []) : []
  const given = [instructions, prompt, ...texts].filter((text) => typeof text === 'string' && text.trim() !== '')
  if (given.length === 0) return undefined
  return given.join('\n\n').replace(/\{(\w+)\}/g, (whole, name: string) => FIELDS[name] ?? whole)
}

const ROLES = ['system', 'developer', 'assistant'] as const

function messagesIn({ messages }: Fields) {
  if (!Array.isArray(messages)) return []
  return messages.flatMap((message: unknown) => {
    const content = contentOf(message)
    if (content === undefined || content.trim() === '') return []
    return [{ role: ROLES.find((role) => role === Object(message).role) ?? ('user' as const), content }]
  })
}

function contentOf(message: unknown): string | undefined {
  const content = isObject(message) ? message.content : undefined
  return typeof content === 'string' ? content : undefined
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
