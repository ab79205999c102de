import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { responseError } from '../../src/llm/provider-errors.ts'
import { containsApiKey } from '../../src/secrets/contains-api-key.ts'

const key = fc
  .string({
    unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_'),
    minLength: 20,
    maxLength: 80,
  })
  .map((end) => `sk-${end}`)

const encodings: Record<string, (key: string) => string> = {
  plain: (text) => text,
  backwards: (text) => [...text].reverse().join(''),
  base64: (text) => Buffer.from(text).toString('base64'),
  'base64 for URLs': (text) => Buffer.from(text).toString('base64url'),
  'base64 of a header': (text) => Buffer.from(`Bearer ${text}`).toString('base64'),
  'base64 of a user and a password': (text) => Buffer.from(`u:${text}`).toString('base64'),
  'base64, backwards': (text) => [...Buffer.from(text).toString('base64')].reverse().join(''),
  hexadecimal: (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'percent signs': (text) => Buffer.from(text).toString('hex').replace(/../g, '%$&'),
  'URL-encoded': (text) => encodeURIComponent(text),
  'unicode escapes': (text) => [...text].map((sign) => `\\u00${sign.charCodeAt(0).toString(16)}`).join(''),
  'decimal codes': (text) => [...Buffer.from(text)].join(' '),
  'one letter after another': (text) => [...text].join(' '),
  capitals: (text) => text.toUpperCase(),
  half: (text) => text.slice(0, Math.ceil(text.length / 2)),
  rot13: (text) =>
    text.replace(/[a-z]/gi, (c) => String.fromCharCode((((c.charCodeAt(0) & 31) + 12) % 26) + (c < 'a' ? 65 : 97))),
}

describe('a provider that sends its key back', () => {
  it.each(Object.entries(encodings))('as %s does not get it into an error', (_, encode) => {
    fc.assert(
      fc.property(key, (apiKey) => {
        const sent = encode(apiKey)
        const body = Buffer.from(JSON.stringify({ error: { message: `Bad request: ${sent} is not allowed` } }))
        const { message } = responseError({ name: 'p', apiKey, model: 'm' }, { status: 400, headers: {}, body }, 0)
        expect(message).not.toContain(sent)
        expect(containsApiKey(message, apiKey)).toBe(false)
      }),
    )
  })

  it('does not keep other messages from being shown', () => {
    const body = Buffer.from(JSON.stringify({ error: { message: 'The parameter temperature must be at most 1' } }))
    const asked = { name: 'p', apiKey: 'sk-proj-0123456789abcdefghij', model: 'm' }
    expect(responseError(asked, { status: 400, headers: {}, body }, 0).message).toContain(
      'temperature must be at most 1',
    )
    expect(containsApiKey('anything', undefined)).toBe(false)
    expect(containsApiKey('a short one: abc', 'abc')).toBe(true)
  })
})
