/** What differs between the APIs of providers, as pure functions: requests to bodies, and responses to answers. */
import type { ChatDelta, ChatRequest, ChatResult } from '../chat.ts'
import type { Usage } from '../model-client.ts'

/** A path below the base URL, with its query. */
export type Endpoint = { path: string; query?: Readonly<Record<string, string>> }

export type Delivery = 'whole' | 'stream'

export type Provider = {
  /** Without a key, if the connection has none. */
  headers(apiKey: string | undefined): Record<string, string>
  chatEndpoint(model: string, delivery: Delivery): Endpoint
  chatBody(request: ModelRequest, profile: RequestProfile, delivery: Delivery): Record<string, unknown>
  /** For one answer, whole or in events. */
  createReader(request: ModelRequest, profile: RequestProfile): AnswerReader
  /** The formats to try in this order for an answer by a schema that the caller checks. Others are answers by a schema or a tool. */
  formats: readonly AnswerFormat[]
  /** In the error of a provider that does not support the format. */
  unknownFormat: RegExp
  /** The names of the limit of tokens to try, in this order; empty if there is one for all models. */
  limitNames: readonly ('max_completion_tokens' | 'max_tokens')[]
  /** Why the API cannot do this at all; undefined if it can. */
  unsupported(request: ModelRequest, optional: Optional): string | undefined
  /** Undefined if there are none. */
  embeddings: EmbeddingApi | undefined
  models: {
    query?: Readonly<Record<string, string>>
    /** Undefined if the response is no list of models. */
    names(envelope: unknown): unknown[] | undefined
  }
}

export type ModelRequest = ChatRequest & { model: string }

/** What may be omitted if the provider does not support it, because the caller needs it only for better answers. */
export type Optional = ReadonlySet<'temperature' | 'seed' | 'format' | 'maxTokens'>

type AnswerFormat = 'schema' | 'tool' | 'object' | 'plain'

/** The parameters that a model of a connection supports, as far as known. */
export type RequestProfile = {
  format: AnswerFormat
  temperature: 'sent' | 'omitted'
  seed: 'sent' | 'omitted'
  /** An index of `limitNames`; beyond its end, no limit is sent. */
  limitName: number
  /** Streams without it do not report their usage. */
  streamUsage: 'sent' | 'omitted'
}

export type AnswerReader = {
  /** Reads a whole response or an event of a stream. */
  read(part: unknown): ChatDelta[]
  /** The provider has said why the answer ends. */
  readonly isFinished: boolean
  /** Nothing was in the response that could be an answer. */
  readonly isEmpty: boolean
  result(): ChatResult
}

export type EmbeddingApi = {
  endpoint(model: string): Endpoint
  body(model: string, texts: readonly string[]): Record<string, unknown>
  /** In the form of OpenAI: `{embedding, index?}`. */
  vectors(envelope: unknown): unknown
  usage(envelope: unknown): Usage
}
