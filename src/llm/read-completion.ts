/** Reads and validates responses of models: the result is a value that matches the schema, or a ModelError. */
import type { ValidateFunction } from 'ajv'
import { type Completion, type Embeddings, jsonField, ModelError, UNKNOWN_USAGE, type Usage } from './model-client.ts'
import type { ProviderResponse } from './model-exchange.ts'
import { errorInBody, type ModelTarget, readJson } from './provider-errors.ts'

const MODEL_LENGTH_MAX = 200

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

export function readCompletion(target: ModelTarget, envelope: unknown, fits: ValidateFunction): Completion {
  const choices = jsonField(envelope, 'choices')
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
  const message = jsonField(choice, 'message')
  const refused = jsonField(message, 'refusal')
  const finish = jsonField(choice, 'finish_reason')
  if ((typeof refused === 'string' && refused !== '') || finish === 'content_filter') {
    throw new ModelError('permanent', `${target.model} of ${target.name} refused to answer`, {
      usage: usageOf(envelope),
    })
  }
  const content = textOf(jsonField(message, 'content'))
  if (content === undefined) throw unusable(target, envelope, 'it is empty')
  const value = readJson(Buffer.from(withoutWrapping(content)))
  if (value === undefined) throw unusable(target, envelope, finish === 'length' ? 'it was cut off' : 'it is not JSON')
  if (!fits(value)) throw unusable(target, envelope, violation(fits))
  return { value, model: modelOf(target, envelope), usage: usageOf(envelope) }
}

export function readEmbeddings(target: ModelTarget, envelope: unknown, count: number): Embeddings {
  const list = jsonField(envelope, 'data')
  if (!Array.isArray(list) || list.length !== count)
    throw unusable(target, envelope, `it does not have ${count} vectors`)
  const vectors: number[][] = new Array(count)
  for (const [position, entry] of list.entries()) {
    const index = jsonField(entry, 'index') ?? position
    const vector = jsonField(entry, 'embedding')
    if (typeof index !== 'number' || !(index in list) || index in vectors)
      throw unusable(target, envelope, 'its order is not clear')
    if (!isVector(vector)) throw unusable(target, envelope, 'it has a vector that is not a list of numbers')
    vectors[index] = vector
  }
  const [first] = vectors
  if (vectors.some((vector) => vector.length !== first?.length))
    throw unusable(target, envelope, 'its vectors differ in length')
  const usage = usageOf(envelope)
  // Embeddings have no output tokens.
  const outputTokens = usage.outputTokens ?? (usage.inputTokens === null ? null : 0)
  return { vectors, model: modelOf(target, envelope), usage: { ...usage, outputTokens } }
}

/** Numbers are finite: `readJson` rejects others. */
function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === 'number')
}

/** Transient: the model may follow the format in the next attempt. */
function unusable({ name, model }: ModelTarget, envelope: unknown, why: string): ModelError {
  return new ModelError('transient', `The answer of ${model} of ${name} cannot be used: ${why}`, {
    usage: usageOf(envelope),
  })
}

function violation({ errors }: ValidateFunction): string {
  const [error] = errors ?? []
  return `${error?.instancePath.slice(1).replaceAll('/', '.') || 'it'} ${error?.message ?? 'does not fit the schema'}`
}

/** Some providers return a list of parts. */
function textOf(content: unknown): string | undefined {
  const parts: unknown[] = Array.isArray(content) ? content.map((part) => jsonField(part, 'text')) : [content]
  const text = parts.filter((part) => typeof part === 'string').join('')
  return text.trim() === '' ? undefined : text
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

function modelOf({ model }: ModelTarget, envelope: unknown): string {
  const reported = jsonField(envelope, 'model')
  return typeof reported === 'string' && reported !== '' ? reported.slice(0, MODEL_LENGTH_MAX).toWellFormed() : model
}

function usageOf(envelope: unknown): Usage {
  const usage = jsonField(envelope, 'usage')
  const inputTokens = count(jsonField(usage, 'prompt_tokens'))
  const outputTokens = count(jsonField(usage, 'completion_tokens'))
  const total = count(jsonField(usage, 'total_tokens'))
  // The other part follows from the total and one part.
  const rest = (part: number | null) => (part === null || total === null || total < part ? null : total - part)
  return { inputTokens: inputTokens ?? rest(outputTokens), outputTokens: outputTokens ?? rest(inputTokens) }
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}
