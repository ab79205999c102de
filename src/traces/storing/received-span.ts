/**
 * A span as it was sent, independent of the protocol: decoded, without characters that cannot be stored, not mapped yet. Attribute keys
 * are untrusted data: they are in maps or in objects without a prototype, so that a key such as `__proto__` has no effect.
 */
import { pauseEvery } from '../../base/event-loop.ts'
export type AttributeValue = string | number | boolean | null | AttributeValue[] | { [key: string]: AttributeValue }

export type Attributes = ReadonlyMap<string, AttributeValue>

export type ReceivedEvent = { timeNs: bigint; name: string; attributes: Attributes }

export type ReceivedLink = { traceId: string; spanId: string; attributes: Attributes }

/** The sender of a span: the resource and the instrumentation scope, shared by the spans of a batch. */
export type ResourceScope = {
  resource: Attributes
  scopeName: string
  scopeVersion: string
  scopeAttributes: Attributes
}

export type ReceivedSpan = {
  /** The trace id of the sender: 32 lower-case hex digits for OpenTelemetry. */
  traceId: string
  /** 16 lower-case hex digits. */
  spanId: string
  parentSpanId: string | null
  name: string
  /** The enumeration of OTLP: 0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  otelKind: number
  /** Nanoseconds since 1970, exact; between 0 and 2^63 - 1. */
  startNs: bigint
  endNs: bigint | null
  attributes: Attributes
  events: readonly ReceivedEvent[]
  links: readonly ReceivedLink[]
  status: 'unset' | 'ok' | 'error'
  statusMessage: string
  resourceScope: ResourceScope
  /** What was changed to store the span, for users: `start time clamped`, `attribute x cut to 1 MiB`. */
  notes: readonly string[]
}

/** A decoded request. Rejected spans are counted and reported; the others are stored. */
export type ReceivedBatch<Kept = ReceivedSpan> = {
  spans: Kept[]
  rejectedCount: number
  /** Messages for the sender, without duplicates and bounded in number. */
  problems: string[]
}

/**
 * Reads a request and converts every span with `keep` before it reads the next. A decoded span needs ten times the memory of its bytes,
 * and collecting thousands of them as garbage would cost more than reading them.
 */
export type ReadSpans = <Kept>(keep: (span: ReceivedSpan) => Kept) => Promise<ReceivedBatch<Kept>>

/** An event that arrived as a log record. Its span may arrive before or after it. */
export type ReceivedSpanEvent = { traceId: string; spanId: string; event: ReceivedEvent }

export type ReceivedEvents<Kept = ReceivedSpanEvent> = {
  events: Kept[]
  rejectedCount: number
  /** Log records that are not GenAI events of spans: accepted, but not stored. */
  ignoredCount: number
  /** Messages for the sender, without duplicates and bounded in number. */
  problems: string[]
}

/** As `ReadSpans`, for log records. */
export type ReadEvents = <Kept>(keep: (event: ReceivedSpanEvent) => Kept) => Promise<ReceivedEvents<Kept>>

const TIME_MAX = 2n ** 63n - 1n

/** The nearest time, in nanoseconds since 1970, that the database can store: up to the year 2262. */
export function clampTime(timeNs: bigint): bigint {
  if (timeNs < 0n) return 0n
  return timeNs > TIME_MAX ? TIME_MAX : timeNs
}

const SPANS_PER_TURN = 100

/** For spans that are already in memory. */
export function readerOf(spans: readonly ReceivedSpan[]): ReadSpans {
  return async <Kept>(keep: (span: ReceivedSpan) => Kept) => {
    const pause = pauseEvery(SPANS_PER_TURN)
    const kept: Kept[] = []
    for (const span of spans) {
      kept.push(keep(span))
      await pause()
    }
    return { spans: kept, rejectedCount: 0, problems: [] }
  }
}
