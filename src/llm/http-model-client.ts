/**
 * A client for the providers of models.
 *
 * One call is one attempt: the caller decides by the kind of the ModelError whether and when to retry. The client only retries with other
 * parameters if the provider rejects some (see `RequestProfile`), and remembers which work. A call always ends within `timeoutMs`,
 * regardless of the number of requests.
 */
import { Ajv, type ValidateFunction } from 'ajv'
import { type Clock, systemClock } from '../base/clock.ts'
import { VERSION } from '../base/version.ts'
import type { Egress } from '../egress/egress-guard.ts'
import type { ChatClient, ChatEvent, ChatRequest, ChatResult, ProviderKind } from './chat.ts'
import { endpointUrl } from './endpoint-url.ts'
import { beginCall, billOf, type ModelCall } from './model-call.ts'
import { defaultModelOf, ModelError, type Question, UNKNOWN_USAGE } from './model-client.ts'
import { type OpenResponse, openExchange, type ProviderResponse } from './model-exchange.ts'
import { errorInBody, type ModelTarget, readJson, responseError, unreachable } from './provider-errors.ts'
import type { AnswerReader, Delivery, Endpoint, ModelRequest, Optional } from './providers/provider.ts'
import { PROVIDERS } from './providers/providers.ts'
import { readChat, readCompletion, readEmbeddings, readEnvelope } from './read-completion.ts'
import { DEFAULT_PROFILE, nextProfile, profileFor } from './request-profile.ts'
import { EventStreamError, readEventData } from './server-sent-events.ts'

export type ModelClientOptions = {
  connection: {
    name: string
    kind: ProviderKind
    baseUrl: string
    apiKey?: string | undefined
    models: readonly string[]
  }
  egress: Egress
  clock?: Clock
  /** For a whole call, up to the last byte of the response. */
  timeoutMs?: number
  /** For a whole response, or an event of a stream. */
  responseBytesMax?: number
  /** Aborts running calls with a transient error. */
  signal?: AbortSignal
}

/** The envelope of each token of a stream is a few hundred bytes. */
const STREAM_BYTES_FACTOR = 64
const RESPONSE_BYTES_MAX = 1_048_576

export function createModelClient(options: ModelClientOptions): ChatClient {
  const { connection, clock = systemClock(), timeoutMs = 60_000, responseBytesMax = RESPONSE_BYTES_MAX } = options
  const { models, name, kind, apiKey } = connection
  const provider = PROVIDERS[kind]
  const send = sender(options)
  const schemaCheck = schemaChecks()
  // Per model: a base URL may serve models of different vendors.
  const profiles = new Map<string, typeof DEFAULT_PROFILE>()

  const begin = (signal?: AbortSignal) => beginCall({ name, timeoutMs, signals: [options.signal, signal] })

  async function within<Result>(
    work: (call: ModelCall) => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    const call = begin(signal)
    try {
      return await call.orAborted(call.signal.aborted ? new Promise<never>(() => undefined) : work(call))
    } finally {
      call.end()
    }
  }

  function targetOf(requested: string | undefined, purpose: 'completion' | 'embedding'): ModelTarget {
    return { name, apiKey, model: requireModel(name, requested ?? defaultModelOf(models, purpose)) }
  }

  /** Sends a request until the provider accepts its parameters. */
  async function open(
    target: ModelTarget,
    { delivery, optional, ...chat }: ChatRequest & { delivery: Delivery; optional: Optional },
    call: ModelCall,
  ): Promise<{ response: OpenResponse; reader: AnswerReader }> {
    const { model } = target
    const request: ModelRequest = { ...chat, model }
    const asked = { provider, request, optional, delivery }
    const unsupported = provider.unsupported(request, optional)
    if (unsupported) throw new ModelError('permanent', `${name} was not called: ${unsupported}`)
    let learned = profiles.get(model) ?? DEFAULT_PROFILE
    while (true) {
      const profile = profileFor(learned, asked)
      const body = provider.chatBody(request, profile, delivery)
      const response = await send(provider.chatEndpoint(model, delivery), body, call)
      if (isOk(response)) {
        profiles.set(model, learned)
        return { response, reader: provider.createReader(request, profile) }
      }
      const rejection = await wholeOf(response, call)
      const change = nextProfile(profile, asked, rejection)
      if (!change) throw responseError(target, rejection, clock.now())
      learned = { ...learned, ...change }
    }
  }

  async function wholeOf(response: OpenResponse, call: ModelCall): Promise<ProviderResponse> {
    try {
      const whole = await response.readWhole(responseBytesMax)
      call.isUnanswered = false
      return whole
    } catch (error) {
      throw unreachable(name, error, billOf(call).usage)
    }
  }

  async function answer(target: ModelTarget, request: ChatRequest, optional: Optional, call: ModelCall) {
    const { response, reader } = await open(target, { ...request, delivery: 'whole', optional }, call)
    reader.read(readEnvelope(target, await wholeOf(response, call)))
    return readChat(target, reader)
  }

  async function* events(target: ModelTarget, request: ChatRequest, call: ModelCall): AsyncGenerator<ChatEvent> {
    const { response, reader } = await open(target, { ...request, delivery: 'stream', optional: NOTHING }, call)
    // Some servers ignore the request for a stream.
    if (!response.headers['content-type']?.includes('event-stream')) {
      yield* reader.read(readEnvelope(target, await wholeOf(response, call)))
      yield { type: 'end', result: readChat(target, reader) }
      return
    }
    const usage = UNKNOWN_USAGE
    const limits = { eventBytesMax: responseBytesMax, bytesMax: STREAM_BYTES_FACTOR * responseBytesMax }
    let isDone = false
    try {
      for await (const data of readEventData(response.pieces, limits)) {
        if (data === '[DONE]') {
          isDone = true
          continue
        }
        const part = readJson(Buffer.from(data))
        if (part === undefined) throw new ModelError('transient', `${name} returned invalid JSON`, { usage })
        const error = errorInBody(target, part, usage)
        if (error) throw error
        yield* reader.read(part)
      }
    } catch (error) {
      if (!(error instanceof EventStreamError)) throw unreachable(name, error, usage)
      throw error.reason === 'too long'
        ? new ModelError('permanent', `${name} returned a response that is too large`, { usage })
        : new ModelError('transient', `${name} returned invalid JSON`, { usage })
    }
    call.isUnanswered = false
    if (!isDone && !reader.isFinished) {
      throw new ModelError('transient', `The answer of ${target.model} of ${name} broke off`, { usage })
    }
    yield { type: 'end', result: readChat(target, reader) }
  }

  return {
    complete: (question) =>
      within(async (call) => {
        const target = targetOf(question.model, 'completion')
        const { request, optional } = requestOf(question)
        const result = await answer(target, request, optional, call)
        return readCompletion(target, result, schemaCheck(question.schema.schema))
      }, undefined),

    embed: ({ model, texts }) =>
      within(async (call) => {
        const { embeddings } = provider
        if (!embeddings) {
          throw new ModelError(
            'permanent',
            `${name} was not called: connections of kind ${kind} have no embeddings; use one of another kind`,
          )
        }
        const target = targetOf(model, 'embedding')
        const endpoint = embeddings.endpoint(target.model)
        const response = await wholeOf(await send(endpoint, embeddings.body(target.model, texts), call), call)
        if (!isOk(response)) throw responseError(target, response, clock.now())
        return readEmbeddings(target, embeddings, { envelope: readEnvelope(target, response), count: texts.length })
      }, undefined),

    chat: (request): Promise<ChatResult> =>
      within(async (call) => answer(targetOf(request.model, 'completion'), request, NOTHING, call), request.signal),

    async *stream(request) {
      const call = begin(request.signal)
      try {
        await call.orAborted(Promise.resolve())
        const answer = events(targetOf(request.model, 'completion'), request, call)
        while (true) {
          const next = await call.orAborted(answer.next())
          if (next.done) return
          yield next.value
        }
      } finally {
        call.end()
      }
    },
  }
}

const NOTHING: Optional = new Set()

function requireModel(name: string, model: string | undefined): string {
  if (model === undefined) throw new ModelError('permanent', `No model is specified, and ${name} lists none`)
  return model
}

function isOk({ status }: { status: number }): boolean {
  return status >= 200 && status < 300
}

/** Sends JSON to a path below the base URL. Throws a ModelError if there is no response. */
function sender({ connection, egress }: ModelClientOptions) {
  const { name, kind, baseUrl, apiKey } = connection
  return async (endpoint: Endpoint, body: Record<string, unknown>, call: ModelCall): Promise<OpenResponse> => {
    try {
      const url = endpointUrl(await egress.check(baseUrl), endpoint)
      return await openExchange({
        url,
        agent: egress.agentFor(url),
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          'user-agent': `touchstone/${VERSION}`,
          ...PROVIDERS[kind].headers(apiKey),
        },
        body: JSON.stringify(body),
        signal: call.signal,
        onSent: () => {
          call.isUnanswered = true
        },
      })
    } catch (error) {
      throw unreachable(name, error, billOf(call).usage)
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

/** The answer is checked, so everything is optional that only helps the model to fit the schema or to repeat itself. */
function requestOf(question: Question): { request: ChatRequest; optional: Optional } {
  const { system, user, schema, temperature, seed, answerTokensMax } = question
  const request: ChatRequest = {
    messages: [
      // The prompt always contains the schema: some servers accept a response format and ignore it.
      { role: 'system', content: `${system}\n\n${schemaInstruction(schema.schema)}` },
      { role: 'user', content: user },
    ],
    responseFormat: { type: 'schema', ...schema, strict: true },
    parameters: { temperature: temperature ?? 0, seed, maxTokens: answerTokensMax },
  }
  // An explicit temperature is not omitted silently: the user must see the error.
  const optional = ['seed', 'format', 'maxTokens'] as const
  return { request, optional: new Set(temperature === undefined ? [...optional, 'temperature'] : optional) }
}

function schemaInstruction(schema: Record<string, unknown>): string {
  return `Answer with one JSON object and nothing else. It must fit this JSON Schema: ${JSON.stringify(schema)}`
}
