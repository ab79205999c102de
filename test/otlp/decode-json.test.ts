import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { parseInSlices } from '../../src/ingestion/otlp/json/parse-in-slices.ts'
import { runs } from '../harness/stage.ts'
import { decodeJson } from './decoded.ts'

const IDS = { traceId: '0AF7651916CD43DD8448EB211C80319C', spanId: 'B7AD6B7169203331' }

/** A request with one span that has these fields in addition to its ids. */
const spanOf = (fields: object) =>
  Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [{ ...IDS, ...fields }] }] }] }))

const readValue = async (value: unknown) => {
  const { spans } = await decodeJson(spanOf({ attributes: [{ key: 'k', value }] }))
  return spans[0]?.attributes.get('k')
}

describe('JSON that is parsed in slices', () => {
  const parsed = (text: string) => {
    const work = parseInSlices(Buffer.from(text), { wholeBytesMax: 0, pieceBytes: 8, sliceBytes: 8 })
    for (;;) {
      const { done, value } = work.next()
      if (done) return JSON.stringify(value)
    }
  }
  const outcomeOf = (parse: () => string | undefined) => {
    try {
      return parse()
    } catch {
      return 'invalid'
    }
  }

  it('is what JSON.parse reads, and invalid where it is invalid', { tags: 'sized' }, () => {
    const long = fc.string({
      unit: fc.constantFrom('ab', '"', '\\', '\n', 'é', '\ufeff', '€', '😀', '\ud83d'),
      maxLength: 40,
    })
    const texts = fc
      .record({
        a: fc.jsonValue({ maxDepth: 5 }),
        __proto__: fc.constant(null),
        'b"\\': fc.array(fc.jsonValue()),
        long: fc.oneof(long, fc.array(long)),
      })
      .chain((value) => fc.constantFrom(JSON.stringify(value), JSON.stringify(value, null, 1)))
    const change = fc.record({
      at: fc.nat(),
      text: fc.constantFrom('', ',', ' ', '[', ']', '{', '}', '"', ':', '1', '\\', '\\u00e9', '\\u00'),
    })
    fc.assert(
      fc.property(texts, fc.option(change), (text, changed) => {
        const at = changed === null ? 0 : changed.at % text.length
        const cut = changed === null ? text : `{${text.slice(1, at)}${changed.text}${text.slice(at + 1)}`
        // The change may split a pair of surrogates, which bytes cannot have.
        const sent = cut.toWellFormed()
        const expected = outcomeOf(() => JSON.stringify(JSON.parse(sent)))
        expect(outcomeOf(() => parsed(sent))).toEqual(expected)
      }),
      { numRuns: runs(2_000) },
    )
  })

  it('parses a few megabytes of a long text at a time', async () => {
    const parse = vi.spyOn(JSON, 'parse')
    const text = 'é\n€'.repeat(2_000_000)
    const value = await readValue({ stringValue: text })
    const longest = Math.max(...parse.mock.calls.map(([given]) => given.length))
    parse.mockRestore()
    expect(value).toBe(text.slice(0, 1 << 20))
    expect(longest).toBeLessThan(3 << 20)
  })

  it('rejects a name that is as long', async () => {
    const request = Buffer.from(`{"${'a'.repeat(3 << 20)}":1}`)
    await expect(decodeJson(request)).rejects.toMatchObject({
      status: 400,
      message: 'The request body has a field whose name is longer than 1 MiB',
    })
  })

  it('rejects bytes that are no UTF-8 in a long text', () => {
    for (const bytes of [[0xff], [0xe2, 0x82], Array<number>(40).fill(0x80)]) {
      const text = Buffer.concat([Buffer.from('{"a":"abcdefghijklm'), Buffer.from(bytes), Buffer.from('abcdefgh"}')])
      const work = parseInSlices(text, { wholeBytesMax: 0, pieceBytes: 8, sliceBytes: 8 })
      expect(() => Array.from(work)).toThrow('not valid UTF-8')
    }
  })

  it.each([
    '{"a":[1,2,3,4,5,6,]}',
    '{"a":[,1,2,3,4,5,6]}',
    '{"a":[[1,2,3,4,5,6][1]]}',
    '{"a":[1,2,3,4,5,6}}',
    '{"a":1}{}',
    '{"a":"a long text" "and another one"}',
    '{"a":1 "a long text"}',
    '{"a" "a long text"}',
    '["a long text""and another one"]',
    '{"a long name"}',
  ])('%s is invalid', (text) => {
    expect(() => parsed(text)).toThrow('not valid JSON')
  })
})

describe('JSON that is no trace request', () => {
  it.each(['', '{', '{"resourceSpans":', "{'a':1}", 'NaN', '{"a":1,}', 'hello'])('%j is 400', async (text) => {
    await expect(decodeJson(Buffer.from(text))).rejects.toMatchObject({ status: 400 })
  })

  it('bytes that are no UTF-8 are 400', async () => {
    await expect(decodeJson(Buffer.from([0x22, 0xff, 0x22]))).rejects.toMatchObject({
      status: 400,
      message: 'The request body is not valid UTF-8',
    })
  })

  it.each<[object | string, string]>([
    ['[]', 'the body must be an object'],
    ['5', 'the body must be an object'],
    ['{"resourceSpans":5}', 'resourceSpans must be a list'],
    ['{"resourceSpans":[5]}', 'an entry of resourceSpans must be an object'],
    ['{"resourceSpans":[{"scopeSpans":{}}]}', 'scopeSpans must be a list'],
    [{ name: 5 }, 'name must be a text'],
    [{ startTimeUnixNano: 'yesterday' }, 'startTimeUnixNano must be a whole number'],
    [{ startTimeUnixNano: 1.5 }, 'startTimeUnixNano must be a whole number'],
    [{ attributes: {} }, 'attributes must be a list'],
    [{ attributes: [5] }, 'an attribute must be an object'],
    [{ attributes: [{ key: 5 }] }, 'key must be a text'],
    [{ attributes: [{ key: 'k', value: 'bare' }] }, 'value must be an object'],
    [{ attributes: [{ key: 'k', value: { stringValue: 5 } }] }, 'stringValue must be a text'],
    [{ attributes: [{ key: 'k', value: { intValue: 'x' } }] }, 'intValue must be a whole number'],
    [{ attributes: [{ key: 'k', value: { boolValue: 1 } }] }, 'boolValue must be true or false'],
    [{ attributes: [{ key: 'k', value: { arrayValue: [] } }] }, 'arrayValue must be an object'],
  ])('%j is 400: %s', async (given, problem) => {
    const bytes = typeof given === 'string' ? Buffer.from(given) : spanOf(given)
    const message = `The request body is not a valid OTLP request in JSON: ${problem}`
    await expect(decodeJson(bytes)).rejects.toMatchObject({ status: 400, message })
  })

  it.each([200_000, 5_000_000])('%i unclosed brackets are 400 and need less than a gigabyte', async (count) => {
    await expect(decodeJson(Buffer.alloc(count, '['))).rejects.toMatchObject({ status: 400 })
  })

  it('64 levels of lists are read, and 65 are 400', async () => {
    const nested = (levels: number): object =>
      levels === 1 ? { stringValue: 'in' } : { arrayValue: { values: [nested(levels - 1)] } }
    expect(JSON.stringify(await readValue(nested(64)))).toBe(`${'['.repeat(63)}"in"${']'.repeat(63)}`)
    await expect(readValue(nested(65))).rejects.toMatchObject({ status: 400 })
  })

  it('a body that is short in JSON and large in memory is 413', async () => {
    const events = new Array(300_000).fill({})
    await expect(decodeJson(spanOf({ events }))).rejects.toMatchObject({ status: 413 })
  })
})

describe('JSON that is one', () => {
  it('a vector of 300,000 numbers is taken', async () => {
    const values = new Array(300_000).fill({ doubleValue: 0.5 })
    expect(await readValue({ arrayValue: { values } })).toHaveLength(300_000)
  })

  it('ids are hex in upper or lower case; an invalid id rejects only its span', async () => {
    expect((await decodeJson(spanOf({}))).spans).toMatchObject([
      { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' },
    ])
    for (const traceId of ['x'.repeat(32), 5, {}, 'CvdlGRbNQ92ESOshHIAxnA==', '0af7651916cd43dd8448eb211c80319'])
      expect(await decodeJson(spanOf({ traceId }))).toMatchObject({ spans: [], rejectedCount: 1 })
  })

  it('keys that are unknown, in snake_case among them, are ignored', async () => {
    const snake = { resource_spans: [{ scope_spans: [{ spans: [{ trace_id: 'x' }] }] }], more: { __proto__: 1 } }
    expect(await decodeJson(Buffer.from(JSON.stringify(snake)))).toEqual({ spans: [], rejectedCount: 0, problems: [] })
  })

  it.each([
    [{ intValue: '25' }, 25],
    [{ intValue: 25 }, 25],
    [{ intValue: '-9223372036854775808' }, '-9223372036854775808'],
    [{ doubleValue: 1.5 }, 1.5],
    [{ doubleValue: '1.5e3' }, 1_500],
    [{ doubleValue: 'NaN' }, 'NaN'],
    [{ doubleValue: '-Infinity' }, '-Infinity'],
    [{ bytesValue: 'AQID_-8' }, 'AQID/+8='],
    [{ boolValue: false }, false],
    [{ stringValue: '' }, ''],
    [{ stringValue: null, intValue: 1 }, 1],
    [{ stringValue: 'half \ud800 of a pair' }, 'half \ufffd of a pair'],
    [{}, null],
    [null, null],
    [undefined, null],
  ])('the value %j is read as %j', async (value, expected) => {
    expect(await readValue(value)).toEqual(expected)
  })

  it('enumerations are numbers or names', async () => {
    for (const [kind, code] of [
      [3, 2],
      ['SPAN_KIND_CLIENT', 'STATUS_CODE_ERROR'],
    ])
      expect((await decodeJson(spanOf({ kind, status: { code } }))).spans).toMatchObject([
        { otelKind: 3, status: 'error' },
      ])
  })

  it('times are text or numbers; a negative one is clamped', async () => {
    for (const startTimeUnixNano of ['1763184000000000000', 1_763_184_000_000_000_000])
      expect((await decodeJson(spanOf({ startTimeUnixNano }))).spans[0]?.startNs).toBe(1_763_184_000_000_000_000n)
    expect((await decodeJson(spanOf({ startTimeUnixNano: '-5' }))).spans).toMatchObject([
      { startNs: 0n, notes: ['start time clamped', 'start time missing'] },
    ])
  })

  it('a key __proto__ anywhere changes no prototype', async () => {
    const text = '{"__proto__":{"polluted":1},"resourceSpans":[{"__proto__":{"polluted":1},"scopeSpans":[]}]}'
    await decodeJson(Buffer.from(text))
    expect(Reflect.get({}, 'polluted')).toBe(undefined)
  })

  it('logs and metrics get an error with the right endpoint', async () => {
    for (const text of ['{"resourceLogs":[]}', '{"resourceMetrics":[{}]}'])
      expect(await decodeJson(Buffer.from(text))).toEqual({
        spans: [],
        rejectedCount: 0,
        problems: ['This looks like OTLP logs or metrics, not traces; send those to /v1/logs or /v1/metrics'],
      })
  })
})
