/**
 * Builds chat completion requests. OpenAI-compatible providers differ in the parameters that they support: the response format may be a
 * schema, `json_object`, or only part of the prompt; some models accept no temperature, some servers no seed.
 */
import type { Question } from './model-client.ts'
import type { ProviderResponse } from './model-exchange.ts'
import { errorText } from './provider-errors.ts'

/** The parameters that a model of a connection supports, as far as known. */
export type RequestProfile = {
  format: 'json_schema' | 'json_object' | 'plain'
  temperature: 'sent' | 'omitted'
  seed: 'sent' | 'omitted'
  /** Newer models support only the first name, most servers only the second. */
  answerLimit: 'max_completion_tokens' | 'max_tokens' | 'omitted'
}

export const DEFAULT_PROFILE: RequestProfile = {
  format: 'json_schema',
  temperature: 'sent',
  seed: 'sent',
  answerLimit: 'max_completion_tokens',
}

export function chatRequest(question: Question, model: string, profile: RequestProfile): Record<string, unknown> {
  const { system, user, schema, temperature = 0, seed, answerTokensMax } = question
  return {
    model,
    messages: [
      // The prompt always contains the schema: some servers accept a response_format and ignore it.
      { role: 'system', content: `${system}\n\n${schemaInstruction(schema.schema)}` },
      { role: 'user', content: user },
    ],
    ...(profile.format === 'json_schema' && {
      response_format: { type: 'json_schema', json_schema: { ...schema, strict: true } },
    }),
    ...(profile.format === 'json_object' && { response_format: { type: 'json_object' } }),
    ...(profile.temperature === 'sent' && { temperature }),
    ...(profile.seed === 'sent' && seed !== undefined && { seed }),
    ...(profile.answerLimit !== 'omitted' &&
      answerTokensMax !== undefined && { [profile.answerLimit]: answerTokensMax }),
  }
}

function schemaInstruction(schema: Record<string, unknown>): string {
  return `Answer with one JSON object and nothing else. It must fit this JSON Schema: ${JSON.stringify(schema)}`
}

const UNKNOWN_FORMAT =
  /response[ _.]?(format|schema)|json_(schema|object)|structured[ _-]?outputs?|requested parameters/i

/** The profile to try next if the provider rejected a parameter and not the request itself; undefined if there is none. */
export function nextProfile(
  question: Question,
  profile: RequestProfile,
  response: ProviderResponse,
): RequestProfile | undefined {
  if (![400, 404, 415, 422].includes(response.status)) return undefined
  const text = errorText(response)
  // An explicit temperature is not omitted silently: the user must see the error.
  if (profile.temperature === 'sent' && question.temperature === undefined && /\btemperature\b/i.test(text)) {
    return { ...profile, temperature: 'omitted' }
  }
  if (profile.seed === 'sent' && question.seed !== undefined && /\bseed\b/i.test(text))
    return { ...profile, seed: 'omitted' }
  if (question.answerTokensMax !== undefined && /\bmax_(completion_)?tokens\b/i.test(text)) {
    if (profile.answerLimit === 'max_completion_tokens') return { ...profile, answerLimit: 'max_tokens' }
    if (profile.answerLimit === 'max_tokens') return { ...profile, answerLimit: 'omitted' }
  }
  if (!UNKNOWN_FORMAT.test(text)) return undefined
  if (profile.format === 'json_schema') return { ...profile, format: 'json_object' }
  if (profile.format === 'json_object') return { ...profile, format: 'plain' }
  return undefined
}
