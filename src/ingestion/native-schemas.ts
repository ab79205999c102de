/** Traces as JSON, for clients without OpenTelemetry. */
import { Type } from 'typebox'
import { closed, Id, listOf, Metadata, Name, TraceRef } from '../http/schemas.ts'
import { SPAN_KINDS } from '../traces/storing/mapped-span.ts'

const TRACES_PER_REQUEST_MAX = 1_000
const SPANS_PER_TRACE_MAX = 10_000

const SpanId = Type.String({ minLength: 1, maxLength: 128 })
/** Text, or any other value, which is stored as JSON text. */
const Content = Type.Unknown()
const Time = Type.String({ format: 'date-time', maxLength: 40 })
const Tokens = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

const described = {
  name: Type.Optional(Name),
  kind: Type.Optional(Type.Enum(SPAN_KINDS, { type: 'string' })),
  startTime: Type.Optional(Time),
  endTime: Type.Optional(Time),
  status: Type.Optional(Type.Enum(['ok', 'error'], { type: 'string' })),
  statusMessage: Type.Optional(Type.String({ maxLength: 20_000 })),
  input: Type.Optional(Content),
  output: Type.Optional(Content),
  model: Type.Optional(Name),
  provider: Type.Optional(Name),
  inputTokens: Type.Optional(Tokens),
  outputTokens: Type.Optional(Tokens),
  totalTokens: Type.Optional(Tokens),
  costUsd: Type.Optional(Type.Number({ minimum: 0 })),
  modelParameters: Type.Optional(Metadata),
  metadata: Type.Optional(Metadata),
}

/** What describes a span, and as well a whole trace. */
export const DESCRIBED_FIELDS = Object.keys(described)

const NativeEvent = closed({
  name: Name,
  timestamp: Type.Optional(Time),
  body: Type.Optional(Metadata),
})

const NativeSpan = closed(
  {
    spanId: Type.Optional(SpanId),
    parentSpanId: Type.Optional(SpanId),
    ...described,
    events: Type.Optional(Type.Array(NativeEvent, { maxItems: 1_000 })),
  },
  { title: 'NewSpan' },
)

const traceFields = {
  traceId: Type.Optional(TraceRef),
  ...described,
  sessionId: Type.Optional(Name),
  userId: Type.Optional(Name),
  tags: Type.Optional(Type.Array(Name, { maxItems: 100 })),
  dataset: Type.Optional(Name),
  run: Type.Optional(Name),
  // As on a span, a name that the dataset may not have, and not a checked reference.
  itemId: Type.Optional(TraceRef),
  spans: Type.Optional(Type.Array(NativeSpan, { maxItems: SPANS_PER_TRACE_MAX })),
}

export const NativeTrace = closed(traceFields, { title: 'NewTrace' })

/** One trace, or several under `traces`. One schema instead of a union of two, so that validation errors can name the field. */
export const NativeTraceBody = closed({
  ...traceFields,
  traces: Type.Optional(Type.Array(NativeTrace, { minItems: 1, maxItems: TRACES_PER_REQUEST_MAX })),
})

const ids = { id: Id, traceId: Type.String() }

/** `{id, traceId}` for one trace, `{data: […]}` for several. */
export const NewTraceIds = Type.Union([closed(ids), listOf(closed(ids))])
