/** The meaning of a span, independent of its convention. */
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
 * Normalized token counts: `input` includes cache reads and writes, `output` includes reasoning. `basis` records how the cache counts
 * were interpreted: as part of the input count, or in addition to it.
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

/** Names that connect a trace with components, datasets and runs. */
export type TraceLinks = {
  component?: string
  dataset?: string
  run?: string
  datasetId?: string
  itemId?: string
}

/** What a trace was recorded for. Everything that nothing else claims is production. */
export const TRACE_SOURCES = ['production', 'trial', 'experiment', 'playground', 'run'] as const

export type TraceSource = (typeof TRACE_SOURCES)[number]

/** Where a client had a prompt from, from the best to the worst. */
export const PROMPT_SOURCES = ['network', 'memory', 'disk', 'fallback'] as const

export type PromptSource = (typeof PROMPT_SOURCES)[number]

/** `name` is `answer@12`, `answer` if the sender named no version, and `@12` if it named nothing else. */
export type SpanPrompt = { name: string; label: string | null; source: PromptSource | null }

/** `key` is set if the text is the unchanged value of that attribute. It is then stored only once. */
export type MappedText = { text: string; key: string | null }

export type MappedSpan = {
  name: string
  kind: SpanKind
  input: MappedText | null
  output: MappedText | null
  /** The model that responded, or else the requested model. */
  model: string | null
  provider: string | null
  usage: Usage | null
  /** The cost that the sender reports, in US dollars. */
  reportedCostUsd: number | null
  status: 'unset' | 'ok' | 'error'
  statusMessage: string | null
  sessionId: string | null
  userId: string | null
  tags: string[]
  environment: string | null
  /** The name of the whole trace, if a convention has one. */
  traceName: string | null
  links: TraceLinks
  /** Null if the span says nothing about it. */
  source: TraceSource | null
  prompt: SpanPrompt | null
}

/** A part of a message. Parts that no convention defines are stored unchanged, as JSON. */
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

/** Additional fields without a column, such as `finish_reason` or `cache_control`. */
type WithExtra = { extra?: Readonly<Record<string, unknown>> }
