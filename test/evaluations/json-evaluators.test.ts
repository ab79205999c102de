import { describe, expect, it } from 'vitest'
import { readEvaluators } from '../../src/evaluators/read-evaluators.ts'
import { readAndCompile, reasonOf, scoreOf, verdictBy, verdictOf } from './verdict-of.ts'

const DEEP = `${'['.repeat(100_000)}${']'.repeat(100_000)}`

/** Each part refers to the next one. */
function chainOfReferences(length: number): Record<string, unknown> {
  const parts = Array.from({ length }, (_, place) => [`d${place}`, { items: { $ref: `#/$defs/d${place + 1}` } }])
  return { $ref: '#/$defs/d0', $defs: { ...Object.fromEntries(parts), [`d${length}`]: {} } }
}

describe('jsonValid', () => {
  it.each([
    ['{"a":1}', 1],
    ['"text"', 1],
    ['42', 1],
    [DEEP, 1],
    ['{"a":1,}', 0],
    ["{'a':1}", 0],
    ['', 0],
    ['Paris', 0],
    ['```json\n{}\n```', 0],
  ])('of %j is %d', (output, score) => {
    expect(scoreOf({ type: 'jsonValid' }, { output })).toBe(score)
  })

  it('names the position of the error', () => {
    expect(reasonOf({ type: 'jsonValid' }, { output: '{"a":1,}' })).toMatch(/^“{"a":1,}” is not JSON: .*position 7/)
  })
})

describe('jsonEqual', () => {
  const compare = (output: unknown, expected: unknown, options = {}) =>
    verdictOf({ type: 'jsonEqual', ...options }, { output: JSON.stringify(output), expected: JSON.stringify(expected) })

  it.each([
    [{ a: { b: [1, 2] } }, { a: { b: [1, 3] } }, '$.a.b[1]: expected 3, got 2'],
    [{ a: 1 }, { a: 1, b: 2 }, '$.b is missing'],
    [{ a: 1, b: 2 }, { a: 1 }, '$.b is not expected'],
    [[1], [1, 2], '$: expected 2 entries, got 1'],
    [{ 'odd key': 'x' }, { 'odd key': 'y' }, '$["odd key"]: expected “y”, got “x”'],
    [{ a: null }, { a: 0 }, '$.a: expected 0, got null'],
    [[], {}, '$: expected {}, got []'],
    [{ a: '1' }, { a: 1 }, '$.a: expected 1, got “1”'],
    ['Paris', 'Lyon', '$: expected “Lyon”, got “Paris”'],
  ])('of %j and %j names the first place that differs', (output, expected, reason) => {
    expect(compare(output, expected)).toEqual({ state: 'scored', score: 0, passed: false, reason })
  })

  it.each([
    [{ b: 1, a: [0] }, { a: [-0], b: 1 }, {}],
    [{ a: 'caf\u00e9' }, { a: 'cafe\u0301' }, {}],
    [[3, 1, [2, 1]], [[1, 2], 1, 3], { ignoreOrder: true }],
    [[{ a: 1, b: [1, 2] }], [{ b: [2, 1], a: 1 }], { ignoreOrder: true }],
    [{ a: 1, more: 2 }, { a: 1 }, { subset: true }],
    [[{ a: 1, more: 2 }], [{ a: 1 }], { subset: true }],
    [[5, 1, 2], [2, 1], { subset: true, ignoreOrder: true }],
    // Taking the first entry that fits would leave none for the second.
    [[{ a: 1, b: 2 }, { a: 1 }], [{ a: 1 }, { a: 1, b: 2 }], { subset: true, ignoreOrder: true }],
  ])('of %j and %j with %j is 1', (output, expected, options) => {
    expect(compare(output, expected, options)).toEqual({ state: 'scored', score: 1, passed: true })
  })

  it.each([
    [[1, 1, 2], [1, 2, 2], { ignoreOrder: true }, '$: no entry is 2'],
    [[1, 2, 3], [1, 2], { ignoreOrder: true }, '$: expected 2 entries, got 3'],
    [[1, 2, 3], [1, 2], { subset: true }, '$: expected 2 entries, got 3'],
    [[1, 2], [1, 1], { subset: true, ignoreOrder: true }, '$: only 1 of 2 expected entries are there'],
    [{ a: { b: 1 } }, { a: { c: 1 } }, { subset: true }, '$.a.c is missing'],
  ])('of %j and %j with %j is 0', (output, expected, options, reason) => {
    expect(compare(output, expected, options)).toMatchObject({ score: 0, reason })
  })

  it('sees only keys that a value has itself', () => {
    const [output, expected] = ['{}', '{"__proto__":{}}']
    expect(reasonOf({ type: 'jsonEqual' }, { output, expected })).toMatch(/__proto__.* is missing/)
    expect(reasonOf({ type: 'jsonEqual' }, { output: '{}', expected: '{"toString":1}' })).toBe('$.toString is missing')
  })

  it('counts an output that is not JSON as wrong, and skips an item whose expected value is not', () => {
    expect(verdictOf({ type: 'jsonEqual' }, { output: 'x', expected: '1' })).toMatchObject({
      state: 'scored',
      score: 0,
    })
    expect(verdictOf({ type: 'jsonEqual' }, { output: '1', expected: 'x' }).state).toBe('skipped')
  })

  it('does not overflow on values of any depth', () => {
    expect(verdictOf({ type: 'jsonEqual' }, { output: DEEP, expected: DEEP })).toEqual({
      state: 'skipped',
      reason: 'the expected value is nested deeper than 500 levels',
    })
    expect(scoreOf({ type: 'exactMatch' }, { output: DEEP, expected: `${DEEP} ` })).toBe(0)
  })

  it('stops for arrays whose pairwise comparison would need too long', () => {
    const entries = Array.from({ length: 2_000 }, (_, id) => ({ id, a: 1 }))
    expect(compare(entries, entries.toReversed(), { ignoreOrder: true })).toMatchObject({ score: 1 })
    expect(compare(entries, entries.toReversed(), { ignoreOrder: true, subset: true })).toMatchObject({ score: 1 })
    const others = entries.map(({ id }) => ({ id: -id - 1, a: 1, b: 2 }))
    expect(compare(entries, others, { ignoreOrder: true, subset: true })).toEqual({
      state: 'skipped',
      reason: expect.stringContaining('too large for jsonEqual'),
    })
  })
})

describe('jsonSchema', () => {
  const check = (schema: object, value: unknown) =>
    verdictOf({ type: 'jsonSchema', schema }, { output: JSON.stringify(value) })

  it.each(['toString', 'constructor', 'valueOf', 'hasOwnProperty', '__proto__'])(
    'treats %s as a property only if the output has it',
    (name) => {
      expect(check({ type: 'object', required: [name] }, {})).toMatchObject({ score: 0 })
      expect(check({ properties: JSON.parse(`{"${name}":{"type":"string"}}`) }, {})).toMatchObject({ score: 1 })
      expect(check({ dependentRequired: JSON.parse(`{"${name}":["a"]}`) }, {})).toMatchObject({ score: 1 })
    },
  )

  it('checks multiples of decimal numbers', () => {
    expect(check({ multipleOf: 0.01 }, 19.99)).toMatchObject({ score: 1 })
    expect(check({ multipleOf: 0.01 }, 0.07)).toMatchObject({ score: 1 })
    expect(check({ multipleOf: 0.01 }, 19.995)).toMatchObject({ score: 0 })
  })

  const PERSON = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://example.com/person.json',
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', pattern: '^\\p{Lu}' },
      born: { type: 'string', format: 'date' },
      role: { enum: ['user', 'admin'] },
      friends: { type: 'array', items: { $ref: '#' }, uniqueItems: true },
    },
    additionalProperties: false,
    'x-note': 'unknown keywords are ignored',
  }

  it('accepts a valid value, also if the schema refers to itself', () => {
    const value = { name: 'Ada', born: '1815-12-10', role: 'admin', friends: [{ name: 'Charles' }] }
    expect(check(PERSON, value)).toEqual({ state: 'scored', score: 1, passed: true })
  })

  it.each([
    [{}, '$ lacks name'],
    [{ name: 5 }, '$.name must be string'],
    [{ name: 'ada' }, '$.name must match pattern "^\\p{Lu}"'],
    [{ name: 'Ada', born: 'yesterday' }, '$.born must match format "date"'],
    [{ name: 'Ada', role: 'root' }, '$.role must be one of "user","admin"'],
    [{ name: 'Ada', age: 36 }, '$ has age, which is not known'],
    [{ name: 'Ada', friends: [{ name: 'Charles' }, { nme: 'x' }] }, '$.friends[1] lacks name'],
    [{ name: 'Ada', friends: [{ name: 'C' }, { name: 'C' }] }, '$.friends must not have the same entry twice'],
  ])('says of %j that %s', (value, reason) => {
    expect(check(PERSON, value)).toEqual({ state: 'scored', score: 0, passed: false, reason })
  })

  it('counts an output that is not JSON as wrong', () => {
    expect(verdictOf({ type: 'jsonSchema', schema: {} }, { output: 'x' })).toMatchObject({
      score: 0,
      reason: expect.stringContaining('the output is not JSON'),
    })
  })

  it('supports draft-07 if the schema declares it', () => {
    const items = [{ type: 'integer' }]
    expect(check({ $schema: 'http://json-schema.org/draft-07/schema#', items }, ['x'])).toMatchObject({ score: 0 })
    expect(() => check({ items }, ['x'])).toThrow('schema.items must be object,boolean')
    expect(check({ prefixItems: items }, ['x'])).toMatchObject({ score: 0 })
  })

  it.each([
    [{ type: 'strnig' }, 'schema.type must be one of'],
    [{ $ref: 'https://example.com/other.json' }, '$ref "https://example.com/other.json" must begin with #/'],
    [{ $ref: 'http://json-schema.org/draft-07/schema#' }, 'must begin with #/'],
    [{ $ref: '#/$defs/none' }, '$ref #/$defs/none leads nowhere'],
    [{ $ref: '#/constructor' }, 'leads nowhere'],
    [{ minimum: { $data: '1/b' } }, 'schema.minimum must be number'],
    [{ $async: true }, 'it uses $async, which is not allowed'],
    [{ $defs: { a: { $id: 'https://example.com/a' } } }, 'it uses $id, which is not allowed below the top'],
    [{ $dynamicRef: '#x' }, 'it uses $dynamicRef'],
    [{ pattern: '(?=a)' }, 'its pattern “(?=a)” cannot be used: it looks ahead or behind'],
    [{ patternProperties: { '(a)\\1': {} } }, 'it refers back to a group'],
    [{ pattern: 'x'.repeat(1_001) }, 'must not be longer than 1000 characters'],
    [{ enum: ['x'.repeat(70_000)] }, 'it is longer than 65536 characters'],
    [JSON.parse(`${'{"not":'.repeat(70)}{}${'}'.repeat(70)}`), 'it is nested deeper than 64 levels'],
    [chainOfReferences(1_400), 'its references are nested too deeply'],
  ])('rejects %j when the config is read, naming the key', (schema, reason) => {
    const read = () => readAndCompile([{ type: 'jsonSchema', schema }])
    expect(read).toThrow('config.evaluators[0].schema cannot be used: ')
    expect(read).toThrow(reason)
  })

  it('does not take the parts of a constant for parts of the schema', () => {
    expect(check({ const: { $ref: 'https://example.com' } }, { $ref: 'https://example.com' })).toMatchObject({
      score: 1,
    })
    expect(check({ properties: { $id: { type: 'string' }, $ref: { type: 'string' } } }, { $ref: 5 })).toMatchObject({
      score: 0,
    })
  })

  it('matches patterns in linear time, and stops when many of them need too much', () => {
    const evil = { type: 'string', pattern: '^(a+)+$' }
    expect(check(evil, `${'a'.repeat(50_000)}!`)).toMatchObject({ score: 0 })
    const value = Array.from({ length: 100 }, () => 'ab'.repeat(5_000))
    expect(check({ items: { not: { pattern: '[ab]*a[ab]{500}c' } } }, value)).toEqual({
      state: 'skipped',
      reason: 'checking the output against the schema takes too long',
    })
  })

  it('stops for references that double the work with every level, in the schema or in the value', () => {
    const levels = Array.from({ length: 40 }, (_, level) => {
      const next = { $ref: `#/$defs/d${level + 1}` }
      return [`d${level}`, { allOf: [next, next] }] as const
    })
    const inSchema = { $ref: '#/$defs/d0', $defs: { ...Object.fromEntries(levels), d40: { type: 'integer' } } }
    const self = { properties: { next: { $ref: '#' } } }
    let value: unknown = 1
    for (let depth = 0; depth < 40; depth += 1) value = { next: value }
    for (const [schema, checked] of [
      [inSchema, 1],
      [{ allOf: [self, self] }, value],
    ] as const) {
      expect(check(schema, checked)).toEqual({
        state: 'skipped',
        reason: 'checking the output against the schema takes too long',
      })
    }
  })

  it('has as much work left for the last case as for the first', () => {
    const [evaluator] = readEvaluators([{ type: 'jsonSchema', schema: { items: { type: 'integer' } } }])
    const output = JSON.stringify(Array.from({ length: 50_000 }, () => 1))
    const states = Array.from({ length: 25 }, () => evaluator && verdictBy(evaluator, { output }).state)
    expect(new Set(states)).toEqual(new Set(['scored']))
  })

  it('survives a schema that refers to itself without end', () => {
    expect(check({ $ref: '#' }, 1)).toEqual({ state: 'skipped', reason: 'the schema refers to itself without end' })
  })

  it('finds equal entries among many without comparing every pair', () => {
    const entries = Array.from({ length: 20_000 }, (_, id) => ({ id }))
    expect(check({ uniqueItems: true }, entries)).toMatchObject({ score: 1 })
    expect(check({ uniqueItems: true }, [...entries, { id: 7 }])).toMatchObject({ score: 0 })
  })

  it('does not let a long text keep the patterns of formats busy', () => {
    expect(check({ format: 'uri' }, `http://${'a'.repeat(100_000)}`)).toMatchObject({ state: 'skipped' })
    expect(
      check(
        { items: { format: 'date' } },
        Array.from({ length: 20_000 }, () => '2026-11-15'),
      ),
    ).toMatchObject({ score: 1 })
  })
})

describe('numeric', () => {
  it('accepts a value at exactly the tolerance', () => {
    expect(scoreOf({ type: 'numeric', relative: 0.1 }, { output: '1.1', expected: '1' })).toBe(1)
    expect(scoreOf({ type: 'numeric', absolute: 0.1 }, { output: '0.3', expected: '0.2' })).toBe(1)
    expect(scoreOf({ type: 'numeric', absolute: 0.1 }, { output: '0.30001', expected: '0.2' })).toBe(0)
  })

  it.each([
    ['42', '42', {}, 1],
    ['42.0', '42', {}, 1],
    [' 4.2e1\n', '42', {}, 1],
    ['1,234.5', '1234.5', {}, 1],
    ['−5', '-5', {}, 1],
    ['"42"', '42', {}, 1],
    ['+.5', '0.5', {}, 1],
    ['43', '42', {}, 0],
    ['42.5', '42', { absolute: 0.5 }, 1],
    ['42.6', '42', { absolute: 0.5 }, 0],
    ['99', '100', { relative: 0.01 }, 1],
    ['-99', '-100', { relative: 0.01 }, 1],
    ['98.9', '100', { relative: 0.01 }, 0],
    ['105', '100', { relative: 0.01, absolute: 5 }, 1],
    ['42 apples', '42', {}, 0],
    ['', '0', {}, 0],
    ['-', '0', {}, 0],
    ['Infinity', '1', {}, 0],
    ['1e999', '1', {}, 0],
    ['6 × 7 = 42.', '42', { find: 'last' }, 1],
    ['6 × 7 = 42.', '6', { find: 'first' }, 1],
    ['from 10-5', '5', { find: 'last' }, 1],
    ['it is -5°', '-5', { find: 'last' }, 1],
    ['$1,234.50 in all', '1234.5', { find: 'first' }, 1],
    ['none', '5', { find: 'first' }, 0],
    ['{"total":{"usd":12.5}}', '12.5', { path: 'total.usd' }, 1],
    ['{"total":12.5}', '{"total":"12.5"}', { path: 'total' }, 1],
  ])('%j against %j with %j is %d', (output, expected, options, score) => {
    expect(scoreOf({ type: 'numeric', ...options }, { output, expected })).toBe(score)
  })

  it('compares with a given number in place of the expected value', () => {
    expect(scoreOf({ type: 'numeric', value: 0 }, { output: '0' })).toBe(1)
  })

  it('skips an item whose expected value is not a number, and reports the error of an output', () => {
    expect(verdictOf({ type: 'numeric' }, { output: '1', expected: 'one' })).toEqual({
      state: 'skipped',
      reason: 'the expected value “one” is not a number',
    })
    expect(verdictOf({ type: 'numeric' }, { output: '1e999', expected: '1e999' }).state).toBe('skipped')
    expect(reasonOf({ type: 'numeric' }, { output: 'one', expected: '1' })).toBe('“one” is not a number')
    expect(reasonOf({ type: 'numeric', absolute: 1 }, { output: '5', expected: '1' })).toBe(
      'expected 1, got 5, which is off by more than 1',
    )
  })

  it('finds the last number of a megabyte of digits without trying every beginning', () => {
    expect(
      scoreOf({ type: 'numeric', find: 'last' }, { output: `${'1,234,5678 '.repeat(90_000)}7`, expected: '7' }),
    ).toBe(1)
  })
})
