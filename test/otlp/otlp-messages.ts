/** Trace requests as a test thinks of them, written in protobuf by an independent library, and in OTLP/JSON. */
import { join } from 'node:path'
import protobuf from 'protobufjs'
import type { AttributeValue } from '../../src/traces/storing/received-span.ts'

export type AnyValue =
  | { stringValue: string }
  | { boolValue: boolean }
  | { intValue: bigint }
  | { doubleValue: number }
  | { bytesValue: Uint8Array }
  | { arrayValue: { values: AnyValue[] } }
  | { kvlistValue: { values: KeyValue[] } }
  | Record<never, never>

export type KeyValue = { key: string; value: AnyValue }

export type SpanMessage = {
  traceId: Uint8Array
  spanId: Uint8Array
  parentSpanId: Uint8Array
  name: string
  kind: number
  startTimeUnixNano: bigint
  endTimeUnixNano: bigint
  attributes: KeyValue[]
  events: { timeUnixNano: bigint; name: string; attributes: KeyValue[] }[]
  links: { traceId: Uint8Array; spanId: Uint8Array; attributes: KeyValue[] }[]
  status: { message: string; code: number }
}

export type RequestMessage = {
  resourceSpans: {
    resource: { attributes: KeyValue[] }
    scopeSpans: {
      scope: { name: string; version: string; attributes: KeyValue[] }
      spans: SpanMessage[]
    }[]
  }[]
}

const root = protobuf.loadSync(join(import.meta.dirname, 'trace.proto'))

/** A message of `trace.proto`, from and to plain objects; 64-bit numbers are text. */
export function messageType(name: string) {
  const type = root.lookupType(`otlp.${name}`)
  return {
    encode: (message: object): Buffer => Buffer.from(type.encode(type.fromObject(Object(plain(message)))).finish()),
    decode: (bytes: Uint8Array): unknown => type.toObject(type.decode(bytes), { longs: String, bytes: String }),
  }
}

export const requestType = messageType('ExportTraceServiceRequest')

/** 64-bit numbers as text, which the library takes exactly. */
function plain(value: unknown): unknown {
  return convert(value, (leaf) => (typeof leaf === 'bigint' ? String(leaf) : leaf))
}

/** By the rules of OTLP/JSON: ids in hex, other bytes in base64, 64-bit numbers as text, no NaN. */
export function toJson(request: RequestMessage): Buffer {
  const json = convert(request, (leaf, name) => {
    if (leaf instanceof Uint8Array) return Buffer.from(leaf).toString(name === 'bytesValue' ? 'base64' : 'hex')
    if (typeof leaf === 'number' && !Number.isFinite(leaf)) return String(leaf)
    return typeof leaf === 'bigint' ? String(leaf) : leaf
  })
  return Buffer.from(JSON.stringify(json))
}

function convert(value: unknown, leaf: (value: unknown, name: string) => unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((entry) => convert(entry, leaf))
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return leaf(value, name)
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, convert(entry, leaf, key)]))
}

/** A small valid span, to be changed in one respect. */
export function spanMessage(changed: Partial<SpanMessage> = {}): SpanMessage {
  return {
    traceId: Buffer.from('0af7651916cd43dd8448eb211c80319c', 'hex'),
    spanId: Buffer.from('b7ad6b7169203331', 'hex'),
    parentSpanId: Buffer.alloc(0),
    name: 'chat',
    kind: 3,
    startTimeUnixNano: 1_763_184_000_123_456_789n,
    endTimeUnixNano: 1_763_184_001_000_000_001n,
    attributes: [{ key: 'gen_ai.request.model', value: { stringValue: 'gpt-4o' } }],
    events: [],
    links: [],
    status: { message: '', code: 0 },
    ...changed,
  }
}

export function requestOf(...spans: SpanMessage[]): RequestMessage {
  const scope = { name: 'tests', version: '1', attributes: [] }
  return { resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ scope, spans }] }] }
}

/** Spans that differ only by their ids. */
export function manySpans(count: number): SpanMessage[] {
  return Array.from({ length: count }, (_, place) => spanMessage({ spanId: spanIdOf(place + 1) }))
}

export function spanIdOf(number: number): Buffer {
  const id = Buffer.alloc(8)
  id.writeUInt32BE(number, 4)
  return id
}

/** What a decoder is to make of a value. */
function expectedValue(value: AnyValue): AttributeValue {
  if ('stringValue' in value) return value.stringValue
  if ('boolValue' in value) return value.boolValue
  if ('intValue' in value) {
    const number = Number(value.intValue)
    return Number.isSafeInteger(number) ? number : String(value.intValue)
  }
  if ('doubleValue' in value) return Number.isFinite(value.doubleValue) ? value.doubleValue : String(value.doubleValue)
  if ('bytesValue' in value) return Buffer.from(value.bytesValue).toString('base64')
  if ('arrayValue' in value) return value.arrayValue.values.map(expectedValue)
  if ('kvlistValue' in value) {
    const pairs: { [key: string]: AttributeValue } = Object.create(null)
    for (const pair of value.kvlistValue.values) pairs[pair.key] = expectedValue(pair.value)
    return pairs
  }
  return null
}

export function expectedAttributes(pairs: KeyValue[]): Map<string, AttributeValue> {
  return new Map(pairs.map(({ key, value }) => [key, expectedValue(value)]))
}
