import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ReceivedBatch, ReceivedSpan } from '../../src/traces/storing/received-span.ts'
import { runs } from '../harness/stage.ts'
import { decodeJson, decodeProtobuf } from './decoded.ts'
import { expectedAttributes, type RequestMessage, requestType, type SpanMessage, toJson } from './otlp-messages.ts'
import { requestArbitrary } from './request-arbitrary.ts'

const STATUSES = ['unset', 'ok', 'error'] as const
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

function expectedSpan(span: SpanMessage, resourceScope: ReceivedSpan['resourceScope']): ReceivedSpan {
  return {
    traceId: hex(span.traceId),
    spanId: hex(span.spanId),
    parentSpanId: span.parentSpanId.length === 0 ? null : hex(span.parentSpanId),
    name: span.name,
    otelKind: span.kind,
    startNs: span.startTimeUnixNano,
    endNs: span.endTimeUnixNano,
    attributes: expectedAttributes(span.attributes),
    events: span.events.map(({ timeUnixNano, name, attributes }) => ({
      timeNs: timeUnixNano,
      name,
      attributes: expectedAttributes(attributes),
    })),
    links: span.links.map(({ traceId, spanId, attributes }) => ({
      traceId: hex(traceId),
      spanId: hex(spanId),
      attributes: expectedAttributes(attributes),
    })),
    status: STATUSES[span.status.code] ?? 'unset',
    statusMessage: span.status.message,
    resourceScope,
    notes: [],
  }
}

function expectedBatch({ resourceSpans }: RequestMessage): ReceivedBatch {
  const spans = resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ scope, spans }) => {
      const resourceScope = {
        resource: expectedAttributes(resource.attributes),
        scopeName: scope.name,
        scopeVersion: scope.version,
        scopeAttributes: expectedAttributes(scope.attributes),
      }
      return spans.map((span) => expectedSpan(span, resourceScope))
    }),
  )
  return { spans, rejectedCount: 0, problems: [] }
}

describe('any valid request', () => {
  it('is read from the output of another protobuf library, to the nanosecond and to the last digit', {
    tags: 'sized',
  }, async () => {
    await fc.assert(
      fc.asyncProperty(requestArbitrary, async (request) => {
        expect(await decodeProtobuf(requestType.encode(request))).toEqual(expectedBatch(request))
      }),
      { numRuns: runs(300) },
    )
  })

  it('means the same in JSON as in protobuf', { tags: 'sized' }, async () => {
    await fc.assert(
      fc.asyncProperty(requestArbitrary, async (request) => {
        expect(await decodeJson(toJson(request))).toEqual(await decodeProtobuf(requestType.encode(request)))
      }),
      { numRuns: runs(300) },
    )
  })

  it('is read the same for another order of the fields of every message', async () => {
    await fc.assert(
      fc.asyncProperty(requestArbitrary, async (request) => {
        const bytes = requestType.encode(request)
        expect(await decodeProtobuf(reversed(bytes, 'ExportTraceServiceRequest'))).toEqual(await decodeProtobuf(bytes))
      }),
      { numRuns: 100 },
    )
  })
})

/** Which fields of a message are messages, and of what type; those that are repeated keep their order among themselves. */
const NESTED: Record<string, Record<number, string>> = {
  ExportTraceServiceRequest: { 1: 'ResourceSpans' },
  ResourceSpans: { 1: 'Resource', 2: 'ScopeSpans' },
  ScopeSpans: { 1: 'Scope', 2: 'Span' },
  Span: { 9: 'KeyValue', 11: 'Event', 13: 'Link', 15: 'Status' },
  Resource: { 1: 'KeyValue' },
  KeyValue: { 2: 'AnyValue' },
}

/** The same message with its fields sorted from the highest number to the lowest. */
function reversed(bytes: Buffer, type: string): Buffer {
  const fields: { number: number; bytes: Buffer }[] = []
  let at = 0
  const varint = () => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
  }
  while (at < bytes.length) {
    const start = at
    const tag = varint()
    const number = tag >>> 3
    if ((tag & 7) === 0) varint()
    else if ((tag & 7) === 1) at += 8
    else {
      const length = varint()
      const content = bytes.subarray(at, at + length)
      at += length
      const nested = NESTED[type]?.[number]
      if (nested) {
        const head = bytes.subarray(start, at - length)
        fields.push({ number, bytes: Buffer.concat([head, reversed(content, nested)]) })
        continue
      }
    }
    fields.push({ number, bytes: bytes.subarray(start, at) })
  }
  return Buffer.concat(fields.sort((a, b) => b.number - a.number).map((field) => field.bytes))
}
