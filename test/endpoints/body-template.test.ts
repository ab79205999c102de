// @module-tag sized
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { INSERTED_LENGTH_MAX, pathsIn, renderBody } from '../../src/endpoints/body-template.ts'
import { runs } from '../harness/stage.ts'

const INPUT = {
  question: 'Where is "my" order?',
  count: 3,
  isNew: false,
  none: null,
  messages: [{ role: 'user', content: 'Hello' }],
  a: { b: { c: 'deep' } },
  'two words': 'yes',
}

describe('the template of a body', () => {
  it.each([
    ['{{input}}', INPUT],
    ['{{input.question}}', INPUT.question],
    ['{{ input.count }}', 3],
    ['{{input.isNew}}', false],
    ['{{input.none}}', null],
    ['{{input.messages}}', INPUT.messages],
    ['{{input.messages.0.content}}', 'Hello'],
    ['{{input.a.b}}', { c: 'deep' }],
    ['{{input.two words}}', 'yes'],
    ['Question: {{input.question}}', `Question: ${INPUT.question}`],
    ['{{input.count}}{{input.none}}', '3null'],
    ['of {{input.a.b}}', 'of {"c":"deep"}'],
    [' {{input.count}}', ' 3'],
    ['{{{input.count}}}', '{3}'],
    ['{{ and }} and {}', undefined],
    [
      { a: ['{{input.count}}', 5, null, true], b: { c: '{{input.a.b.c}}' } },
      { a: [3, 5, null, true], b: { c: 'deep' } },
    ],
    [{ '{{input.count}}': 'a name is no template' }, { '{{input.count}}': 'a name is no template' }],
    ['no placeholder { } {{', 'no placeholder { } {{'],
  ])('%j', (template, rendered) => {
    if (rendered === undefined) expect(() => renderBody(template, INPUT)).toThrow(/a placeholder must be/)
    else expect(renderBody(template, INPUT)).toEqual(rendered)
  })

  it('takes an input that is a text', () => {
    expect(renderBody({ q: '{{input}}', p: 'Say: {{input}}' }, 'Hi')).toEqual({ q: 'Hi', p: 'Say: Hi' })
  })

  it('inserts what looks like a placeholder, a pattern or a name of JavaScript as text', () => {
    for (const text of ['{{input.question}}', '$& $1 $$', '{{other}}', '__proto__']) {
      expect(renderBody(['{{input}}', 'x{{input}}'], text)).toEqual([text, `x${text}`])
    }
  })

  it.each([
    '{{question}}',
    '{{inputs.question}}',
    '{{input.}}',
    '{{input..a}}',
    '{{}}',
    '{{ expected }}',
    '{{input[0]}}',
  ])('with a placeholder that is no path of the input is rejected, and named: %s', (placeholder) => {
    const template = { text: [`a ${placeholder}`] }
    expect(() => pathsIn(template)).toThrow(`The body has ${placeholder}, but a placeholder must be {{input}}`)
    expect(() => renderBody(template, INPUT)).toThrow(placeholder)
  })

  it.each([
    [
      ['{{input.answer}}', '{{input.a.x}}'],
      INPUT,
      /no value for input\.answer, input\.a\.x: input is an object with the/,
    ],
    [['{{input.a.x}}'], INPUT, 'The input has no value for input.a.x: input.a is an object with the fields b'],
    [
      ['{{input.messages.1}}'],
      INPUT,
      'The input has no value for input.messages.1: input.messages is a list with 1 value',
    ],
    [['{{input.messages.length}}'], INPUT, /no value for input\.messages\.length/],
    [['{{input.constructor}}'], {}, 'The input has no value for input.constructor: input is an empty object'],
    [['{{input.a}}'], 'text', 'The input has no value for input.a: input is a text'],
    [['{{input.a}}'], null, 'The input has no value for input.a: input is null'],
    [['{{input}}'], undefined, 'The input has no value for input: there is no input'],
    [
      Array.from({ length: 8 }, (_, place) => `{{input.x${place}}}`),
      {},
      /input\.x0, input\.x1, input\.x2, input\.x3, input\.x4 and 3 more/,
    ],
  ])('names what the input does not have: %j', (template, input, message) => {
    expect(() => renderBody(template, input)).toThrow(message)
  })

  it('lists the paths of the input that it needs, each once', () => {
    const template = { a: '{{input.b}} {{ input.a }}', c: ['{{input.b}}', '{{input}}'] }
    expect(pathsIn(template)).toEqual(['input.b', 'input.a', 'input'])
  })

  it('never multiplies a long input beyond the limit', () => {
    const template = Array.from({ length: 100 }, () => 'x{{input}}')
    expect(() => renderBody(template, 'x'.repeat(INSERTED_LENGTH_MAX / 50))).toThrow(/exceed 4 MiB/)
    expect(() => renderBody('{{input.a}}', { a: ['x'.repeat(INSERTED_LENGTH_MAX)] })).toThrow(/exceed 4 MiB/)
    expect(renderBody(template, 'x'.repeat(INSERTED_LENGTH_MAX / 100))).toHaveLength(100)
  })

  const name = fc.stringMatching(/^[^.{}\s]{1,8}$/).filter((text) => text !== '__proto__')
  const json = fc.jsonValue({ maxDepth: 3 })

  it('that is one placeholder gives exactly the value at its path, of every type', () => {
    fc.assert(
      fc.property(fc.array(name, { maxLength: 4 }), json, (names, value) => {
        const input = names.reduceRight<unknown>((inner, field) => ({ [field]: inner, other: 1 }), value)
        // A field named `other` is replaced by the one next to it.
        fc.pre(!names.includes('other'))
        expect(renderBody(`{{${['input', ...names].join('.')}}}`, input)).toEqual(value)
      }),
      { numRuns: runs(400) },
    )
  })

  it('without placeholders stays as it is, and its texts around placeholders do', () => {
    const plain = json.filter((value) => !JSON.stringify(value).includes('{'.repeat(2)))
    fc.assert(
      fc.property(plain, (template) => {
        expect(renderBody(template, 'x')).toEqual(template)
      }),
      { numRuns: runs(400) },
    )
    const text = fc.string().filter((part) => !/[{}]/.test(part))
    fc.assert(
      fc.property(text, text, fc.string(), (before, after, value) => {
        fc.pre(before + after !== '')
        expect(renderBody(`${before}{{input}}${after}`, value)).toBe(before + value + after)
      }),
      { numRuns: runs(400) },
    )
  })
})
