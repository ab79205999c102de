/** What the meaning of a span is, whatever convention told it. */
export const SPAN_KINDS = [
  'llm',
  'embedding',
  'retriever',
  'reranker',
  'tool',
  'agent',
  'chain',
  'guardrail',
  'evaluator',
  'prompt',
  'span',
] as const

export type SpanKind = (typeof SPAN_KINDS)[number]

/**
 * Tokens, normalised: `input` includes what was read from and written to a cache, `output` includes reasoning. `basis` tells how the
 * cache counts that were sent were understood: as a part of the input count, or as something to be added to it.
 */
export type Usage = {
  input: number | null
  output: number | null
  total: number | null
  cacheRead: number | null
  cacheWrite: number | null
  reasoning: number | null
  basis: 'inclusive' | 'additive'
}

/** Names that connect a trace with what people keep here. */
export type TraceLinks = {
  component?: string
  dataset?: string
  run?: string
  datasetId?: string
  itemId?: string
}

/** `key` is set when the text is the value of that one attribute, unchanged: it then needs to be stored only once. */
export type MappedText = { text: string; key: string | null }

export type MappedSpan = {
  name: string
  kind: SpanKind
  input: MappedText | null
  output: MappedText | null
  /** The model that answered, or else the one that was asked for. */
  model: string | null
  provider: string | null
  usage: Usage | null
  /** What the sender says it cost, in US dollars. */
  reportedCostUsd: number | null
  status: 'unset' | 'ok' | 'error'
  statusMessage: string | null
  sessionId: string | null
  userId: string | null
  tags: string[]
  environment: string | null
  /** The name of the whole trace, where a convention has one. */
  traceName: string | null
  links: TraceLinks
}

/** A part of a message. What no convention explains stays here as it came, as JSON. */
export type MessagePart = (
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'tool_call'; id: string | null; name: string; arguments: unknown }
  | { type: 'tool_result'; id: string | null; name: string | null; result: unknown }
  | { type: 'media'; mediaType: string | null; url: string | null; data: string | null }
  | { type: 'json'; value: unknown }
) &
  WithExtra

export type Message = { role: string; parts: MessagePart[] } & WithExtra

/** What was sent beside the rest and has no place of its own, such as `finish_reason` or `cache_control`. */
type WithExtra = { extra?: Readonly<Record<string, unknown>> }
