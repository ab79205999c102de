/** Reads and validates responses of models: the result is a value that matches the schema, or a ModelError. */
import type { ValidateFunction } from 'ajv'
import type { ChatResult } from './chat.ts'
import { type Completion, type Embeddings, jsonField, ModelError, UNKNOWN_USAGE, type Usage } from './model-client.ts'
import type { ProviderResponse } from './model-exchange.ts'
import { errorInBody, type ModelTarget, readJson } from './provider-errors.ts'
import { modelNameOr } from './providers/answer-draft.ts'
import type { AnswerReader, EmbeddingApi } from './providers/provider.ts'

/** The JSON body of a 2xx response. */
export function readEnvelope(target: ModelTarget, { headers, body }: ProviderResponse): unknown {
  const usage = UNKNOWN_USAGE
  if (body === 'too-long')
    throw new ModelError('permanent', `${target.name} returned a response that is too large`, { usage })
  const envelope = readJson(body)
  if (typeof envelope === 'object' && envelope !== null) {
    const error = errorInBody(target, envelope)
    if (error) throw error
    return envelope
  }
  // A web page of another server is a permanent error; truncated JSON is transient.
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type.includes('html')) {
    throw new ModelError(
      'permanent',
      `${target.name} returned a web page instead of an API response; check its base URL`,
    )
  }
  if (type !== '' && !type.includes('json')) {
    throw new ModelError('permanent', `${target.name} did not return JSON; check its base URL`)
  }
  throw new ModelError('transient', `${target.name} returned invalid JSON`, { usage })
}

/** An answer that was cut off or refused is one, too. */
export function readChat(target: ModelTarget, reader: AnswerReader): ChatResult {
  const result = reader.result()
  if (reader.isEmpty && !reader.isFinished) throw unusable(target, result.usage, 'it is empty')
  return result
}

export function readCompletion(target: ModelTarget, result: ChatResult, fits: ValidateFunction): Completion {
  const { text, finishReason, model, usage } = result
  if (finishReason === 'refusal') {
    throw new ModelError('permanent', `${target.model} of ${target.name} refused to answer`, { usage })
  }
  if (text.trim() === '') throw unusable(target, usage, finishReason === 'length' ? 'it was cut off' : 'it is empty')
  const value = readJson(Buffer.from(withoutWrapping(text)))
  if (value === undefined) {
    throw unusable(target, usage, finishReason === 'length' ? 'it was cut off' : 'it is not JSON')
  }
  if (!fits(value)) throw unusable(target, usage, violation(fits))
  return { value, model, usage }
}

export function readEmbeddings(
  target: ModelTarget,
  api: EmbeddingApi,
  { envelope, count }: { envelope: unknown; count: number },
): Embeddings {
  const usage = api.usage(envelope)
  const list = api.vectors(envelope)
  if (!Array.isArray(list) || list.length !== count) throw unusable(target, usage, `it does not have ${count} vectors`)
  const vectors: number[][] = new Array(count)
  for (const [position, entry] of list.entries()) {
    const index = jsonField(entry, 'index') ?? position
    const vector = jsonField(entry, 'embedding')
    if (typeof index !== 'number' || !(index in list) || index in vectors)
      throw unusable(target, usage, 'its order is not clear')
    if (!isVector(vector)) throw unusable(target, usage, 'it has a vector that is not a list of numbers')
    vectors[index] = vector
  }
  const [first] = vectors
  if (vectors.some((vector) => vector.length !== first?.length))
    throw unusable(target, usage, 'its vectors differ in length')
  return { vectors, model: modelNameOr(target.model, jsonField(envelope, 'model')), usage }
}

/** Numbers are finite: `readJson` rejects others. */
function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === 'number')
}

/** Transient: the model may follow the format in the next attempt. */
function unusable({ name, model }: ModelTarget, usage: Usage, why: string): ModelError {
  return new ModelError('transient', `The answer of ${model} of ${name} cannot be used: ${why}`, { usage })
}

function violation({ errors }: ValidateFunction): string {
  const [error] = errors ?? []
  return `${error?.instancePath.slice(1).replaceAll('/', '.') || 'it'} ${error?.message ?? 'does not fit the schema'}`
}

/**
 * Removes reasoning before the JSON and a code fence around it. Does not search for JSON inside other text, because the model may quote
 * the content that it judges.
 */
function withoutWrapping(content: string): string {
  const text = content.trim()
  // The last end tag counts: the reasoning may quote one.
  const thoughtsEnd = text.startsWith('<think>') ? text.lastIndexOf('</think>') : -1
  const answer = thoughtsEnd === -1 ? text : text.slice(thoughtsEnd + '</think>'.length).trim()
  if (!answer.startsWith('```') || !answer.endsWith('```') || answer.length < 6) return answer
  return answer.slice(3, -3).replace(/^[a-zA-Z]*\s/, '')
}
