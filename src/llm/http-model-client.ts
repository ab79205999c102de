/**
 * A client for OpenAI-compatible providers.
 *
 * One call is one attempt: the caller decides by the kind of the ModelError whether and when to retry. The client only retries with other
 * parameters if the provider rejects some (see `RequestProfile`), and remembers which work. A call always ends within `timeoutMs`,
 * regardless of the number of requests.
 */
import { Ajv, type ValidateFunction } from 'ajv'
import { type Clock, systemClock } from '../base/clock.ts'
import { VERSION } from '../base/version.ts'
import type { Egress } from '../egress/egress-guard.ts'
import {
  defaultModelOf,
  type ModelClient,
  ModelError,
  type Question,
  UNKNOWN_USAGE,
  type Usage,
} from './model-client.ts'
import { exchange, type ProviderResponse } from './model-exchange.ts'
import { errorText, type ModelTarget, responseError, unreachable } from './provider-errors.ts'
import { readCompletion, readEmbeddings, readEnvelope } from './read-completion.ts'

export type ModelClientOptions = {
  connection: { name: string; baseUrl: string; apiKey?: string | undefined; models: readonly string[] }
  egress: Egress
  clock?: Clock
  /** For a whole call, up to the last byte of the response. */
  timeoutMs?: number
  responseBytesMax?: number
  /** Aborts running calls with a transient error. */
  signal?: AbortSignal
}

export function createModelClient(options: ModelClientOptions): ModelClient {
  const { connection, clock = systemClock() } = options
  const { models, name, apiKey } = connection
  const within = deadline(options)
  const post = sender(options)
  const schemaCheck = schemaChecks()
  // Per model: a base URL may serve models of different vendors.
  const profiles = new Map<string, RequestProfile>()

  return {
    complete: (question) =>
      within(async (call) => {
        const model = requireModel(name, question.model ?? defaultModelOf(models, 'completion'))
        const target: ModelTarget = { name, apiKey, model }
        let profile = profiles.get(model) ?? DEFAULT_PROFILE
        while (true) {
          const response = await post('chat/completions', chatRequest(question, model, profile), call)
          if (isOk(response)) {
            profiles.set(model, profile)
            return readCompletion(target, readEnvelope(target, response), schemaCheck(question.schema.schema))
          }
          const next = nextProfile(question, profile, response)
          if (!next) throw responseError(target, response, clock.now())
          profile = next
        }
      }),

    embed: ({ model: requested, texts }) =>
      within(async (call) => {
        const model = requireModel(name, requested ?? defaultModelOf(models, 'embedding'))
        const target: ModelTarget = { name, apiKey, model }
        const response = await post('embeddings', { model, input: texts }, call)
        if (!isOk(response)) throw responseError(target, response, clock.now())
        return readEmbeddings(target, readEnvelope(target, response), texts.length)
      }),
  }
}

function requireModel(name: string, model: string | undefined): string {
  if (model === undefined) throw new ModelError('permanent', `No model is specified, and ${name} lists none`)
  return model
}

function isOk({ status }: ProviderResponse): boolean {
  return status >= 200 && status < 300
}

type Call = {
  readonly signal: AbortSignal
  /** A request of it was sent and is not answered. */
  isUnanswered: boolean
}

type Work<Result> = (call: Call) => Promise<Result>

/** Rejects when the work exceeds the timeout or is aborted, even if it ignores its signal. */
function deadline({ connection, timeoutMs = 60_000, signal: outer }: ModelClientOptions) {
  return async <Result>(work: Work<Result>): Promise<Result> => {
    const ending = new AbortController()
    const call: Call = { signal: ending.signal, isUnanswered: false }
    const aborted = new Promise<never>((_, reject) => {
      ending.signal.addEventListener('abort', () => reject(ending.signal.reason), { once: true })
    })
    const stop = (message: string) =>
      ending.abort(new ModelError('transient', `${connection.name} ${message}`, billOf(call)))
    const cancel = () => stop('was canceled because the work was stopped')
    const timer = setTimeout(() => stop(`did not respond within ${seconds(timeoutMs)}`), timeoutMs)
    outer?.addEventListener('abort', cancel, { once: true })
    if (outer?.aborted) cancel()
    try {
      return await Promise.race([aborted, outer?.aborted ? aborted : work(call)])
    } finally {
      clearTimeout(timer)
      outer?.removeEventListener('abort', cancel)
    }
  }
}

function billOf({ isUnanswered }: Call): { usage?: Usage } {
  return isUnanswered ? { usage: UNKNOWN_USAGE } : {}
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 1_000)} s`
}

/** Sends JSON to a path below the base URL. Throws a ModelError if there is no response. */
function sender({ connection, egress, responseBytesMax = 1_048_576 }: ModelClientOptions) {
  return async (path: string, body: Record<string, unknown>, call: Call): Promise<ProviderResponse> => {
    try {
      const url = await egress.check(connection.baseUrl)
      // Keeps the query of the base URL: some providers need a version there.
      url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`
      const response = await exchange({
        url,
        agent: egress.agentFor(url),
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          'user-agent': `touchstone/${VERSION}`,
          ...(connection.apiKey ? { authorization: `Bearer ${connection.apiKey}` } : {}),
        },
        body: JSON.stringify(body),
        responseBytesMax,
        signal: call.signal,
        onSent: () => {
          call.isUnanswered = true
        },
      })
      call.isUnanswered = false
      return response
    } catch (error) {
      throw unreachable(connection.name, error, billOf(call).usage)
    }
  }
}

/** Compiles each schema once. One compiler per client, because a compiler keeps every schema in memory. */
function schemaChecks(): (schema: Record<string, unknown>) => ValidateFunction {
  const ajv = new Ajv({
    strict: true,
    strictTypes: false,
    strictNumbers: true,
    // Models often add other fields, which are removed.
    removeAdditional: true,
    // Schemas are built by judges: checking and optimizing one would need 15 ms, compiling it half of one.
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  })
  return (schema) => ajv.compile(schema)
}

/**
 * The parameters that a model of a connection supports, as far as known. OpenAI-compatible providers differ: the response
 * format may be a schema, `json_object`, or only part of the prompt; some models accept no temperature, some servers no seed.
 */
type RequestProfile = {
  format: 'json_schema' | 'json_object' | 'plain'
  temperature: 'sent' | 'omitted'
  seed: 'sent' | 'omitted'
  /** Newer models support only the first name, most servers only the second. */
  answerLimit: 'max_completion_tokens' | 'max_tokens' | 'omitted'
}

const DEFAULT_PROFILE: RequestProfile = {
  format: 'json_schema',
  temperature: 'sent',
  seed: 'sent',
  answerLimit: 'max_completion_tokens',
}

function chatRequest(question: Question, model: string, profile: RequestProfile): Record<string, unknown> {
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
function nextProfile(
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
