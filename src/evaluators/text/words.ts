/**
 * Splits texts into words. Scripts without spaces between words are split into characters, as is common for these
 * metrics.
 */
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
