/** What an evaluator may ask of a model, whoever provides it. */
export type ModelClient = {
  /** One answer, which fits the schema. Throws a ModelError for everything else. */
  complete(question: Question): Promise<Completion>
  /** One vector per text, in their order. */
  embed(question: { model?: string | undefined; texts: readonly string[] }): Promise<Embeddings>
}

export type Question = {
  /** Undefined: the first model of the connection. */
  model?: string | undefined
  /** Instructions of ours. Nothing that was judged may ever be a part of them. */
  system: string
  /** JSON text: what is to be judged, as data in named fields. */
  user: string
  /** What the answer must be: a JSON Schema, and its name for providers that want one. */
  schema: { name: string; schema: Record<string, unknown> }
  /** Undefined: 0, or what the model does by itself where it takes no temperature. */
  temperature?: number | undefined
  /** For providers that know one: equal questions with equal seeds are mostly answered alike. */
  seed?: number | undefined
  /** How long the answer may be, thinking included, where the provider can be told so. */
  answerTokensMax?: number | undefined
}

export type Usage = { inputTokens: number | null; outputTokens: number | null }

export type Completion = { value: unknown; model: string; usage: Usage }

export type Embeddings = { vectors: readonly (readonly number[])[]; model: string; usage: Usage }

/** `passing`: the same question may be answered later. `final`: asking again would end the same way. */
export class ModelError extends Error {
  readonly kind: 'passing' | 'final'
  /** How long the provider asks to wait. */
  readonly retryAfterMs: number | undefined
  /** Of an answer that came and cannot be used, which is paid for like any other. */
  readonly usage: Usage | undefined

  constructor(
    kind: 'passing' | 'final',
    message: string,
    options: { cause?: unknown; retryAfterMs?: number; usage?: Usage } = {},
  ) {
    super(message, { cause: options.cause })
    this.kind = kind
    this.retryAfterMs = options.retryAfterMs
    this.usage = options.usage
  }
}
