/** Converts traces sent as JSON into received spans, so that all traces are mapped and stored by the same code. */
import { hash } from 'node:crypto'
import type { Static } from 'typebox'
import { badRequest } from '../base/errors.ts'
import type { NewId } from '../base/ids.ts'
import { parseDateTime } from '../base/rfc3339.ts'
import {
  type AttributeValue,
  clampTime,
  type ReceivedEvent,
  type ReceivedSpan,
  type ResourceScope,
} from '../traces/storing/received-span.ts'
import { contentText } from '../traces/trace-content.ts'
import { DESCRIBED_FIELDS, type NativeTrace } from './native-schemas.ts'

export type Trace = Static<typeof NativeTrace>
type Span = NonNullable<Trace['spans']>[number]
type Described = Omit<Span, 'spanId' | 'parentSpanId' | 'events'>

const RESOURCE_SCOPE: ResourceScope = {
  resource: new Map(),
  scopeName: 'touchstone.json',
  scopeVersion: '1',
  scopeAttributes: new Map(),
}
const INTERNAL = 1
const SPAN_ID = /^[0-9a-f]{16}$/i

export type NativeContext = { nowMs: number; newId: NewId }

/** A trace gets a root span that is the parent of the others, unless the root would add no information. */
export function spansOfTrace(trace: Trace, context: NativeContext): ReceivedSpan[] {
  const traceId = canonicalTraceId(trace.traceId ?? newTraceId(context.newId))
  const { spans = [] } = trace
  const rootId = rootSpanIdOf(traceId)
  const hasOwnSpan = spans.length === 0 || needsRootSpan(trace)
  const own = hasOwnSpan ? [spanOf(trace, { traceId, spanId: rootId, parentSpanId: null, place: 0, context })] : []
  const below = spans.map((span, place) =>
    spanOf(span, {
      traceId,
      spanId: span.spanId === undefined ? shortId(`${traceId}\n${place}`) : canonicalSpanId(traceId, span.spanId),
      parentSpanId:
        span.parentSpanId !== undefined ? canonicalSpanId(traceId, span.parentSpanId) : hasOwnSpan ? rootId : null,
      place: place + 1,
      context,
    }),
  )
  const all = [...own, ...below]
  const first = all[0]
  // The first span carries the attributes of the whole trace.
  if (first) all[0] = { ...first, attributes: new Map([...first.attributes, ...traceAttributes(trace)]) }
  return all
}

/** The id of the root span that a trace gets, if it gets one. */
export function rootSpanIdOf(traceId: string): string {
  return shortId(`${traceId}\nroot`)
}

function needsRootSpan(trace: Trace): boolean {
  return Object.entries(trace).some(([field, value]) => DESCRIBED_FIELDS.includes(field) && value !== undefined)
}

type Placed = { traceId: string; spanId: string; parentSpanId: string | null; place: number; context: NativeContext }

function spanOf(span: Described & Pick<Span, 'events'>, { context, place, ...ids }: Placed): ReceivedSpan {
  if (ids.spanId === ids.parentSpanId) throw badRequest('A span cannot be its own parent')
  // Spans without timestamps get consecutive ones in the given order, one nanosecond after another.
  const nowNs = BigInt(context.nowMs) * 1_000_000n + BigInt(place)
  const notes = new Set<string>()
  const heldTime = (given: bigint, what: string) => {
    const held = clampTime(given)
    if (held !== given) notes.add(`${what} clamped`)
    return held
  }
  const startNs = span.startTime === undefined ? nowNs : heldTime(timeOf(span.startTime, 'startTime'), 'start time')
  const endNs = span.endTime === undefined ? null : heldTime(timeOf(span.endTime, 'endTime'), 'end time')
  const isBackwards = endNs !== null && endNs < startNs
  if (isBackwards) notes.add('the end was before the start and was set to it')
  const events = (span.events ?? []).map(({ timestamp, ...event }) => {
    const timeNs = timestamp === undefined ? startNs : heldTime(timeOf(timestamp, 'timestamp'), 'time of an event')
    return eventOf(event, timeNs)
  })
  return {
    ...ids,
    name: span.name ?? span.kind ?? 'trace',
    otelKind: INTERNAL,
    startNs,
    endNs: isBackwards ? startNs : endNs,
    attributes: attributesOf(span),
    events,
    links: [],
    status: span.status ?? 'unset',
    statusMessage: span.statusMessage ?? '',
    resourceScope: RESOURCE_SCOPE,
    notes: [...notes],
  }
}

function attributesOf(span: Described): Map<string, AttributeValue> {
  const attributes = new Map<string, AttributeValue>()
  const set = (key: string, value: AttributeValue | undefined) => {
    if (value !== undefined) attributes.set(key, value)
  }
  for (const [key, value] of nativeValues('metadata', span.metadata)) set(key, value)
  // A span that names a model is a model call.
  set('touchstone.kind', span.kind ?? (span.model === undefined ? undefined : 'llm'))
  set('touchstone.input', contentText(span.input) ?? undefined)
  set('touchstone.output', contentText(span.output) ?? undefined)
  set('touchstone.cost_usd', span.costUsd)
  set('gen_ai.request.model', span.model)
  set('gen_ai.provider.name', span.provider)
  set('gen_ai.usage.input_tokens', span.inputTokens)
  set('gen_ai.usage.output_tokens', span.outputTokens)
  set('gen_ai.usage.total_tokens', span.totalTokens)
  for (const [key, value] of nativeValues('modelParameters', span.modelParameters)) set(`gen_ai.request.${key}`, value)
  return attributes
}

function traceAttributes({ sessionId, userId, tags, dataset, run, itemId }: Trace): Map<string, AttributeValue> {
  const entries: [string, AttributeValue | undefined][] = [
    ['touchstone.session.id', sessionId],
    ['touchstone.user.id', userId],
    ['touchstone.tags', tags],
    ['touchstone.dataset', dataset],
    ['touchstone.run', run],
    ['touchstone.item.id', itemId],
  ]
  const attributes = new Map<string, AttributeValue>()
  for (const [key, value] of entries) if (value !== undefined) attributes.set(key, value)
  return attributes
}

type Event = NonNullable<Span['events']>[number]

function eventOf({ name, body }: Omit<Event, 'timestamp'>, timeNs: bigint): ReceivedEvent {
  return { timeNs, name, attributes: new Map(nativeValues('body', body)) }
}

/** Nanosecond precision, if the sender provides it. */
function timeOf(text: string, field: string): bigint {
  const ns = parseDateTime(text)
  if (ns !== undefined && ns >= 0n) return ns
  throw badRequest(`The field ${field} must be a time such as 2026-11-15T09:30:00.000Z`)
}

function newTraceId(newId: NewId): string {
  return newId().replaceAll('-', '')
}

function canonicalTraceId(traceId: string): string {
  return /^[0-9a-f]{32}$/i.test(traceId) ? traceId.toLowerCase() : traceId
}

/** Span ids have 16 hex digits. Any other name is mapped to such an id, always the same one. */
function canonicalSpanId(traceId: string, spanId: string): string {
  return SPAN_ID.test(spanId) ? spanId.toLowerCase() : shortId(`${traceId}\n${spanId}`)
}

function shortId(name: string): string {
  return hash('sha1', name, 'hex').slice(0, 16)
}

/** The same limits as for OTLP. The depth of a body is limited for all routes. */
const KEYS_MAX = 1_000
/** The total number of values in one object, nested values included. */
const VALUES_MAX = 10_000

/** The members of a free-form object, such as metadata. Every JSON value is a valid attribute value. */
function nativeValues(field: string, object: Record<string, unknown> = {}): [string, AttributeValue][] {
  const entries = Object.entries(object)
  if (entries.length > KEYS_MAX) {
    throw badRequest(`The field ${field} must not have more than ${KEYS_MAX} keys; this one has ${entries.length}`)
  }
  let left = VALUES_MAX
  const readValue = (value: unknown): AttributeValue => {
    left -= 1
    if (left < 0) throw badRequest(`The field ${field} must not hold more than ${VALUES_MAX} values`)
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
    if (Array.isArray(value)) return value.map(readValue)
    if (typeof value !== 'object' || value === null) return null
    const members: { [key: string]: AttributeValue } = Object.create(null)
    for (const [key, entry] of Object.entries(value)) members[key] = readValue(entry)
    return members
  }
  return entries.map(([key, value]) => [key, readValue(value)])
}
