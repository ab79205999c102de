/** Measures with published definitions, against published values and against computations by hand. */
import { distance } from 'fastest-levenshtein'
import { describe, expect, it } from 'vitest'
import { scoreOf, verdictOf } from './verdict-of.ts'

describe('levenshtein', () => {
  it.each([
    ['kitten', 'sitting', 1 - 3 / 7],
    ['', 'abc', 0],
    ['abc', '', 0],
    ['', '', 1],
    ['abc', 'abd', 2 / 3],
    ['flaw', 'lawn', 1 / 2],
    ['👍', '👎', 0],
    ['a👍', 'a👎', 1 / 2],
  ])('of %j and %j is %d', (output, expected, score) => {
    expect(scoreOf({ type: 'levenshtein' }, { output, expected })).toBeCloseTo(score, 12)
  })

  it('of texts without such characters is the distance of the library, through all of its code', () => {
    const a = 'The quick brown fox jumps over the lazy dog. '.repeat(20)
    const b = 'The quick brown cat jumps under the lazy dogs. '.repeat(19)
    const expected = 1 - distance(a, b) / Math.max(a.length, b.length)
    expect(scoreOf({ type: 'levenshtein' }, { output: a, expected: b })).toBeCloseTo(expected, 12)
  })

  it('compares texts of up to 10,000 characters', () => {
    const longest = 'x'.repeat(10_000)
    expect(scoreOf({ type: 'levenshtein' }, { output: longest, expected: `y${longest.slice(1)}` })).toBe(0.9999)
    expect(verdictOf({ type: 'levenshtein' }, { output: `${longest}x`, expected: longest }).state).toBe('skipped')
  })

  it('sets passed only with a configured threshold', () => {
    const input = { output: 'abcd', expected: 'abcx' }
    expect(verdictOf({ type: 'levenshtein' }, input)).not.toHaveProperty('passed')
    expect(verdictOf({ type: 'levenshtein', passAt: 0.75 }, input)).toMatchObject({ passed: true, score: 0.75 })
    expect(verdictOf({ type: 'levenshtein', passAt: 0.76 }, input)).toMatchObject({ passed: false })
  })
})

describe('tokenF1', () => {
  /** By the definition in the official script of SQuAD 2.0: harmonic mean of precision and recall of the words that are left. */
  it.each([
    ['the cat sat on the mat', 'a cat', (2 * (1 / 4) * 1) / (1 / 4 + 1)],
    ['Denver Broncos', 'The Denver Broncos!', 1],
    ['in the year 1066', '1066', (2 * (1 / 3) * 1) / (1 / 3 + 1)],
    ['U.S.A.', 'usa', 1],
    ['cat cat cat', 'cat', (2 * (1 / 3) * 1) / (1 / 3 + 1)],
    ['theatre', 'the atre', 0],
    ['', '', 1],
    ['', 'Paris', 0],
    ['the', 'a', 1],
    ['Paris', '', 0],
  ])('of %j and %j is %d', (output, expected, score) => {
    expect(scoreOf({ type: 'tokenF1' }, { output, expected })).toBeCloseTo(score, 12)
  })

  it('counts characters for scripts without spaces, and drops the punctuation of all scripts', () => {
    expect(scoreOf({ type: 'tokenF1' }, { output: '東京都。', expected: '東京' })).toBeCloseTo(0.8, 12)
    expect(scoreOf({ type: 'tokenF1' }, { output: '«Париж»', expected: 'париж' })).toBe(1)
  })
})

describe('rougeL', () => {
  it.each([
    // Lin 2004, section 3.1: all share words with the reference, but only the first in their order.
    ['police kill the gunman', 'police killed the gunman', 3 / 4],
    ['the gunman kill police', 'police killed the gunman', 2 / 4],
    ['the gunman police killed', 'police killed the gunman', 2 / 4],
    // A test of the `rouge_score` package.
    ['testing one two', 'testing', 0.5],
    // Lin 2004, section 3.2.
    ['w1 w2 w6 w7 w8', 'w1 w2 w3 w4 w5', 2 / 5],
    ['w1 w3 w8 w9 w5', 'w1 w2 w3 w4 w5', 3 / 5],
    ['Paris!', 'paris', 1],
    ['', 'paris', 0],
    ['!!!', '???', 0],
  ])('of %j and %j is %d', (output, expected, score) => {
    expect(scoreOf({ type: 'rougeL' }, { output, expected })).toBeCloseTo(score, 12)
  })

  it('compares texts of up to 3,000 words', () => {
    const words = Array.from({ length: 3_000 }, (_, place) => `w${place}`)
    const half = words.filter((_, place) => place % 2 === 0)
    const score = scoreOf({ type: 'rougeL' }, { output: words.join(' '), expected: half.join(' ') })
    expect(score).toBeCloseTo((2 * 1_500) / 4_500, 12)
  })
})

describe('rougeN', () => {
  it.each([
    [1, 'testing one two', 'testing', 0.5],
    [1, 'the gunman kill police', 'police killed the gunman', 3 / 4],
    [2, 'the gunman kill police', 'police killed the gunman', 1 / 3],
    [2, 'police kill the gunman', 'police killed the gunman', 1 / 3],
    [2, 'a', 'a', 1],
    [2, 'a', 'b', 0],
    [2, 'a', 'a b', 0],
  ])('with n = %d of %j and %j is %d', (n, output, expected, score) => {
    expect(scoreOf({ type: 'rougeN', n }, { output, expected })).toBeCloseTo(score, 12)
  })
})

describe('bleu', () => {
  const reference = 'It is a guide to action that ensures that the military will forever heed Party commands'

  it('of the message in the documentation of NLTK is 0.4118', () => {
    const output = 'It is a guide to action which ensures that the military always obeys the commands of the party'
    const verdict = verdictOf({ type: 'bleu' }, { output, expected: reference })
    expect(verdict).toMatchObject({ details: { precisions: [11 / 18, 8 / 17, 6 / 16, 4 / 15], brevityPenalty: 1 } })
    expect(scoreOf({ type: 'bleu' }, { output, expected: reference })?.toFixed(4)).toBe('0.4118')
  })

  it('takes half of one, then a quarter, for orders without a match (exponential smoothing)', () => {
    // Of 5 words 4 are expected, of 4 pairs 1; no run of three or four: 1/(2·3) and 1/(4·2).
    const verdict = scoreOf({ type: 'bleu' }, { output: 'a b x c d', expected: 'a b c y d' })
    expect(verdict).toBeCloseTo(((4 / 5) * (1 / 4) * (1 / 6) * (1 / 8)) ** (1 / 4), 12)
  })

  it('excludes the orders for which the output is too short, and applies the brevity penalty', () => {
    const { score, details } = {
      score: 0,
      details: {},
      ...verdictOf({ type: 'bleu' }, { output: 'the cat', expected: 'the cat sat' }),
    }
    expect(details).toEqual({ precisions: [1, 1], brevityPenalty: Math.exp(1 - 3 / 2) })
    expect(score).toBeCloseTo(Math.exp(-0.5), 12)
  })

  it('is 0 without a word in common, and for an empty output', () => {
    expect(scoreOf({ type: 'bleu' }, { output: 'x y z', expected: 'a b c' })).toBe(0)
    expect(scoreOf({ type: 'bleu' }, { output: '', expected: 'a b c' })).toBe(0)
    expect(scoreOf({ type: 'bleu' }, { output: 'a b c', expected: '' })).toBe(0)
  })

  it('splits texts into the tokens of 13a: punctuation separately, numbers whole', () => {
    const tokens = ['Hello', ',', 'world', '!', 'It', "isn't", '1,234.5', '(', 'x', ')', '10', '-', '20', '.']
    const verdict = verdictOf(
      { type: 'bleu' },
      { output: "Hello, world! It isn't 1,234.5 (x) 10-20.", expected: tokens.join(' ') },
    )
    expect(verdict).toMatchObject({ score: 1 })
  })

  it('is case-sensitive by default', () => {
    const input = { output: reference.toUpperCase(), expected: reference }
    expect(scoreOf({ type: 'bleu' }, input)).toBe(0)
    expect(scoreOf({ type: 'bleu', ignoreCase: true }, input)).toBe(1)
  })
})
