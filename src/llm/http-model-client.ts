/**
 * A client for OpenAI-compatible providers.
 *
 * One call is one attempt: the caller decides by the kind of the ModelError whether and when to retry. The client only retries with other
 * parameters if the provider rejects some (see `chat-request.ts`), and remembers which work. A call always ends within `timeoutMs`,
 * regardless of the number of requests.
 */
import { Ajv, type ValidateFunction } from 'ajv'
import { type Clock, systemClock } from '../base/clock.ts'
import { VERSION } from '../base/version.ts'
import type { Egress } from '../egress/egress-guard.ts'
import { chatRequest, DEFAULT_PROFILE, nextProfile, type RequestProfile } from './chat-request.ts'
import { defaultModelOf } from './default-model.ts'
import { type ModelClient, ModelError } from './model-client.ts'
import { exchange, type ProviderResponse } from './model-exchange.ts'
import { type ModelTarget, responseError, unreachable } from './provider-errors.ts'
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
      within(async (signal) => {
        const model = requireModel(name, question.model ?? defaultModelOf(models, 'completion'))
        const target: ModelTarget = { name, apiKey, model }
        let profile = profiles.get(model) ?? DEFAULT_PROFILE
        while (true) {
          const response = await post('chat/completions', chatRequest(question, model, profile), signal)
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
      within(async (signal) => {
        const model = requireModel(name, requested ?? defaultModelOf(models, 'embedding'))
        const target: ModelTarget = { name, apiKey, model }
        const response = await post('embeddings', { model, input: texts }, signal)
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

type Work<Result> = (signal: AbortSignal) => Promise<Result>

/** Rejects when the work exceeds the timeout or is aborted, even if it ignores its signal. */
function deadline({ connection, timeoutMs = 60_000, signal: outer }: ModelClientOptions) {
  return async <Result>(work: Work<Result>): Promise<Result> => {
    const ending = new AbortController()
    const aborted = new Promise<never>((_, reject) => {
      ending.signal.addEventListener('abort', () => reject(ending.signal.reason), { once: true })
    })
    const stop = (message: string) => ending.abort(new ModelError('transient', `${connection.name} ${message}`))
    const cancel = () => stop('was canceled because the work was stopped')
    const timer = setTimeout(() => stop(`did not respond within ${seconds(timeoutMs)}`), timeoutMs)
    outer?.addEventListener('abort', cancel, { once: true })
    if (outer?.aborted) cancel()
    try {
      return await Promise.race([aborted, outer?.aborted ? aborted : work(ending.signal)])
    } finally {
      clearTimeout(timer)
      outer?.removeEventListener('abort', cancel)
    }
  }
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 1_000)} s`
}

/** Sends JSON to a path below the base URL. Throws a ModelError if there is no response. */
function sender({ connection, egress, responseBytesMax = 1_048_576 }: ModelClientOptions) {
  return async (path: string, body: Record<string, unknown>, signal: AbortSignal): Promise<ProviderResponse> => {
    try {
      const url = await egress.check(connection.baseUrl)
      // Keeps the query of the base URL: some providers need a version there.
      url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`
      return await exchange({
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
        signal,
      })
    } catch (error) {
      throw unreachable(connection.name, error)
    }
  }
}

/** Compiles each schema once. One compiler per client, because a compiler keeps every schema in memory. */
function schemaChecks(): (schema: Record<string, unknown>) => ValidateFunction {
  // Models often add other fields, which are removed.
  const ajv = new Ajv({ strict: true, strictTypes: false, strictNumbers: true, removeAdditional: true })
  return (schema) => ajv.compile(schema)
}
