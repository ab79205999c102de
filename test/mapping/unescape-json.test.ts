import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unescapeJson } from '../../src/traces/semconv/json/unescape-json.ts'

/** As Python writes it: everything beyond ASCII escaped. */
function escaped(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

describe('escapes in JSON', () => {
  it('has the same meaning as before, for any value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        fc.pre(typeof value === 'object' && value !== null)
        expect(JSON.parse(unescapeJson(escaped(value)))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('has no escape left of a character that can be read', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const visible = text.replace(/[\p{C}\p{Z}]/gu, '')
        expect(unescapeJson(escaped([visible]))).toBe(JSON.stringify([visible]))
      }),
    )
  })

  it('is read in JSON inside of JSON, such as the arguments of a call', () => {
    const nested = escaped({ arguments: escaped({ city: 'Zürich' }) })
    expect(unescapeJson(nested)).toBe(JSON.stringify({ arguments: JSON.stringify({ city: 'Zürich' }) }))
  })

  it.each([
    ['{"a": "\\\\u00fc"}', 'a backslash that was meant'],
    ['C:\\users\\u00fc', 'text that is no JSON'],
    ['{"a": "\\ud83d"}', 'half of a character'],
    ['{"a": "\\u0022\\u000a"}', 'what JSON must escape'],
    ['{"n": 1.0, "big": 12345678901234567890}', 'numbers'],
  ])('leaves %s: %s', (text) => {
    expect(unescapeJson(text)).toBe(text)
  })

  it('joins the halves of a character', () => {
    expect(unescapeJson('["\\ud83d\\ude00 \\u00e9\\ude00"]')).toBe('["😀 é\\ude00"]')
  })
})
