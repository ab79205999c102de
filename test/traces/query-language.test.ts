import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AppError } from '../../src/base/errors.ts'
import type { Condition, Term } from '../../src/traces/query/condition.ts'
import { parseQuery } from '../../src/traces/query/parse-query.ts'
import { FIELD_NAMES } from '../../src/traces/query/query-fields.ts'
import { runs } from '../harness/stage.ts'

const NOW = Date.parse('2026-11-15T06:00:00Z')
const SECOND_NS = 1_000_000_000n

describe('the query language', () => {
  it.each([
    ['a b', 'and(a, b)'],
    ['a AND b', 'and(a, b)'],
    ['a OR b c', 'or(a, and(b, c))'],
    ['a b OR c', 'or(and(a, b), c)'],
    ['a OR b OR c', 'or(a, b, c)'],
    ['(a b) (c d)', 'and(a, b, c, d)'],
    ['(a OR b) c', 'and(or(a, b), c)'],
    ['-a b', 'and(not(a), b)'],
    ['NOT a b', 'and(not(a), b)'],
    ['NOT (a OR b)', 'not(or(a, b))'],
    ['-(a b)', 'not(and(a, b))'],
    ['NOT NOT a', 'not(not(a))'],
    ['a AND NOT b', 'and(a, not(b))'],
    ['*', 'and()'],
    ['and or not to', 'and(and, or, not, to)'],
  ])('reads %s as %s', (query, shape) => {
    expect(shapeOf(parsed(query))).toBe(shape)
  })

  it('matches everything when it is empty', () => {
    expect(parseQuery('', NOW)).toBeUndefined()
    expect(parseQuery(' \t\n', NOW)).toBeUndefined()
  })

  it('takes ordinary words as they are, also those with signs in them', () => {
    for (const word of [
      "it's",
      'a,b',
      'what?!',
      'foo+bar',
      '12:30',
      'a/b',
      '{x',
      'ÄÖÜ',
      '🧪',
      'constructor',
      '__proto__',
    ]) {
      expect(term(word)).toMatchObject({ field: 'text', test: { is: 'text' } })
    }
  })

  it('takes wildcards in words as gaps and in quotes as themselves', () => {
    expect(term('model:gpt-4*').test).toEqual({ is: 'text', pattern: [{ text: 'gpt-4' }, { any: 'many' }] })
    expect(term('model:a?**b').test).toEqual({
      is: 'text',
      pattern: [{ text: 'a' }, { any: 'one' }, { any: 'many' }, { text: 'b' }],
    })
    expect(term('model:"gpt*"').test).toEqual({ is: 'text', pattern: [{ text: 'gpt*' }] })
    expect(term('model:"*"').test).toEqual({ is: 'text', pattern: [{ text: '*' }] })
    expect(term('model:*').test).toEqual({ is: 'present' })
  })

  it('reads escapes inside both kinds of quotes', () => {
    expect(term(String.raw`"a \" \\ \n A b"`).test).toMatchObject({ pattern: [{ text: 'a " \\ \n A b' }] })
    expect(term(String.raw`'it\'s "so"'`).test).toMatchObject({ pattern: [{ text: `it's "so"` }] })
  })

  it('reads values with colons, slashes and signs without quotes', () => {
    expect(term('model:openai/gpt-4o:free').test).toMatchObject({ pattern: [{ text: 'openai/gpt-4o:free' }] })
    expect(term('id:00000000000000000000000000000001').test).toMatchObject({
      pattern: [{ text: '00000000000000000000000000000001' }],
    })
    expect(term('user:-5').test).toMatchObject({ pattern: [{ text: '-5' }] })
  })

  it.each([
    ['cost:>0.5', { from: { value: 0.5, isIncluded: false } }],
    ['cost:>=.5', { from: { value: 0.5, isIncluded: true } }],
    ['cost:<1e-3', { to: { value: 0.001, isIncluded: false } }],
    ['cost:<=-2', { to: { value: -2, isIncluded: true } }],
    ['tokens:5', { from: { value: 5, isIncluded: true }, to: { value: 5, isIncluded: true } }],
    ['tokens:=5', { from: { value: 5, isIncluded: true }, to: { value: 5, isIncluded: true } }],
    ['tokens:[1 TO 2]', { from: { value: 1, isIncluded: true }, to: { value: 2, isIncluded: true } }],
    ['tokens:{1 TO 2]', { from: { value: 1, isIncluded: false }, to: { value: 2, isIncluded: true } }],
    ['tokens:[ * TO 2 }', { to: { value: 2, isIncluded: false } }],
    ['score.correctness:<0.5', { to: { value: 0.5, isIncluded: false } }],
    ['metadata.retry.count:>3', { from: { value: 3, isIncluded: false } }],
  ])('reads the numbers of %s', (query, range) => {
    expect(term(query).test).toEqual({ is: 'number', range })
  })

  it.each([
    ['latency:>2', { from: 2n * SECOND_NS + 1n }],
    ['latency:>=500ms', { from: SECOND_NS / 2n }],
    ['latency:<2.3s', { until: 2_300_000_000n }],
    ['latency:<=1m', { until: 60n * SECOND_NS + 1n }],
    ['latency:[1s TO 1.5min]', { from: SECOND_NS, until: 90n * SECOND_NS + 1n }],
    ['latency:{1us TO *]', { from: 1_001n }],
    ['start:2026-11-14', { from: ns('2026-11-14T00:00:00Z'), until: ns('2026-11-15T00:00:00Z') }],
    ['start:>2026-11-14', { from: ns('2026-11-15T00:00:00Z') }],
    ['start:<=2026-11-14', { until: ns('2026-11-15T00:00:00Z') }],
    ['start:<2026-11-14', { until: ns('2026-11-14T00:00:00Z') }],
    ['start:[2026-11-01 TO 2026-11-02]', { from: ns('2026-11-01T00:00:00Z'), until: ns('2026-11-03T00:00:00Z') }],
    ['start:{2026-11-01 TO 2026-11-03}', { from: ns('2026-11-02T00:00:00Z'), until: ns('2026-11-03T00:00:00Z') }],
    ['start:>=2026-11-14T09:30:00.000000001+02:00', { from: ns('2026-11-14T07:30:00Z') + 1n }],
    ['start:>=-24h', { from: ns('2026-11-14T06:00:00Z') }],
    ['start:[-2w TO -30m]', { from: ns('2026-11-01T06:00:00Z'), until: ns('2026-11-15T05:30:00Z') + 1n }],
    ['start:<9999-12-31', { until: 2n ** 63n - 2n }],
  ])('reads the times of %s', (query, range) => {
    expect(term(query).test).toEqual({ is: 'nanoseconds', range })
  })

  it('treats an attribute as text, and also as a number if it is one without quotes', () => {
    expect(term('metadata.deployment.environment:prod')).toEqual({
      field: 'metadata',
      key: 'deployment.environment',
      test: { is: 'text', pattern: [{ text: 'prod' }] },
    })
    expect(term('metadata.port:8080').test).toEqual({ is: 'text', pattern: [{ text: '8080' }], number: 8080 })
    expect(term('metadata.port:"8080"').test).toEqual({ is: 'text', pattern: [{ text: '8080' }] })
    expect(term('"metadata.customer name":Ada')).toMatchObject({ field: 'metadata', key: 'customer name' })
    expect(term('"score.Answer quality":>0.5')).toMatchObject({ field: 'score', key: 'Answer quality' })
  })

  it('takes fields and fixed words in either case', () => {
    expect(term('Status:ERROR')).toEqual({ field: 'status', key: '', test: { is: 'word', word: 'error' } })
    expect(term('kind:LLM').test).toEqual({ is: 'word', word: 'llm' })
  })
})

describe('a mistake in a query', () => {
  it.each([
    [
      'status:error tokns:>5',
      'The query is invalid at character 14, near "tokns": tokns is not a field; did you mean tokens? Fields are status, kind, ',
    ],
    [
      'https://example.com',
      'at character 1, near "https": https is not a field; to search for it as text, put it in quotes. Fields are',
    ],
    ['metadata:prod', 'metadata is not a field; did you mean metadata.<key>?'],
    ['status.x:ok', 'did you mean status?'],
    ['score.:1', 'did you mean score.<evaluator>?'],
    ['status:failed', 'at character 8, near "failed": failed is not valid: status must be one of ok, error'],
    ['has:money', 'has must be one of annotation, error, input, output, cost'],
    ['kind:llms', 'kind must be one of llm, '],
    ['status:>ok', 'cannot be compared by >'],
    ['name:[a TO b]', 'name accepts text, not a range'],
    ['cost:cheap', 'at character 6, near "cheap": cheap is not valid: cost needs a number, such as 5 or 0.25'],
    ['cost:>1e999', 'cost needs a number'],
    ['cost:[1 TO x]', 'near "x"'],
    ['latency:>2parsecs', 'latency needs a duration, such as 2s, 500ms or 1.5m; seconds without a unit'],
    ['latency:>2constructor', 'latency needs a duration'],
    [
      'start:>2026-02-30',
      'start needs a date (2026-11-14), a time (2026-11-14T09:30:00Z) or a relative time (-24h, -7d)',
    ],
    ['start:>yesterday', 'start needs a date'],
    ['tokens:', 'at character 8, at its end: there is no value after tokens:'],
    ['tokens:> 5', 'at character 9, near " 5": there is no value after tokens:'],
    ['kind:(llm OR tool)', 'write kind:… before every value, with OR between them'],
    ['tokens:[1, 2]', 'a range is written [a TO b] or {a TO b}'],
    ['tokens:[1 TO', 'a range is written'],
    ['a "b c', 'at character 3, near ""b c": this quote is never closed'],
    ['name:"a"b', 'at character 9, near "b": a space is missing here'],
    ['{"a": 1}', 'at character 2'],
    ['"\\x"', 'inside quotes a backslash is written'],
    ['name:""', 'the text is empty'],
    ['"\\u0000"', 'cannot be stored'],
    ['\0', 'cannot be stored'],
    ['"\\ud800"', 'cannot be stored'],
    ['"metadata.\\u0000":x', 'cannot be stored'],
    ['(a', 'at character 1, near "(": this parenthesis is never closed'],
    ['a)', 'at character 2, near ")": this parenthesis was never opened'],
    ['a ()', 'there is nothing between these parentheses'],
    ['a AND', 'at character 6, at its end: a condition is missing here'],
    ['a OR OR b', 'OR needs a condition on both sides; to search for the word, put it in quotes'],
    ['AND a', 'AND needs a condition on both sides'],
    ['(a OR )', 'a condition is missing before this parenthesis'],
    ['a - b', 'at character 3, near "-": a minus must directly precede the term that it excludes'],
    ['\ud800', 'unpaired surrogate'],
  ])('in %s is pointed at', (query, message) => {
    const error = failure(query)
    expect(error.status).toBe(400)
    expect(error.message).toContain(message)
  })

  it('is also to ask for too much', () => {
    expect(failure('x'.repeat(2_001)).message).toBe('The query has 2001 characters; at most 2000 are allowed')
    expect(failure('a '.repeat(51)).message).toContain('at character 101, near "a": more than 50 terms')
    const nested = (levels: number) => `${'('.repeat(levels)}a${')'.repeat(levels)}`
    expect(outcome(nested(20))).toBe('read')
    expect(failure(nested(21)).message).toContain('nested more than 20 levels deep')
  })

  it('is reported in at most 400 characters, for a query of any length', () => {
    for (const query of [`${'x'.repeat(1_900)}:1`, `status:${'🧪'.repeat(900)}`, `cost:"${'y'.repeat(1_900)}"`]) {
      const { message } = failure(query)
      expect(message.length).toBeLessThanOrEqual(400)
      expect(message.isWellFormed()).toBe(true)
    }
  })

  it('is all that can go wrong: any text is a condition or a 400', { tags: 'sized' }, () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), likelyText), (query) => {
        outcome(query)
      }),
      { numRuns: runs(5_000) },
    )
  })

  // A parser that tries every reading would not end before the test's time does.
  it('is found also among adjacent and nested parentheses', () => {
    const adjacent = `${'('.repeat(19)}a b${') (c)'.repeat(19)}`
    expect(shapeOf(parsed(adjacent))).toMatch(/^and\(a, b, c/)
    parsed(Array.from({ length: 50 }, () => '(a)').join(' '))
    outcome('/a/ '.repeat(500))
    outcome('('.repeat(2_000))
    outcome('-'.repeat(2_000))
  })
})

describe('the guide to the query language', () => {
  const guide = readFileSync('docs/guide/query-language.md', 'utf8')
  const blocks = [...guide.matchAll(/```text\n(.*?)```/gs)].flatMap(([, block = '']) => block.trim().split('\n'))
  const rows = [...guide.matchAll(/^\| `([^|]+)` \|.*$/gm)]
  const examples = rows.flatMap(([row = '']) => /\| `([^`|]+)` \|$/.exec(row)?.[1] ?? [])
  const written = rows.map(([, first = '']) => first)

  it('has only examples that are right', () => {
    expect(blocks.length + examples.length).toBeGreaterThan(30)
    for (const query of [...blocks, ...examples]) expect(parseQuery(query, NOW), query).toBeDefined()
    const syntax = guide.slice(guide.indexOf('## Syntax'), guide.indexOf('## Fields'))
    for (const [, query = ''] of syntax.matchAll(/^\| `([^`]+)` \|/gm))
      expect(parseQuery(query, NOW), query).toBeDefined()
  })

  it('lists every field, and no other', () => {
    const fields = guide.slice(guide.indexOf('## Fields'), guide.indexOf('Names with spaces'))
    const listed = [...fields.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name)
    expect(listed).toEqual(FIELD_NAMES)
    expect(written).toEqual(expect.arrayContaining(listed))
  })
})

const likelyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...'()[]{}-*?:"\'\\<>= ', 'AND', 'OR', 'NOT', ' TO ', '\\u', '\0'),
      fc.constantFrom(
        'status:',
        'latency:>',
        'start:',
        'score.x:',
        'metadata.a.b:',
        'cost:[1 TO 2]',
        '-24h',
        '2026-11-14',
        '5',
        'ok',
      ),
      fc.string({ maxLength: 4 }),
    ),
    { maxLength: 25 },
  )
  .map((pieces) => pieces.join(''))

function ns(time: string): bigint {
  return BigInt(Date.parse(time)) * 1_000_000n
}

function parsed(query: string): Condition {
  const condition = parseQuery(query, NOW)
  if (!condition) throw new Error('an empty query')
  return condition
}

function term(query: string): Term {
  const condition = parsed(query)
  if (condition.type !== 'term') throw new Error(`${query} is more than a term`)
  return condition.term
}

/** A condition in few words, with its terms by their texts. */
function shapeOf(condition: Condition): string {
  if (condition.type === 'not') return `not(${shapeOf(condition.part)})`
  if (condition.type !== 'term') return `${condition.type}(${condition.parts.map(shapeOf).join(', ')})`
  const { field, test } = condition.term
  const text =
    test.is === 'text'
      ? test.pattern.map((piece) => ('text' in piece ? piece.text : '*')).join('')
      : JSON.stringify(test)
  return field === 'text' ? text : `${field}=${text}`
}

/** Throws what is neither a condition nor a 400. */
function outcome(query: string): 'read' | 'rejected' {
  try {
    parseQuery(query, NOW)
    return 'read'
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 400 || error.message.length > 400) throw error
    return 'rejected'
  }
}

function failure(query: string): AppError {
  try {
    parseQuery(query, NOW)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error(`${query} was read without complaint`)
}
