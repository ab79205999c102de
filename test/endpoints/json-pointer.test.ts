// @module-tag sized
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findAt } from '../../src/endpoints/json-pointer.ts'
import { runs } from '../harness/stage.ts'

/** The document of RFC 6901, section 5. */
const RFC_DOCUMENT = {
  foo: ['bar', 'baz'],
  '': 0,
  'a/b': 1,
  'c%d': 2,
  'e^f': 3,
  'g|h': 4,
  'i\\j': 5,
  'k"l': 6,
  ' ': 7,
  'm~n': 8,
}

describe('a JSON Pointer', () => {
  it.each([
    ['', RFC_DOCUMENT],
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/', 0],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/g|h', 4],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
  ])('finds what RFC 6901 gives for %j', (pointer, value) => {
    expect(findAt(RFC_DOCUMENT, pointer)).toEqual({ isFound: true, value })
  })

  it('reads ~01 as the name ~1, and not as a slash', () => {
    expect(findAt({ '~1': 'tilde', '/': 'slash' }, '/~01')).toEqual({ isFound: true, value: 'tilde' })
    expect(findAt({ '~1': 'tilde', '/': 'slash' }, '/~1')).toEqual({ isFound: true, value: 'slash' })
  })

  it.each(['answer', '/a~', '/a~2b', '#/a', ' /a'])('that is invalid is rejected: %j', (pointer) => {
    expect(() => findAt({}, pointer)).toThrow(/is not a JSON Pointer/)
  })

  it.each([
    ['/list/2', '/list', ['a', 'b']],
    ['/list/-', '/list', ['a', 'b']],
    ['/list/00', '/list', ['a', 'b']],
    ['/list/01', '/list', ['a', 'b']],
    ['/list/length', '/list', ['a', 'b']],
    ['/list/-1', '/list', ['a', 'b']],
    ['/text/0', '/text', 'abc'],
    ['/nothing/a', '/nothing', null],
    ['/a~1b/c/d', '/a~1b', {}],
  ])('to nothing says where the way ends: %s', (pointer, missingAt, value) => {
    const document = { list: ['a', 'b'], text: 'abc', nothing: null, 'a/b': {} }
    expect(findAt(document, pointer)).toEqual({ isFound: false, missingAt, value })
  })

  it.each(['/constructor', '/toString', '/__proto__', '/a/length'])(
    'sees only fields of the document: %s',
    (pointer) => {
      expect(findAt({ a: [] }, pointer).isFound).toBe(false)
    },
  )

  it('finds every value of any document by the pointer made of its names', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (document) => {
        for (const { pointer, value } of pointersIn(document)) {
          expect(findAt(document, pointer)).toEqual({ isFound: true, value })
        }
      }),
      { numRuns: runs(400) },
    )
  })

  it('never finds what is not there, and then names a pointer that exists', () => {
    const name = fc.oneof(fc.string(), fc.constantFrom('0', '1', '-', '01', '__proto__', 'a'))
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.array(name, { maxLength: 5 }), (document, names) => {
        const pointer = names.map((part) => `/${escaped(part)}`).join('')
        const found = findAt(document, pointer)
        const known = new Map(pointersIn(document).map((entry) => [entry.pointer, entry.value]))
        expect(found.isFound).toBe(known.has(pointer))
        if (found.isFound) expect(found.value).toEqual(known.get(pointer))
        else expect(known.get(found.missingAt)).toEqual(found.value)
      }),
      { numRuns: runs(1_000) },
    )
  })
})

/** Independent of the implementation: from the document to the pointers instead of the other way. */
function pointersIn(value: unknown, pointer = ''): { pointer: string; value: unknown }[] {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : []
  return [{ pointer, value }, ...inner.flatMap(([name, child]) => pointersIn(child, `${pointer}/${escaped(name)}`))]
}

function escaped(name: string): string {
  return name.replace(/[~/]/g, (character) => (character === '~' ? '~0' : '~1'))
}
