/**
 * How a question is put to a provider. Providers that call themselves compatible differ in what they take: the form of the answer may
 * be told as a schema, as `json_object`, or in the prompt alone; some models take no temperature, some servers no seed.
 */
import type { Question } from './model-client.ts'
import type { ProviderAnswer } from './model-exchange.ts'
import { refusalText } from './provider-errors.ts'

/** What a model of a connection is known to take. */
export type RequestProfile = {
  format: 'json_schema' | 'json_object' | 'plain'
  temperature: 'sent' | 'left-out'
  seed: 'sent' | 'left-out'
  /** Newer models know only the first name, most servers only the second. */
  answerLimit: 'max_completion_tokens' | 'max_tokens' | 'left-out'
}

export const FIRST_HABITS: RequestProfile = {
  format: 'json_schema',
  temperature: 'sent',
  seed: 'sent',
  answerLimit: 'max_completion_tokens',
}

export function chatRequest(question: Question, model: string, habits: RequestProfile): Record<string, unknown> {
  const { system, user, schema, temperature = 0, seed, answerTokensMax } = question
  return {
    model,
    messages: [
      // The schema is told here in any case: some servers take a response_format and do not heed it.
      { role: 'system', content: `${system}\n\n${schemaSentence(schema.schema)}` },
      { role: 'user', content: user },
    ],
    ...(habits.format === 'json_schema' && {
      response_format: { type: 'json_schema', json_schema: { ...schema, strict: true } },
    }),
    ...(habits.format === 'json_object' && { response_format: { type: 'json_object' } }),
    ...(habits.temperature === 'sent' && { temperature }),
    ...(habits.seed === 'sent' && seed !== undefined && { seed }),
    ...(habits.answerLimit !== 'left-out' &&
      answerTokensMax !== undefined && { [habits.answerLimit]: answerTokensMax }),
  }
}

function schemaSentence(schema: Record<string, unknown>): string {
  return `Answer with one JSON object and nothing else. It must fit this JSON Schema: ${JSON.stringify(schema)}`
}

const UNKNOWN_FORMAT =
  /response[ _.]?(format|schema)|json_(schema|object)|structured[ _-]?outputs?|requested parameters/i

/** What to try next, if the provider refused the way of asking and not the question; undefined if there is nothing to try. */
export function nextHabits(
  question: Question,
  habits: RequestProfile,
  answer: ProviderAnswer,
): RequestProfile | undefined {
  if (![400, 404, 415, 422].includes(answer.status)) return undefined
  const text = refusalText(answer)
  // A temperature that somebody asked for is not left out silently: then the refusal is theirs to see.
  if (habits.temperature === 'sent' && question.temperature === undefined && /\btemperature\b/i.test(text)) {
    return { ...habits, temperature: 'left-out' }
  }
  if (habits.seed === 'sent' && question.seed !== undefined && /\bseed\b/i.test(text))
    return { ...habits, seed: 'left-out' }
  if (question.answerTokensMax !== undefined && /\bmax_(completion_)?tokens\b/i.test(text)) {
    if (habits.answerLimit === 'max_completion_tokens') return { ...habits, answerLimit: 'max_tokens' }
    if (habits.answerLimit === 'max_tokens') return { ...habits, answerLimit: 'left-out' }
  }
  if (!UNKNOWN_FORMAT.test(text)) return undefined
  if (habits.format === 'json_schema') return { ...habits, format: 'json_object' }
  if (habits.format === 'json_object') return { ...habits, format: 'plain' }
  return undefined
}
