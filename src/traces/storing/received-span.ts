/**
 * A span as somebody sent it, whatever the protocol was: decoded, cleaned of characters that cannot be stored, not yet understood.
 * Attribute keys are data: they live in maps or in objects without a prototype, so that a key such as `__proto__` is only a key.
 */
export type AttributeValue = string | number | boolean | null | AttributeValue[] | { [key: string]: AttributeValue }

export type Attributes = ReadonlyMap<string, AttributeValue>

export type ReceivedEvent = { timeNs: bigint; name: string; attributes: Attributes }

export type ReceivedLink = { traceId: string; spanId: string; attributes: Attributes }

/** Who sent a span: the resource and the instrumentation scope, shared by the spans that came together. */
export type Origin = {
  resource: Attributes
  scopeName: string
  scopeVersion: string
  scopeAttributes: Attributes
}

export type ReceivedSpan = {
  /** As the sender names the trace: 32 lower-case hex digits for OpenTelemetry. */
  traceId: string
  /** 16 lower-case hex digits. */
  spanId: string
  parentSpanId: string | null
  name: string
  /** The numbers of OTLP: 0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  otelKind: number
  /** Nanoseconds since 1970, exact; between 0 and 2^63 - 1. */
  startNs: bigint
  endNs: bigint | null
  attributes: Attributes
  events: readonly ReceivedEvent[]
  links: readonly ReceivedLink[]
  status: 'unset' | 'ok' | 'error'
  statusMessage: string
  origin: Origin
  /** What had to be changed to store it, for people: `start time clamped`, `attribute x cut to 1 MiB`. */
  notes: readonly string[]
}

/** What a decoder makes of a request. A span that cannot be taken is counted and named, and the others are kept. */
export type ReceivedBatch<Kept = ReceivedSpan> = {
  spans: Kept[]
  rejectedCount: number
  /** Sentences for the sender, without repetition and bounded in number. */
  problems: string[]
}

/**
 * Reads a request, and makes of every span what is kept of it before the next one is read: a decoded span takes ten times the memory
 * of its bytes, and thousands of them at once would cost more to collect than to read.
 */
export type ReadSpans = <Kept>(keep: (span: ReceivedSpan) => Kept) => Promise<ReceivedBatch<Kept>>

/** An event that came by itself, as a log record, and belongs to a span that came before or is still to come. */
export type ReceivedSpanEvent = { traceId: string; spanId: string; event: ReceivedEvent }

export type ReceivedEvents<Kept = ReceivedSpanEvent> = {
  events: Kept[]
  rejectedCount: number
  /** Log records that are no events of GenAI spans: accepted, and not stored. */
  ignoredCount: number
  /** Messages for the sender, without repetition and bounded in number. */
  problems: string[]
}

/** As `ReadSpans`, for log records. */
export type ReadEvents = <Kept>(keep: (event: ReceivedSpanEvent) => Kept) => Promise<ReceivedEvents<Kept>>
