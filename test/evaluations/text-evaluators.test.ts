import { describe, expect, it } from 'vitest'
import { readEvaluators } from '../../src/evaluators/read-evaluators.ts'
import { readAndCompile, reasonOf, scoreOf, verdictOf } from './verdict-of.ts'

describe('exactMatch', () => {
  it.each([
    ['Paris', 'Paris', {}, 1],
    ['Paris', 'paris', {}, 0],
    ['Paris', 'paris', { ignoreCase: true }, 1],
    ['STRASSE', 'straße', { ignoreCase: true }, 1],
    ['ΟΔΟΣ', 'οδος', { ignoreCase: true }, 1],
    [' Paris\n', 'Paris', {}, 0],
    [' Paris\n', 'Paris', { trim: true }, 1],
    ['caf\u00e9', 'cafe\u0301', {}, 1],
    ['a\r\nb', 'a\nb', {}, 1],
    ['{"b":[1,2],"a":1}', '{ "a": 1.0, "b": [1, 2] }', {}, 1],
    ['{"a":"X"}', '{"A":"x"}', { ignoreCase: true }, 1],
    ['[1,2]', '[2,1]', {}, 0],
    ['{"a":1}', '{"a":1,"b":2}', {}, 0],
    ['1', '1.0', {}, 0],
    ['"a"', 'a', {}, 0],
    ['{broken', '{ broken', {}, 0],
    ['', '', {}, 1],
  ])('%j against %j with %j is %d', (output, expected, options, score) => {
    expect(scoreOf({ type: 'exactMatch', ...options }, { output, expected })).toBe(score)
  })

  it('reports the expected and the actual value, and the option that would make them equal', () => {
    const reason = (output: string, expected: string) => reasonOf({ type: 'exactMatch' }, { output, expected })
    expect(reason('Lyon', 'Paris')).toBe('expected “Paris”, got “Lyon”')
    expect(reason('Paris ', 'Paris')).toMatch(/differ only in white space at the ends/)
    expect(reason('PARIS', 'Paris')).toMatch(/differ only in case/)
    expect(reason('Paris', 'Paris')).toBeUndefined()
  })

  it('shows long texts from their first difference', () => {
    const same = 'x'.repeat(5_000)
    const reason = reasonOf({ type: 'exactMatch' }, { output: `${same}left`, expected: `${same}right` })
    expect(reason).toMatch(/^from character 4961 on expected “…x+right”, got “…x+left”$/)
  })
})

describe('path', () => {
  const output = '{"answer":{"city":"Paris","odd.name":[10,"x"]},"n":null}'

  it.each([
    ['answer.city', 'Paris'],
    ['$.answer.city', 'Paris'],
    ['answer["odd.name"][1]', 'x'],
    ['answer["odd.name"][0]', '10'],
    ['answer["odd.name"]', '[10,"x"]'],
    ['n', 'null'],
  ])('%s selects the part of the output that is compared', (path, expected) => {
    expect(scoreOf({ type: 'exactMatch', path }, { output, expected })).toBe(1)
  })

  it('selects the same part of an expected value that has one', () => {
    const expected = '{"answer":{"city":"Paris"},"why":"it is"}'
    expect(scoreOf({ type: 'exactMatch', path: 'answer.city' }, { output, expected })).toBe(1)
  })

  it.each([
    'answer.country',
    'constructor',
    '__proto__',
    'answer.city.length',
    'answer["odd.name"].length',
    'answer["odd.name"][2]',
  ])('%s, without a value, makes the output wrong and not skipped', (path) => {
    expect(verdictOf({ type: 'exactMatch', path }, { output, expected: 'x' })).toEqual({
      state: 'scored',
      score: 0,
      passed: false,
      reason: `the output has nothing at ${path}`,
    })
  })

  it('with a missing value does not set passed without a configured threshold', () => {
    const lacking = { output: '{"b":1}', expected: 'x' }
    expect(verdictOf({ type: 'tokenF1', path: 'a' }, lacking)).toEqual({
      state: 'scored',
      score: 0,
      reason: 'the output has nothing at a',
    })
    expect(verdictOf({ type: 'rougeL', path: 'a', passAt: 0 }, lacking)).toMatchObject({ score: 0, passed: true })
    expect(verdictOf({ type: 'rougeL', path: 'a', passAt: 0.5 }, lacking)).toMatchObject({ score: 0, passed: false })
  })

  it('may begin with a $ that is a part of a name', () => {
    const input = { output: '{"$ref":"x","ref":"y"}', expected: 'x' }
    expect(scoreOf({ type: 'exactMatch', path: '$ref' }, input)).toBe(1)
    expect(scoreOf({ type: 'exactMatch', path: '$.$ref' }, input)).toBe(1)
    expect(scoreOf({ type: 'exactMatch', path: '$["$ref"]' }, input)).toBe(1)
  })

  it('of an output that is not JSON has nothing', () => {
    expect(scoreOf({ type: 'contains', path: 'a', value: 'Paris' }, { output: 'Paris' })).toBe(0)
  })

  it.each(['a..b', 'a.', '[x]', 'a[', '$', 'a b', '["a'])('%s is rejected when the config is read', (path) => {
    expect(() => readEvaluators([{ type: 'exactMatch', path }])).toThrow('config.evaluators[0].path must be a path')
  })
})

describe('contains', () => {
  it.each([
    [{ value: 'par' }, 'in Paris', 0],
    [{ value: 'par', ignoreCase: true }, 'in Paris', 1],
    [{ value: 'sorry', not: true }, 'in Paris', 1],
    [{ value: 'Paris', not: true }, 'in Paris', 0],
    [{ value: 'cafe\u0301' }, 'un caf\u00e9', 1],
    [{ value: 'ΟΔΟΣ', ignoreCase: true }, 'οδοσήμανση', 1],
  ])('%j looks for a given text in %j: %d', (options, output, score) => {
    expect(scoreOf({ type: 'contains', ...options }, { output })).toBe(score)
  })

  it('without a text searches for the expected value, and reports if there is none', () => {
    const [given, itemsOwn] = readEvaluators([
      { type: 'contains', name: 'given', value: 'x' },
      { type: 'contains', name: 'own' },
    ])
    expect([given?.needs, itemsOwn?.needs]).toEqual([['output'], ['output', 'expected']])
    expect(scoreOf({ type: 'contains' }, { output: 'It is Paris.', expected: 'Paris' })).toBe(1)
    expect(reasonOf({ type: 'contains' }, { output: 'It is Lyon.', expected: 'Paris' })).toBe(
      '“Paris” is not in the output',
    )
  })

  it('skips an empty expected value, which every text contains', () => {
    expect(verdictOf({ type: 'contains' }, { output: 'x', expected: '' }).state).toBe('skipped')
  })
})

describe('containsAny and containsAll', () => {
  it('is satisfied by one of several, or by none with `not`', () => {
    const any = (output: string, not: boolean) =>
      verdictOf({ type: 'containsAny', values: ['b', 'c'], not }, { output })
    expect(any('abc', false)).toEqual({ state: 'scored', score: 1, passed: true })
    expect(any('xyz', false)).toMatchObject({ score: 0, reason: 'none of the 2 texts is in the output' })
    expect(any('xyz', true)).toMatchObject({ score: 1, passed: true })
    expect(any('abc', true)).toMatchObject({ score: 0, reason: '“b” is in the output' })
  })

  it('scores the share of all that are there, and passes only with all of them', () => {
    const all = (output: string) => verdictOf({ type: 'containsAll', values: ['a', 'b', 'c'] }, { output })
    expect(all('a b c')).toEqual({ state: 'scored', score: 1, passed: true })
    expect(all('a b')).toEqual({ state: 'scored', score: 2 / 3, passed: false, reason: 'the output lacks “c”' })
    expect(all('a')).toMatchObject({ score: 1 / 3, reason: 'the output lacks “b” and 1 more' })
  })
})

describe('regex', () => {
  it.each([
    ['\\d{4}-\\d{2}', {}, 'on 2026-11', 1],
    ['^\\d+$', {}, 'x\n42', 0],
    ['^\\d+$', { multiline: true }, 'x\n42', 1],
    ['a.b', {}, 'a\nb', 0],
    ['a.b', { dotAll: true }, 'a\r\nb', 1],
    ['PARIS', {}, 'paris', 0],
    ['PARIS', { ignoreCase: true }, 'paris', 1],
    ['\\d+', { fullMatch: true }, 'x42', 0],
    ['\\d+', { fullMatch: true }, '42', 1],
    ['sorry', { not: true }, 'sorry', 0],
    ['(?<year>\\d{4})\\/\\u0041', {}, '2026/A', 1],
    ['caf\u00e9', {}, 'cafe\u0301', 1],
  ])('%s with %j against %j is %d', (pattern, options, output, score) => {
    expect(scoreOf({ type: 'regex', pattern, ...options }, { output })).toBe(score)
  })

  it.each([
    ['a(?=b)', 'looks ahead or behind'],
    ['(?<!a)b', 'looks ahead or behind'],
    ['(a)\\1', 'refers back to a group'],
    ['(?<n>a)\\k<n>', 'refers back to a group'],
    ['(a', 'missing closing )'],
    ['((((a{9}){9}){9}){9}){9}', 'cannot be used'],
    ['.{1000}.{1000}', 'repeats too much'],
  ])('%s is rejected when the config is read', (pattern, reason) => {
    const read = () => readAndCompile([{ type: 'regex', pattern }])
    expect(read).toThrow('config.evaluators[0].pattern ')
    expect(read).toThrow(reason)
  })

  it('matches patterns that ruin other engines, in as many steps as the text has characters', () => {
    const output = `${'a'.repeat(30_000)}!`
    for (const pattern of ['(a+)+$', '(a|aa)+$', '(.*a){9}$', '^(([a-z])+.)+[A-Z]([a-z])+$']) {
      expect(scoreOf({ type: 'regex', pattern }, { output }), pattern).toBe(0)
    }
  })

  it('skips a text that is too long for a large pattern instead of blocking the server', () => {
    const entry = { type: 'regex', pattern: '[ab]*a[ab]{500}c' }
    expect(verdictOf(entry, { output: 'ab'.repeat(100_000) })).toEqual({
      state: 'skipped',
      reason: 'the output is too long for this pattern (200000 characters)',
    })
    expect(scoreOf(entry, { output: 'ab'.repeat(1_000) })).toBe(0)
  })
})

describe('length', () => {
  it.each([
    [{ maxCharacters: 2 }, '👍👍', 1],
    [{ maxCharacters: 1 }, '👍👍', 0],
    [{ maxCharacters: 1 }, 'e\u0301', 1],
    [{ minWords: 2, maxWords: 3 }, ' one  two\nthree ', 1],
    [{ minWords: 4 }, 'one two three', 0],
    [{ minCharacters: 1 }, '', 0],
    [{ maxWords: 0 }, ' ', 1],
  ])('%j of %j is %d', (options, output, score) => {
    expect(scoreOf({ type: 'length', ...options }, { output })).toBe(score)
  })

  it('reports both counts, and which limit was missed', () => {
    expect(verdictOf({ type: 'length', maxWords: 2 }, { output: 'one two three' })).toEqual({
      state: 'scored',
      score: 0,
      passed: false,
      reason: 'the output has 3 words, at most 2 are allowed',
      details: { characters: 13, words: 3 },
    })
  })
})

describe('f1', () => {
  it('labels a case with its class and the expected one, for the metrics over all cases', () => {
    expect(verdictOf({ type: 'f1' }, { output: ' spam\n', expected: 'ham' })).toEqual({
      state: 'scored',
      score: 0,
      passed: false,
      label: 'spam',
      reason: 'expected “ham”, got “spam”',
      details: { expected: 'ham' },
    })
    expect(verdictOf({ type: 'f1', ignoreCase: true }, { output: 'SPAM', expected: 'Spam' })).toMatchObject({
      score: 1,
      label: 'spam',
      details: { expected: 'spam' },
    })
  })

  it('keeps an output without a class among the cases, with the class that was expected', () => {
    const verdict = verdictOf({ type: 'f1', path: 'label', ignoreCase: true }, { output: '{}', expected: 'Spam' })
    expect(verdict).toMatchObject({ score: 0, label: '', details: { expected: 'spam' } })
  })

  it('does not keep an essay as the name of a class', () => {
    const verdict = verdictOf({ type: 'f1' }, { output: 'x'.repeat(10_000), expected: 'ham' })
    expect(verdict).toMatchObject({ score: 0, label: `${'x'.repeat(200)}…` })
  })
})
