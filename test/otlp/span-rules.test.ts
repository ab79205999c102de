import { describe, expect, it } from 'vitest'
import type { ReceivedBatch, ReceivedSpan } from '../../src/traces/storing/received-span.ts'
import { decodeJson, decodeProtobuf } from './decoded.ts'
import {
  type AnyValue,
  type KeyValue,
  manySpans,
  type RequestMessage,
  requestOf,
  requestType,
  type SpanMessage,
  spanIdOf,
  spanMessage,
  toJson,
} from './otlp-messages.ts'

const ENCODINGS: [string, (request: RequestMessage) => Promise<ReceivedBatch>][] = [
  ['protobuf', (request) => decodeProtobuf(requestType.encode(request))],
  ['JSON', (request) => decodeJson(toJson(request))],
]

const GOOD = spanMessage({ spanId: spanIdOf(99) })
const TIME_MAX = 2n ** 63n - 1n
const attribute = (key: string, value: AnyValue): KeyValue => ({ key, value })

describe.each(ENCODINGS)('in %s', (_, decode) => {
  async function decodeSpan(changed: Partial<SpanMessage>): Promise<ReceivedSpan> {
    const { spans, problems } = await decode(requestOf(spanMessage(changed)))
    if (!spans[0]) throw new Error(`the span was rejected: ${problems.join()}`)
    return spans[0]
  }

  it.each<[string, Partial<SpanMessage>, RegExp]>([
    ['a trace id of zeros', { traceId: Buffer.alloc(16) }, /^The trace id must be 16 bytes/],
    ['a trace id of 15 bytes', { traceId: Buffer.alloc(15, 1) }, /^The trace id must be 16 bytes/],
    ['no trace id', { traceId: Buffer.alloc(0) }, /^The trace id must be 16 bytes/],
    ['a span id of zeros', { spanId: Buffer.alloc(8) }, /^The span id must be 8 bytes/],
    ['a span id of 9 bytes', { spanId: Buffer.alloc(9, 1) }, /^The span id must be 8 bytes/],
    ['a parent id of 3 bytes', { parentSpanId: Buffer.alloc(3, 1) }, /^The parent span id must be 8 bytes/],
    ['itself as its parent', { parentSpanId: spanMessage().spanId }, /^A span must not be its own parent/],
    [
      '1,001 attributes',
      { attributes: Array.from({ length: 1_001 }, (_value, place) => attribute(`k${place}`, { intValue: 1n })) },
      /^There are more than 1000 attributes/,
    ],
    ['a key of a megabyte', { attributes: [attribute('k'.repeat(1 << 20), {})] }, /^The key of an attribute is longer/],
  ])('a span with %s is rejected, counted and explained, and the others are kept', async (_what, changed, reason) => {
    const { spans, rejectedCount, problems } = await decode(requestOf(spanMessage(changed), GOOD, spanMessage(changed)))
    expect(spans.map(({ spanId }) => spanId)).toEqual(['0000000000000063'])
    expect(rejectedCount).toBe(2)
    expect(problems).toEqual([expect.stringMatching(reason)])
    expect(problems[0]).toMatch(/ \(2 spans\)$/)
  })

  it('a parent id of zeros is no parent', async () => {
    expect((await decodeSpan({ parentSpanId: Buffer.alloc(8) })).parentSpanId).toBe(null)
  })

  it.each<[string, [bigint, bigint], [bigint, bigint | null], string]>([
    ['an end before the start', [20n, 10n], [20n, 20n], 'end time was before start time'],
    ['no start', [0n, 10n], [10n, 10n], 'start time missing; the end time is taken'],
    ['neither start nor end', [0n, 0n], [0n, null], 'start time missing'],
    ['times of the largest number', [2n ** 64n - 1n, 2n ** 64n - 1n], [TIME_MAX, TIME_MAX], 'start time clamped'],
    ['an end after the year 2262', [5n, 2n ** 63n], [5n, TIME_MAX], 'end time clamped'],
  ])('%s is stored with the nearest valid time and a note', async (_what, [start, end], kept, note) => {
    const span = await decodeSpan({ startTimeUnixNano: start, endTimeUnixNano: end })
    expect([span.startNs, span.endNs]).toEqual(kept)
    expect(span.notes).toContain(note)
  })

  it('a span that has not ended has no end, and nothing is noted', async () => {
    expect(await decodeSpan({ endTimeUnixNano: 0n })).toMatchObject({ endNs: null, notes: [] })
  })

  it('keys such as __proto__ are data, and no prototype is touched', async () => {
    const values = ['__proto__', 'constructor', 'constructor.prototype.x', 'a.__proto__.b'].map((key) =>
      attribute(key, { kvlistValue: { values: [attribute('__proto__', { stringValue: 'polluted' })] } }),
    )
    const { attributes } = await decodeSpan({ attributes: values })
    for (const { key } of values) {
      const value = attributes.get(key)
      expect(JSON.stringify(value)).toBe('{"__proto__":"polluted"}')
      expect(Object.getPrototypeOf(value)).toBe(null)
    }
    expect(Object.keys(Object.prototype)).toEqual([])
    expect(Reflect.get({}, 'polluted')).toBe(undefined)
  })

  it('U+0000 is replaced, counted over the whole request, and noted at its span', async () => {
    const attributes = [attribute('a\0', { stringValue: 'b\0c' }), attribute('fine', { stringValue: '\ufffd' })]
    const { spans, rejectedCount, problems } = await decode(requestOf(spanMessage({ name: '\0', attributes }), GOOD))
    expect(spans[0]).toMatchObject({ name: '\ufffd', notes: ['characters that cannot be stored were replaced'] })
    expect(spans[0]?.attributes).toEqual(
      new Map([
        ['a\ufffd', 'b\ufffdc'],
        ['fine', '\ufffd'],
      ]),
    )
    expect(spans[1]?.notes).toEqual([])
    expect(rejectedCount).toBe(0)
    expect(problems).toEqual(['3 values had characters that cannot be stored; they were replaced by U+FFFD'])
  })

  it('a text of more than 1 MiB is cut without splitting a character, also inside a list, and noted', async () => {
    const long = `${'x'.repeat((1 << 20) - 1)}😀 and more`
    const attributes = [
      attribute('long', { stringValue: long }),
      attribute('list', { arrayValue: { values: [{ stringValue: long }] } }),
      attribute('exact', { stringValue: 'x'.repeat(1 << 20) }),
    ]
    const span = await decodeSpan({ attributes, name: long })
    const cut = 'x'.repeat((1 << 20) - 1)
    expect(span.attributes.get('long') === cut).toBe(true)
    expect(span.attributes.get('list')).toEqual([cut])
    expect(span.name === cut).toBe(true)
    expect([...span.notes].sort()).toEqual([
      'attribute list cut to 1 MiB',
      'attribute long cut to 1 MiB',
      'name cut to 1 MiB',
    ])
  })

  it('integers keep all their digits, as text if a number would lose some', async () => {
    const numbers = [0n, -1n, 2n ** 53n - 1n, 2n ** 53n, -(2n ** 53n) + 1n, -(2n ** 53n), 2n ** 63n - 1n, -(2n ** 63n)]
    const values = numbers.map((intValue) => ({ intValue }))
    const { attributes } = await decodeSpan({ attributes: [attribute('n', { arrayValue: { values } })] })
    expect(attributes.get('n')).toEqual(
      [0, -1, 9_007_199_254_740_991, '9007199254740992', -9_007_199_254_740_991, '-9007199254740992'].concat([
        '9223372036854775807',
        '-9223372036854775808',
      ]),
    )
  })

  it('10,000 spans are taken, and one more is 413', async () => {
    const spans = manySpans(10_001)
    expect((await decode(requestOf(...spans.slice(1)))).spans).toHaveLength(10_000)
    await expect(decode(requestOf(...spans))).rejects.toMatchObject({ status: 413 })
  })

  it('a link without valid ids is excluded with a note', async () => {
    const links = [{ traceId: Buffer.alloc(16), spanId: Buffer.alloc(8, 1), attributes: [] }]
    expect(await decodeSpan({ links })).toMatchObject({ links: [], notes: ['a link without valid ids was left out'] })
  })

  it('an unknown kind and status are unspecified', async () => {
    const span = await decodeSpan({ kind: 77, status: { message: 'm', code: 9 } })
    expect(span).toMatchObject({ otelKind: 0, status: 'unset', statusMessage: 'm' })
  })

  it('a resource with too many attributes keeps 1,000 of them and its spans, with a warning', async () => {
    const request = requestOf(GOOD)
    const attributes = Array.from({ length: 1_500 }, (_value, place) => attribute(`k${place}`, { intValue: 1n }))
    const [resourceSpans] = request.resourceSpans
    if (resourceSpans) resourceSpans.resource.attributes = attributes
    const { spans, rejectedCount, problems } = await decode(request)
    expect(spans[0]?.resourceScope.resource.size).toBe(1_000)
    expect(rejectedCount).toBe(0)
    expect(problems).toEqual(['There are more than 1000 attributes; the rest of it is kept'])
  })

  it('spans without any ids get an error about another signal', async () => {
    const { rejectedCount, problems } = await decode(
      requestOf(spanMessage({ traceId: Buffer.alloc(0), spanId: Buffer.alloc(0) })),
    )
    expect(rejectedCount).toBe(1)
    expect(problems[0]).toBe('This looks like OTLP logs or metrics, not traces; send those to /v1/logs or /v1/metrics')
  })
})
