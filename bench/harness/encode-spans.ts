/** Encodes spans as OTLP requests, as an exporter does. */
import { gzipSync } from 'node:zlib'
import type { Attributes, AttributeValue, ReceivedSpan, ResourceScope } from '../../src/traces/storing/received-span.ts'
import { spansFrom, type TraceSet } from '../spans.ts'

export type SpanFormat = 'protobuf' | 'json' | 'protobuf+gzip'

export type Batches = {
  format: SpanFormat
  spansPerBatch: number
  count: number
  /** The first trace of the set; batches continue from there, and may end in the middle of a trace. */
  firstTrace: number
}

/** Returns the bodies of that many requests, each with other spans. */
export function encodeBatches(set: TraceSet, { format, spansPerBatch, count, firstTrace }: Batches): Buffer[] {
  const spans = spansFrom(set, firstTrace)
  return Array.from({ length: count }, () => {
    const batch: ReceivedSpan[] = []
    while (batch.length < spansPerBatch) {
      const { value } = spans.next()
      batch.push(value)
    }
    return encodeSpans(batch, format)
  })
}

/** The head of the request that sends this body. */
export function headOf(body: Buffer, format: SpanFormat, key: string): Buffer {
  const lines = [
    'POST /v1/traces HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    ...headersOf(format),
    `Content-Length: ${body.length}`,
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)
}

function headersOf(format: SpanFormat): string[] {
  if (format === 'json') return ['Content-Type: application/json']
  const type = 'Content-Type: application/x-protobuf'
  return format === 'protobuf' ? [type] : [type, 'Content-Encoding: gzip']
}

export function encodeSpans(spans: ReceivedSpan[], format: SpanFormat): Buffer {
  if (format === 'json') return Buffer.from(JSON.stringify({ resourceSpans: groupsOf(spans).map(jsonGroup) }))
  const { body } = encodeProtobuf(spans)
  return format === 'protobuf' ? body : gzipSync(body)
}

type Group = { resourceScope: ResourceScope; spans: ReceivedSpan[] }

function groupsOf(spans: readonly ReceivedSpan[]): Group[] {
  const groups: Group[] = []
  for (const span of spans) {
    const last = groups.at(-1)
    if (last?.resourceScope === span.resourceScope) last.spans.push(span)
    else groups.push({ resourceScope: span.resourceScope, spans: [span] })
  }
  return groups
}

const STATUS_CODES = { unset: 0, ok: 1, error: 2 }

/** Also returns the positions of the trace ids in the body, so that the same body can be sent as other traces. */
export function encodeProtobuf(spans: readonly ReceivedSpan[]): { body: Buffer; traceIdsAt: number[] } {
  const writer = new BackwardWriter(spans.length * 4_096)
  const marks: number[] = []
  for (const { resourceScope, spans: own } of groupsOf(spans).toReversed()) {
    writer.message(1, () => {
      writer.message(2, () => {
        for (const span of own.toReversed()) writer.message(2, () => marks.push(writeSpan(writer, span)))
        writer.message(1, () => {
          writer.text(2, resourceScope.scopeVersion)
          writer.text(1, resourceScope.scopeName)
        })
      })
      writer.message(1, () => writeAttributes(writer, 1, resourceScope.resource))
    })
  }
  const body = writer.finish()
  return { body, traceIdsAt: marks.map((fromEnd) => body.length - fromEnd) }
}

/** Returns the distance of the trace id from the end. */
function writeSpan(writer: BackwardWriter, span: ReceivedSpan): number {
  if (span.status !== 'unset') {
    writer.message(15, () => {
      writer.integer(3, STATUS_CODES[span.status])
      writer.text(2, span.statusMessage)
    })
  }
  writeAttributes(writer, 9, span.attributes)
  writer.fixed64(8, span.endNs ?? 0n)
  writer.fixed64(7, span.startNs)
  writer.integer(6, span.otelKind)
  writer.text(5, span.name)
  if (span.parentSpanId !== null) writer.bytes(4, Buffer.from(span.parentSpanId, 'hex'))
  writer.bytes(2, Buffer.from(span.spanId, 'hex'))
  writer.bytes(1, Buffer.from(span.traceId, 'hex'))
  return writer.length - 2
}

function writeAttributes(writer: BackwardWriter, field: number, attributes: Attributes): void {
  for (const [key, value] of [...attributes].reverse()) {
    writer.message(field, () => {
      writer.message(2, () => writeValue(writer, value))
      writer.text(1, key)
    })
  }
}

function writeValue(writer: BackwardWriter, value: AttributeValue): void {
  if (typeof value === 'string') writer.text(1, value)
  else if (typeof value === 'boolean') writer.integer(2, value ? 1 : 0)
  else if (typeof value === 'number' && Number.isInteger(value)) writer.integer(3, value)
  else if (typeof value === 'number') writer.double(4, value)
  else if (Array.isArray(value)) {
    writer.message(5, () => {
      for (const item of value.toReversed()) writer.message(1, () => writeValue(writer, item))
    })
  } else throw new Error('such a value is not made here')
}

/** Writes from the end to the start, so that the length of a message is known when its prefix is written. */
class BackwardWriter {
  #buffer: Buffer
  #at: number

  constructor(size: number) {
    this.#buffer = Buffer.allocUnsafe(size)
    this.#at = size
  }

  get length(): number {
    return this.#buffer.length - this.#at
  }

  message(field: number, write: () => void): void {
    const end = this.length
    write()
    this.#varint(this.length - end)
    this.#varint((field << 3) | 2)
  }

  bytes(field: number, bytes: Buffer): void {
    this.#make(bytes.length)
    bytes.copy(this.#buffer, this.#at)
    this.#varint(bytes.length)
    this.#varint((field << 3) | 2)
  }

  text(field: number, text: string): void {
    if (text === '') return
    const length = Buffer.byteLength(text)
    this.#make(length)
    this.#buffer.write(text, this.#at)
    this.#varint(length)
    this.#varint((field << 3) | 2)
  }

  integer(field: number, value: number): void {
    this.#varint(value)
    this.#varint(field << 3)
  }

  fixed64(field: number, value: bigint): void {
    this.#make(8)
    this.#buffer.writeBigUInt64LE(value, this.#at)
    this.#varint((field << 3) | 1)
  }

  double(field: number, value: number): void {
    this.#make(8)
    this.#buffer.writeDoubleLE(value, this.#at)
    this.#varint((field << 3) | 1)
  }

  finish(): Buffer {
    return Buffer.from(this.#buffer.subarray(this.#at))
  }

  #varint(value: number): void {
    let size = 1
    for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) size += 1
    this.#make(size)
    let rest = value
    for (let place = 0; place < size; place += 1) {
      this.#buffer[this.#at + place] = (rest & 0x7f) | (place < size - 1 ? 0x80 : 0)
      rest = Math.floor(rest / 128)
    }
  }

  #make(size: number): void {
    if (size > this.#at) throw new Error('the spans are larger than they should be')
    this.#at -= size
  }
}

function jsonGroup({ resourceScope, spans }: Group): object {
  return {
    resource: { attributes: jsonAttributes(resourceScope.resource) },
    scopeSpans: [
      { scope: { name: resourceScope.scopeName, version: resourceScope.scopeVersion }, spans: spans.map(jsonSpan) },
    ],
  }
}

function jsonSpan(span: ReceivedSpan): object {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId === null ? {} : { parentSpanId: span.parentSpanId }),
    name: span.name,
    kind: span.otelKind,
    startTimeUnixNano: String(span.startNs),
    endTimeUnixNano: String(span.endNs),
    attributes: jsonAttributes(span.attributes),
    status: span.status === 'unset' ? {} : { code: STATUS_CODES[span.status], message: span.statusMessage },
  }
}

function jsonAttributes(attributes: Attributes): object[] {
  return [...attributes].map(([key, value]) => ({ key, value: jsonValue(value) }))
}

function jsonValue(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(jsonValue) } }
  throw new Error('such a value is not made here')
}
