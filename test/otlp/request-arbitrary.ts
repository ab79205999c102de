import fc from 'fast-check'
import type { AnyValue, KeyValue, RequestMessage, SpanMessage } from './otlp-messages.ts'

const TIME_MAX = 2n ** 63n - 1n
const LONGEST_NS = 10n ** 15n

/** Any text that can be stored, prototype-like names among them. */
const text = fc.oneof(
  { arbitrary: fc.string({ unit: 'grapheme' }).filter((string) => !string.includes('\0')), weight: 4 },
  { arbitrary: fc.string({ maxLength: 200 }), weight: 2 },
  { arbitrary: fc.constantFrom('__proto__', 'constructor', 'toString', 'gen_ai.request.model', '\ufffd'), weight: 1 },
)

const { value } = fc.letrec<{ value: AnyValue; pair: KeyValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.record({ stringValue: text }),
    fc.record({ boolValue: fc.boolean() }),
    fc.record({ intValue: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n) }),
    fc.record({ intValue: fc.bigInt(-1_000_000n, 1_000_000n) }),
    // JSON has no negative zero.
    fc.record({ doubleValue: fc.double().map((number) => (number === 0 ? 0 : number)) }),
    fc.record({ bytesValue: fc.uint8Array({ maxLength: 20 }) }),
    fc.constant({}),
    fc.record({ arrayValue: fc.record({ values: fc.array(tie('value'), { maxLength: 4 }) }) }),
    fc.record({ kvlistValue: fc.record({ values: fc.array(tie('pair'), { maxLength: 4 }) }) }),
  ),
  pair: fc.record({ key: text, value: tie('value') }),
}))

const attributes = fc.array(fc.record({ key: text, value }), { maxLength: 8 })

const idOf = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).filter((bytes) => bytes.some((byte) => byte !== 0))

const span: fc.Arbitrary<SpanMessage> = fc
  .record({
    traceId: idOf(16),
    spanId: idOf(8),
    parentSpanId: fc.oneof(fc.constant(new Uint8Array(0)), idOf(8)),
    name: text,
    kind: fc.integer({ min: 0, max: 5 }),
    startTimeUnixNano: fc.bigInt(1n, TIME_MAX - LONGEST_NS),
    durationNs: fc.bigInt(0n, LONGEST_NS),
    attributes,
    events: fc.array(fc.record({ timeUnixNano: fc.bigInt(0n, TIME_MAX), name: text, attributes }), { maxLength: 3 }),
    links: fc.array(fc.record({ traceId: idOf(16), spanId: idOf(8), attributes }), { maxLength: 2 }),
    status: fc.record({ message: text, code: fc.integer({ min: 0, max: 2 }) }),
  })
  .map(({ durationNs, ...rest }) => ({ ...rest, endTimeUnixNano: rest.startTimeUnixNano + durationNs }))
  .filter(({ spanId, parentSpanId }) => Buffer.compare(spanId, parentSpanId) !== 0)

/** Requests in which every span is good. */
export const requestArbitrary: fc.Arbitrary<RequestMessage> = fc.record({
  resourceSpans: fc.array(
    fc.record({
      resource: fc.record({ attributes }),
      scopeSpans: fc.array(
        fc.record({
          scope: fc.record({ name: text, version: text, attributes }),
          spans: fc.array(span, { maxLength: 4 }),
        }),
        { maxLength: 2 },
      ),
    }),
    { maxLength: 2 },
  ),
})
