/** The model API for evaluators, independent of the provider. */
export type ModelClient = {
  /** Returns one answer that matches the schema. Throws only ModelErrors. */
  complete(question: Question): Promise<Completion>
  /** Returns one vector per text, in the same order. */
  embed(question: { model?: string | undefined; texts: readonly string[] }): Promise<Embeddings>
}

export type Question = {
  /** Default: the first model of the connection. */
  model?: string | undefined
  /** Our instructions. They must never contain the content to be judged. */
  system: string
  /** JSON text: the content to be judged, in named fields. */
  user: string
  /** The JSON Schema of the answer, with a name for providers that need one. */
  schema: { name: string; schema: Record<string, unknown> }
  /** Default: 0, or the default of the model if it accepts no temperature. */
  temperature?: number | undefined
  /** For providers that support it: equal requests with equal seeds mostly get equal answers. */
  seed?: number | undefined
  /** The maximum length of the answer, including reasoning, if the provider supports a limit. */
  answerTokensMax?: number | undefined
}

/** Null: unknown. */
export type Usage = {
  /** Including those read from a cache and written to it. */
  inputTokens: number | null
  /** Including reasoning. */
  outputTokens: number | null
  cachedTokens: number | null
  cacheWriteTokens: number | null
  reasoningTokens: number | null
}

/** Of a call that was sent and got no answer: the provider may bill it, so it counts at its maximum. */
export const UNKNOWN_USAGE: Usage = {
  inputTokens: null,
  outputTokens: null,
  cachedTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
}

export type Completion = { value: unknown; model: string; usage: Usage }

export type Embeddings = { vectors: readonly (readonly number[])[]; model: string; usage: Usage }

/** `transient`: a retry of the same request may succeed. `permanent`: it would fail again. */
export class ModelError extends Error {
  readonly kind: 'transient' | 'permanent'
  /** The delay that the provider requests. */
  readonly retryAfterMs: number | undefined
  /** The usage of an unusable answer or of none, if the provider may bill it; undefined if it was not sent, or rejected. */
  readonly usage: Usage | undefined
  /** The provider is overloaded or cannot be reached, and bills nothing: it would not answer other requests either. */
  readonly isUnavailable: boolean

  constructor(
    kind: 'transient' | 'permanent',
    message: string,
    options: { cause?: unknown; retryAfterMs?: number; usage?: Usage; isUnavailable?: boolean } = {},
  ) {
    super(message, { cause: options.cause })
    this.kind = kind
    this.retryAfterMs = options.retryAfterMs
    this.usage = options.usage
    this.isUnavailable = options.isUnavailable === true && options.usage === undefined
  }
}

/** For evaluators that call no model. */
export const NO_MODEL: ModelClient = { complete: rejectCall, embed: rejectCall }

function rejectCall(): Promise<never> {
  return Promise.reject(new ModelError('permanent', 'this evaluator asks no model'))
}

/**
 * The model for requests that name none; undefined if the connection lists none. Connections list chat models first; the names of
 * embedding models mostly contain "embed".
 */
export function defaultModelOf(models: readonly string[], purpose: 'completion' | 'embedding'): string | undefined {
  const [first] = models
  return purpose === 'completion' ? first : (models.find((name) => /embed/i.test(name)) ?? first)
}

/** The value of a key of a JSON object; undefined if the value is not an object or has no such key. */
export function jsonField(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return Reflect.get(value, key)
}
