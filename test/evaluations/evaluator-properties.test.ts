import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readEvaluators } from '../../src/evaluators/read-evaluators.ts'
import { GUIDE_EXAMPLES } from './guide-examples.ts'
import { scoreOf, traceWith, verdictOf } from './verdict-of.ts'

/** Every evaluator that reads texts or steps, as the guide shows it, and with options that leave it something to decide. */
const ENTRIES: Record<string, unknown>[] = [
  ...GUIDE_EXAMPLES.filter((example) => {
    const [evaluator] = readEvaluators([example])
    return evaluator?.needs.some((need) => need === 'output' || need === 'steps')
  }),
  { type: 'exactMatch' },
  { type: 'exactMatch', trim: true, ignoreCase: true },
  { type: 'exactMatch', path: 'a.b' },
  { type: 'contains' },
  { type: 'contains', ignoreCase: true, not: true },
  { type: 'containsAny', values: ['a', 'é'] },
  { type: 'containsAll', values: ['a', 'é'], ignoreCase: true },
  { type: 'regex', pattern: '(a+)+$', ignoreCase: true },
  { type: 'jsonValid' },
  { type: 'jsonSchema', schema: { type: 'object', properties: { a: { type: 'string', pattern: '^(a|aa)+$' } } } },
  { type: 'jsonEqual' },
  { type: 'jsonEqual', ignoreOrder: true, subset: true },
  { type: 'numeric', relative: 0.1 },
  { type: 'numeric', find: 'last' },
  { type: 'levenshtein' },
  { type: 'tokenF1', passAt: 0.5 },
  { type: 'rougeL' },
  { type: 'rougeN', n: 2 },
  { type: 'bleu' },
  { type: 'length', maxCharacters: 5, minWords: 1 },
  { type: 'f1' },
  { type: 'f1', path: 'a' },
  { type: 'toolCalls' },
  { type: 'trajectory', match: 'exact' },
]

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '\uD800',
    '',
    ' ',
    '\r\n',
    'the',
    '!!!',
    '-',
    '1e999',
    '[',
    '\0',
    '{"a":"\\ud800\\u0000"}',
    '{"a":{"b":1}}',
    '__proto__',
  ),
  fc.json(),
  fc.lorem(),
)

describe.each(ENTRIES.map((entry) => [JSON.stringify(entry), entry] as const))('%s', (_, entry) => {
  it('gives any two texts a verdict: a score from 0 to 1, or a reason why there is none, in texts that can be stored', () => {
    fc.assert(
      fc.property(text, text, (output, expected) => {
        const verdict = verdictOf(entry, { output, expected, ...traceWith([{ name: 'a' }]) })
        if (verdict.state !== 'scored') {
          expect(verdict).toEqual({ state: 'skipped', reason: expect.stringMatching(/\S/) })
          return
        }
        expect(verdict.score).toBeGreaterThanOrEqual(0)
        expect(verdict.score).toBeLessThanOrEqual(1)
        expect(verdict.reason?.length ?? 0).toBeLessThan(1_500)
        const stored = [verdict.reason, verdict.label, ...Object.values(verdict.details ?? {})].join()
        expect(stored).not.toMatch(/[\n\0]/)
        expect(stored.isWellFormed()).toBe(true)
      }),
    )
  })

  it('skips a case without the fields that it reads, with the reason', () => {
    const verdict = verdictOf(entry, {})
    expect(verdict).toEqual({ state: 'skipped', reason: expect.stringMatching(/there is no|has no|not arrived/) })
  })
})

const SIMILARITIES = ['exactMatch', 'levenshtein', 'tokenF1', 'rougeL', 'rougeN', 'bleu', 'f1']

describe.each(SIMILARITIES)('%s', (type) => {
  it('is 1 for a text and itself', () => {
    fc.assert(
      fc.property(text, (same) => {
        expect(scoreOf({ type }, { output: same, expected: same })).toBe(1)
      }),
    )
  })

  it('is 1 for texts that differ only in how letters are composed and lines are ended', () => {
    const pairs = [
      ['caf\u00e9 au lait', 'cafe\u0301 au lait'],
      ['one two\nthree', 'one two\r\nthree'],
    ]
    for (const [output = '', expected = ''] of pairs) expect(scoreOf({ type }, { output, expected })).toBe(1)
  })
})

describe.each(SIMILARITIES.filter((type) => type !== 'bleu'))('%s', (type) => {
  it('does not care which text is the expected one', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(scoreOf({ type }, { output: a, expected: b })).toBe(scoreOf({ type }, { output: b, expected: a }))
      }),
    )
  })
})

describe('a text of 1 MB', () => {
  const long = 'word '.repeat(200_000)

  it.each([
    ['levenshtein', /longer than 10000 characters/],
    ['rougeL', /longer than 3000 words|too large for rougeL/],
    ['rougeN', /longer than 20000 words|too large for rougeN/],
    ['bleu', /longer than 20000 words|too large for bleu/],
  ])('is skipped by %s, whose work would block the server, even if it is the expected one', (type, reason) => {
    for (const input of [
      { output: long, expected: 'word' },
      { output: 'word', expected: long },
      { output: long, expected: long },
    ]) {
      expect(verdictOf({ type }, input)).toEqual({ state: 'skipped', reason: expect.stringMatching(reason) })
    }
  })

  it('is still scored by evaluators with linear time', () => {
    for (const type of ['exactMatch', 'contains', 'f1']) {
      expect(scoreOf({ type }, { output: long, expected: long })).toBe(1)
    }
    expect(scoreOf({ type: 'tokenF1' }, { output: long, expected: 'word' })).toBeGreaterThan(0)
    expect(scoreOf({ type: 'length', maxWords: 200_000 }, { output: long })).toBe(1)
    expect(scoreOf({ type: 'jsonValid' }, { output: JSON.stringify([long]) })).toBe(1)
  })
})
