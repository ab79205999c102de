import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Schema, schemaType } from '../../tools/schema-type.ts'

describe('the type of a schema', () => {
  it.each<[string, Schema, string]>([
    ['an array of alternatives', { type: 'array', items: { enum: ['a', 'b'] } }, `('a' | 'b')[]`],
    ['an array that may hold null', { type: 'array', items: { type: ['string', 'null'] } }, '(string | null)[]'],
    [
      'an array of objects with alternatives inside',
      { type: 'array', items: { type: 'object', properties: { a: { type: ['string', 'null'] } } } },
      '{\n  a?: string | null\n}[]',
    ],
    [
      'an array of several objects',
      {
        type: 'array',
        items: {
          anyOf: [
            { type: 'object', properties: { a: {} } },
            { type: 'object', properties: { b: {} } },
          ],
        },
      },
      '({\n  a?: unknown\n} | {\n  b?: unknown\n})[]',
    ],
    ['an array of arrays', { type: 'array', items: { type: 'array', items: { enum: [1, 2] } } }, '(1 | 2)[][]'],
    ['a nullable reference', { anyOf: [{ $ref: '#/components/schemas/Run' }, { type: 'null' }] }, 'Run | null'],
    [
      'a nullable object',
      { anyOf: [{ type: 'object', required: ['n'], properties: { n: { type: 'integer' } } }, { type: 'null' }] },
      '{\n  n: number\n} | null',
    ],
    ['a nullable array', { type: ['array', 'null'], items: { type: 'string' } }, 'string[] | null'],
    ['one of several', { oneOf: [{ const: 'a' }, { const: 1 }, { const: null }] }, `'a' | 1 | null`],
    [
      'all of several',
      { allOf: [{ $ref: '#/x/A' }, { anyOf: [{ $ref: '#/x/B' }, { $ref: '#/x/C' }] }] },
      'A & (B | C)',
    ],
    ['values of a map', { type: 'object', additionalProperties: { type: 'number' } }, 'Record<string, number>'],
    ['any object', { type: 'object', additionalProperties: true }, 'Record<string, unknown>'],
    ['a name that is no identifier', { type: 'object', properties: { 'a-b': {} } }, '{\n  "a-b"?: unknown\n}'],
    ['a quotation mark', { enum: [`it's "so"`, 'x | y'] }, `'it\\'s "so"' | 'x | y'`],
    ['an array of a text with a bar', { type: 'array', items: { const: 'x | y' } }, `'x | y'[]`],
  ])('is right for %s', (_, schema, type) => {
    expect(schemaType(schema)).toBe(type)
  })

  it('is refused rather than wrong where it cannot be written', () => {
    const schema: Schema = JSON.parse('{"type": "array", "prefixItems": [{"type": "string"}]}')
    expect(() => schemaType(schema)).toThrow('"prefixItems"')
  })

  it('is never unknown in the interface where the description has alternatives', () => {
    const generated = readFileSync(new URL('../../web/src/api/generated/resources.ts', import.meta.url), 'utf8')
    expect(generated).toContain('  item: QueueItem | null\n')
    expect(generated).toContain('  messages: Message[] | null\n')
    expect(generated).toMatch(/ {2}needs: \('output' \| .*'model'\)\[\]\n/)
    expect(generated).toMatch(/ {2}test: \{\n {4}method: string\n[^}]*\} \| null\n/)
  })
})
