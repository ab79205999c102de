/** How texts are cut into words. Scripts that put no space between words are cut into characters, as is usual for these measures. */
import { foldCase, plain } from './plain-text.ts'

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu

/** Letters and digits in lower case, as the `rouge_score` package has them, but of all scripts. Without stemming. */
export function rougeWords(text: string): string[] {
  return split(foldCase(plain(text)).replace(/[^\p{L}\p{M}\p{N}]+/gu, ' '))
}

/**
 * The normalisation of SQuAD: lower case, then without punctuation, then without English articles. Punctuation is that of ASCII,
 * as in the original, and that of all scripts, as in its multilingual successor MLQA.
 */
export function squadWords(text: string): string[] {
  const bare = foldCase(plain(text)).replace(/[!-/:-@[-`{-~\p{P}]+/gu, '')
  return split(bare).filter((word) => !ARTICLES.has(word))
}

const ARTICLES = new Set(['a', 'an', 'the'])

/** The tokens of `mteval-v13a`, which published BLEU scores use: words, numbers and marks. Case stays. */
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
