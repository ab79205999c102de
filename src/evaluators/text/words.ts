/**
 * Splits texts into words, and counts the runs of words that two texts have in common. Scripts without spaces between words are split into characters, as is common for these
 * metrics.
 */

import { internTexts } from '../match-lists.ts'
import { foldCase, plain } from './plain-text.ts'

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu

/** Letters and digits in lower case like the `rouge_score` package, but for all scripts. No stemming. */
export function rougeWords(text: string): string[] {
  return split(foldCase(plain(text)).replace(/[^\p{L}\p{M}\p{N}]+/gu, ' '))
}

/**
 * The normalization of SQuAD: lower case, then no punctuation, then no English articles. Punctuation is that of ASCII,
 * as in the original, and that of all scripts, as in its multilingual successor MLQA.
 */
export function squadWords(text: string): string[] {
  const bare = foldCase(plain(text)).replace(/[!-/:-@[-`{-~\p{P}]+/gu, '')
  return split(bare).filter((word) => !ARTICLES.has(word))
}

const ARTICLES = new Set(['a', 'an', 'the'])

/** The tokens of `mteval-v13a`, the tokenizer of published BLEU scores: words, numbers and marks. Case is preserved. */
export function bleuTokens(text: string): string[] {
  const marked = ` ${plain(text)} `
    .replace(/([{-~[-` -&(-+:-@/])/g, ' $1 ')
    .replace(/([^0-9])([.,])/g, '$1 $2 ')
    .replace(/([.,])([^0-9])/g, ' $1 $2')
    .replace(/([0-9])(-)/g, '$1 $2 ')
  return split(marked)
}

function split(text: string): string[] {
  return text
    .replace(UNSPACED, ' $& ')
    .split(/\s+/)
    .filter((word) => word !== '')
}

/** Work units per word and order. */
export const NGRAM_UNITS = 40

/**
 * For n-grams of one up to `orders` words, returns the size of the intersection of both multisets. N-grams are
 * numbered: the next longer one is a pair of numbers, so no text is built for it.
 */
export function commonNgrams(got: readonly string[], wanted: readonly string[], orders: number): number[] {
  const [gotWords = [], wantedWords = []] = internTexts(got, wanted)
  const wordsMax = gotWords.length + wantedWords.length
  const common: number[] = []
  let [gotRuns, wantedRuns] = [gotWords, wantedWords]
  for (let n = 1; n <= orders; n += 1) {
    if (n > 1) {
      const ids = new Map<number, number>()
      gotRuns = longer(gotRuns, gotWords.slice(n - 1), { ids, wordsMax })
      wantedRuns = longer(wantedRuns, wantedWords.slice(n - 1), { ids, wordsMax })
    }
    common.push(overlapOf(gotRuns, wantedRuns))
  }
  return common
}

function longer(
  runs: readonly number[],
  nextWords: readonly number[],
  { ids, wordsMax }: { ids: Map<number, number>; wordsMax: number },
): number[] {
  return nextWords.map((word, place) => {
    const pair = (runs[place] ?? 0) * wordsMax + word
    const id = ids.get(pair) ?? ids.size
    ids.set(pair, id)
    return id
  })
}

function overlapOf(a: readonly number[], b: readonly number[]): number {
  const counts = new Int32Array(a.length + b.length)
  for (const id of a) counts[id] = (counts[id] ?? 0) + 1
  let common = 0
  for (const id of b) {
    const left = counts[id] ?? 0
    if (left > 0) common += 1
    counts[id] = left - 1
  }
  return common
}

/** The harmonic mean of precision and recall. */
export function fMeasure(common: number, got: number, expected: number): number {
  return common === 0 ? 0 : (2 * common) / (got + expected)
}
