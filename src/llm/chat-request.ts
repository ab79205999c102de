/**
 * Builds chat completion requests. OpenAI-compatible providers differ in the parameters that they support: the response format may be a
 * schema, `json_object`, or only part of the prompt; some models accept no temperature, some servers no seed.
 */
import type { Question } from './model-client.ts'
import type { ProviderAnswer } from './model-exchange.ts'
import { refusalText } from './provider-errors.ts'

/** The parameters that a model of a connection supports, as far as known. */
export type RequestProfile = {
  format: 'json_schema' | 'json_object' | 'plain'
  temperature: 'sent' | 'left-out'
  seed: 'sent' | 'left-out'
  /** Newer models support only the first name, most servers only the second. */
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
      // The prompt always contains the schema: some servers accept a response_format and ignore it.
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

/** The profile to try next if the provider rejected a parameter and not the request itself; undefined if there is none. */
export function nextHabits(
  question: Question,
  habits: RequestProfile,
  answer: ProviderAnswer,
): RequestProfile | undefined {
  if (![400, 404, 415, 422].includes(answer.status)) return undefined
  const text = refusalText(answer)
  // An explicit temperature is not omitted silently: the user must see the error.
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
