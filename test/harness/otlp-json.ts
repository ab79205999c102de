/** Builds OTLP requests in their JSON form, with only the fields that a test needs. */
import type { Client } from './client.ts'

export type SpanSketch = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name?: string
  /** Milliseconds since 1970. */
  start?: number
  end?: number
  attributes?: Record<string, unknown>
  status?: 'unset' | 'ok' | 'error'
  statusMessage?: string
  events?: { name: string; time?: number; attributes?: Record<string, unknown> }[]
}

const START_MS = Date.UTC(2026, 10, 15, 9, 30)
const STATUS_CODES = { unset: 0, ok: 1, error: 2 } as const

/** A trace id of 32 digits that is easy to read in a failing test. */
export function traceIdOf(number: number): string {
  return number.toString(16).padStart(32, 'a')
}

export function spanIdOf(number: number): string {
  return number.toString(16).padStart(16, 'b')
}

export function otlpRequest(
  spans: SpanSketch[],
  resource: Record<string, unknown> = { 'service.name': 'tests' },
  scopeName = 'tests',
) {
  return {
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [{ scope: { name: scopeName, version: '1' }, spans: spans.map(spanOf) }],
      },
    ],
  }
}

function spanOf(sketch: SpanSketch) {
  const start = sketch.start ?? START_MS
  return {
    traceId: sketch.traceId,
    spanId: sketch.spanId,
    ...(sketch.parentSpanId === undefined ? {} : { parentSpanId: sketch.parentSpanId }),
    name: sketch.name ?? 'span',
    kind: 1,
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(sketch.end ?? start + 100),
    attributes: keyValues(sketch.attributes ?? {}),
    events: (sketch.events ?? []).map(({ name, time = start, attributes = {} }) => ({
      name,
      timeUnixNano: nanoseconds(time),
      attributes: keyValues(attributes),
    })),
    status: { code: STATUS_CODES[sketch.status ?? 'unset'], message: sketch.statusMessage ?? '' },
  }
}

function nanoseconds(milliseconds: number): string {
  const whole = Math.floor(milliseconds)
  return `${whole}${String(Math.round((milliseconds - whole) * 1e6)).padStart(6, '0')}`
}

function keyValues(attributes: Record<string, unknown>) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }))
}

function anyValue(value: unknown): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } }
  return { kvlistValue: { values: keyValues({ ...Object(value) }) } }
}

export type LogSketch = {
  traceId?: string
  spanId?: string
  /** As the field of the record; `attributes` may have `event.name` instead. */
  name?: string
  time?: number
  attributes?: Record<string, unknown>
  body?: unknown
}

export function otlpLogs(records: LogSketch[]) {
  const logRecords = records.map(({ traceId, spanId, name, time = START_MS, attributes = {}, body }) => ({
    timeUnixNano: nanoseconds(time),
    severityNumber: 9,
    ...(traceId === undefined ? {} : { traceId }),
    ...(spanId === undefined ? {} : { spanId }),
    ...(name === undefined ? {} : { eventName: name }),
    attributes: keyValues(attributes),
    ...(body === undefined ? {} : { body: anyValue(body) }),
  }))
  return { resourceLogs: [{ resource: { attributes: [] }, scopeLogs: [{ scope: { name: 'tests' }, logRecords }] }] }
}

/** Sends log records as an exporter would; fails unless all of them were taken. */
export async function sendLogs(client: Client, records: LogSketch[]) {
  await sendUntilTaken(client, '/v1/logs', otlpLogs(records))
}

/** Sends spans as an exporter would; fails unless all of them were taken. */
export async function sendSpans(client: Client, spans: SpanSketch[], resource?: Record<string, unknown>) {
  await sendUntilTaken(client, '/v1/traces', otlpRequest(spans, resource))
}

const RETRY_MS = 100

/** A busy server rejects batches with 503, which exporters send again. */
async function sendUntilTaken(client: Client, path: string, batch: unknown): Promise<void> {
  let answer = await client.post(path, batch)
  while (answer.status === 503) {
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    answer = await client.post(path, batch)
  }
  if (answer.status !== 200 || answer.text !== '{}') throw new Error(`${path}: ${answer.status} ${answer.text}`)
}
