import { describe, expect, it } from 'vitest'
import { messageField, numberField, textField } from '../../src/ingestion/otlp/otlp-responses.ts'
import { decodeProtobuf } from './decoded.ts'
import { manySpans, messageType, requestOf, requestType, spanMessage } from './otlp-messages.ts'

const TRACE_ID = messageField(1, Buffer.alloc(16, 1))
const SPAN_ID = messageField(2, Buffer.alloc(8, 1))

/** A request with one span that has these fields in addition to its ids. */
const spanOf = (...fields: Buffer[]) =>
  messageField(1, messageField(2, messageField(2, Buffer.concat([TRACE_ID, SPAN_ID, ...fields]))))

const attributeOf = (key: Buffer, value: Buffer) => messageField(9, Buffer.concat([messageField(1, key), value]))

describe('bytes that are no trace request', () => {
  const whole = requestType.encode(requestOf(spanMessage(), spanMessage()))

  it('are 400 wherever they are cut off', async () => {
    for (let length = 1; length < whole.length; length += 1)
      await expect(decodeProtobuf(whole.subarray(0, length)), String(length)).rejects.toMatchObject({ status: 400 })
  })

  it.each<[string, Buffer, RegExp]>([
    ['a length past the end', Buffer.from([0x0a, 0x7f, 0x0a]), /it ends early/],
    ['a length of 2^32', Buffer.from([0x0a, 0x80, 0x80, 0x80, 0x80, 0x10]), /too large|it ends early/],
    ['a number of 11 bytes', Buffer.from([0x18, ...new Array(10).fill(0x80), 0x01]), /longer than 64 bits/],
    ['a group', Buffer.from([0x7b, 0x7c]), /the type 3/],
    ['the end of a group', Buffer.from([0x7c]), /the type 4/],
    ['the type 6', Buffer.from([0x7e, 0x00]), /the type 6/],
    ['the field number 0', Buffer.from([0x02, 0x00]), /the number 0/],
    ['a text where a message should be', textField(1, 'hello'), /./],
    [
      'a number where a message should be',
      numberField(1, 5),
      /field 1 of ExportTraceServiceRequest has the wrong type/,
    ],
    ['a name that is a number', spanOf(numberField(5, 1)), /field 5 of Span has the wrong type/],
    ['a field longer than its message', messageField(1, Buffer.from([0x12, 0x05, 0x0a])), /./],
    ['a fixed number past the end of its message', spanOf(Buffer.from([0x39, 0x01])), /./],
  ])('%s is 400 with a message', async (_, bytes, message) => {
    await expect(decodeProtobuf(bytes)).rejects.toMatchObject({ status: 400, message: expect.stringMatching(message) })
  })

  it('logs are 400, with the right endpoint', async () => {
    const record = { timeUnixNano: '1', severityNumber: 9, body: { stringValue: 'hello' } }
    const logs = messageType('ExportLogsServiceRequest').encode({
      resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }],
    })
    await expect(decodeProtobuf(logs)).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/each signal has a path of its own$/),
    })
  })
})

describe('bytes that are one', () => {
  it('unknown fields are skipped, for all wire types', async () => {
    const unknown = Buffer.concat([
      Buffer.from([0xa0, 0x06, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]), // 100, a number
      Buffer.from([0xa9, 0x06, 1, 2, 3, 4, 5, 6, 7, 8]), // 101, 8 bytes
      Buffer.from([0xb2, 0x06, 2, 1, 2]), // 102, length-delimited
      Buffer.from([0xbd, 0x06, 1, 2, 3, 4]), // 103, 4 bytes
    ])
    const { spans } = await decodeProtobuf(Buffer.concat([unknown, spanOf(unknown, textField(5, 'n'), unknown)]))
    expect(spans).toMatchObject([{ name: 'n' }])
  })

  it('bytes that are no UTF-8 are replaced and counted, and a real U+FFFD is not', async () => {
    const value = messageField(2, messageField(1, Buffer.from([0x61, 0xff, 0xed, 0xa0, 0x80])))
    const fine = messageField(2, textField(1, 'a\ufffd, ä and 😀'))
    const { spans, problems } = await decodeProtobuf(
      spanOf(attributeOf(Buffer.from('k'), value), attributeOf(Buffer.from('fine'), fine)),
    )
    expect(spans[0]?.attributes).toEqual(
      new Map([
        ['k', 'a\ufffd\ufffd\ufffd\ufffd'],
        ['fine', 'a\ufffd, ä and 😀'],
      ]),
    )
    expect(problems).toEqual(['1 values had characters that cannot be stored; they were replaced by U+FFFD'])
  })

  it('keys that differ in their last byte, or only in what is not ASCII, are distinguished', async () => {
    const keys = ['a', 'b', '', 'key-1', 'key-2', 'schlüssel', 'schlössel', 'x'.repeat(41), `${'x'.repeat(40)}y`]
    const attributes = keys.map((key) => ({ key, value: { stringValue: key } }))
    // Twice: the second time they come from what was kept of the first.
    for (let time = 0; time < 2; time += 1) {
      const { spans } = await decodeProtobuf(requestType.encode(requestOf(spanMessage({ attributes }))))
      expect(spans[0]?.attributes).toEqual(new Map(keys.map((key) => [key, key])))
    }
  })

  it('64 levels of lists or maps are read, and 65 are 400', async () => {
    const lists = (levels: number): Buffer =>
      levels === 1 ? textField(1, 'in') : messageField(5, messageField(1, lists(levels - 1)))
    const maps = (levels: number): Buffer =>
      levels === 1 ? textField(1, 'in') : messageField(6, messageField(1, messageField(2, maps(levels - 1))))
    for (const nested of [lists, maps]) {
      const decode = (levels: number) => decodeProtobuf(spanOf(messageField(9, messageField(2, nested(levels)))))
      expect((await decode(64)).spans).toHaveLength(1)
      await expect(decode(65)).rejects.toMatchObject({ status: 400 })
    }
  })

  it('a value of two bytes on the wire and a hundred in memory is 413 before all of it is allocated', async () => {
    const million = (field: Buffer) => Buffer.concat(new Array(1_000_000).fill(field))
    const emptyEvents = spanOf(million(messageField(11, Buffer.alloc(0))))
    const emptyLists = spanOf(
      messageField(9, messageField(2, messageField(5, million(Buffer.from([0x0a, 2, 0x2a, 0]))))),
    )
    const emptyResources = million(messageField(1, Buffer.alloc(0)))
    for (const bytes of [emptyEvents, emptyLists, emptyResources])
      await expect(decodeProtobuf(bytes)).rejects.toMatchObject({ status: 413 })
  })

  it('a vector of numbers that fills the largest request is taken', async () => {
    const number = Buffer.from([0x0a, 9, 0x21, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f])
    const vector = Buffer.concat(new Array(1_900_000).fill(number))
    const { spans } = await decodeProtobuf(spanOf(messageField(9, messageField(2, messageField(5, vector)))))
    const value = spans[0]?.attributes.get('')
    expect(Array.isArray(value) && value.length === 1_900_000 && value.every((entry) => entry === 1)).toBe(true)
  })

  it('other work gets its turn while a large request is read', async () => {
    const bytes = requestType.encode(requestOf(...manySpans(10_000)))
    let turns = 0
    let isRunning = true
    const count = () => {
      turns += 1
      if (isRunning) setImmediate(count)
    }
    setImmediate(count)
    await decodeProtobuf(bytes)
    isRunning = false
    expect(turns).toBeGreaterThan(bytes.length / (512 * 1024))
  })
})
