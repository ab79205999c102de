import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cursorOf, isId, isNumber, isNumberOrNull, isText } from '../../src/http/query-parameters.ts'

const rows = cursorOf({ id: isId, value: isNumberOrNull, count: isNumber, ref: isText })

const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (number === 0 ? 0 : number))
const position = fc.record({
  id: fc.uuid(),
  value: fc.option(finite),
  count: finite,
  ref: fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '').toWellFormed()),
})
const order = fc.constantFrom('', 'time', '-time', 'score')

const INVALID = 'The query parameter cursor must be the nextCursor of an earlier response'
const OTHER_SORT = 'The query parameter cursor belongs to another sort; repeat the sort of the response that it is from'

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function messageOf(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    return error instanceof Error && 'status' in error ? [error.status, error.message] : error
  }
}

describe('a cursor', () => {
  it('is read as the position that was written, in the same order', () => {
    fc.assert(
      fc.property(position, order, (at, sort) => {
        const text = rows.write(at, sort)
        expect(text).toMatch(/^[\w-]+$/)
        expect(rows.read(text, sort)).toEqual(at)
      }),
      { numRuns: 300 },
    )
  })

  it('is missing on the first page', () => {
    expect(rows.read(undefined, 'time')).toBeUndefined()
  })

  it('of another order is rejected with 400', () => {
    fc.assert(
      fc.property(position, order, order, (at, written, read) => {
        fc.pre(written !== read)
        expect(messageOf(() => rows.read(rows.write(at, written), read))).toEqual([400, OTHER_SORT])
      }),
      { numRuns: 100 },
    )
  })

  it('that no response contained is rejected with 400', () => {
    const garbage = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.base64String(),
      fc.json().map((json) => Buffer.from(json).toString('base64url')),
      fc.array(fc.jsonValue(), { maxLength: 8 }).map(encoded),
    )
    fc.assert(
      fc.property(garbage, (text) => {
        expect(messageOf(() => rows.read(text))).toEqual([400, INVALID])
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    ['no id', ['', 'x', 1, 1, 'a']],
    ['an id in capitals', ['', '0190A1B2-0000-7000-8000-000000000000', 1, 1, 'a']],
    ['a text instead of a number', ['', '0190a1b2-0000-7000-8000-000000000000', '1', 1, 'a']],
    ['null where a number must be', ['', '0190a1b2-0000-7000-8000-000000000000', 1, null, 'a']],
    ['U+0000 in a text', ['', '0190a1b2-0000-7000-8000-000000000000', 1, 1, '\0']],
    ['too few values', ['', '0190a1b2-0000-7000-8000-000000000000', 1, 1]],
    ['too many values', ['', '0190a1b2-0000-7000-8000-000000000000', 1, 1, 'a', 'b']],
  ])('with %s is rejected with 400', (_, values) => {
    expect(messageOf(() => rows.read(encoded(values)))).toEqual([400, INVALID])
  })

  it('with a number that is too large for one is rejected with 400', () => {
    const json = '["","0190a1b2-0000-7000-8000-000000000000",1e999,1,"a"]'
    expect(messageOf(() => rows.read(Buffer.from(json).toString('base64url')))).toEqual([400, INVALID])
  })
})
