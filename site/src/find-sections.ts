/** Which sections a search finds: those that contain all of its words, the most specific first. */

/** A section of a page, as `search.json` lists it. */
export type SearchedSection = { address: string; page: string; heading: string; text: string }

const RESULTS_MAX = 20

export function findSections(sections: readonly SearchedSection[], query: string): SearchedSection[] {
  const words = wordsOf(query)
  if (words.length === 0) return []
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, RESULTS_MAX)
    .map(({ section }) => section)
}

/** 0 if a word is missing. A word of the heading counts more than of the page, and that more than of the text. */
function scoreOf({ page, heading, text }: SearchedSection, words: readonly string[]): number {
  let score = 0
  for (const word of words) {
    const found = weightIn(heading, word, 20) + weightIn(page, word, 8) + weightIn(text, word, 4)
    if (found === 0) return 0
    score += found
  }
  return score
}

/** Half for a word that only contains the searched one; a little more for each repetition, up to a limit. */
function weightIn(text: string, word: string, weight: number): number {
  const found = text.toLowerCase().split(word).length - 1
  if (found === 0) return 0
  const isStart = new RegExp(String.raw`(?<![\p{L}\p{N}])${escaped(word)}`, 'iu').test(text)
  return (isStart ? weight : weight / 2) + Math.min(found, 4) / 4
}

export type SnippetPart = { text: string; isMatch: boolean }

const SNIPPET_LENGTH = 160

/** The part of a text around the first match, with all matches marked. */
export function snippetOf(text: string, query: string): SnippetPart[] {
  const words = wordsOf(query)
  if (words.length === 0) return [{ text: text.slice(0, SNIPPET_LENGTH), isMatch: false }]
  const pattern = new RegExp(`(${words.map(escaped).join('|')})`, 'iu')
  const first = pattern.exec(text)?.index ?? 0
  const start = first < SNIPPET_LENGTH / 2 ? 0 : text.lastIndexOf(' ', first - SNIPPET_LENGTH / 4) + 1
  const part = `${start > 0 ? '… ' : ''}${text.slice(start, start + SNIPPET_LENGTH)}${start + SNIPPET_LENGTH < text.length ? ' …' : ''}`
  return part
    .split(new RegExp(pattern.source, 'giu'))
    .map((piece, index) => ({ text: piece, isMatch: index % 2 === 1 }))
    .filter(({ text: piece }) => piece !== '')
}

function wordsOf(query: string): string[] {
  return query.toLowerCase().split(/\s+/).filter(Boolean)
}

/** `RegExp.escape`, which not all supported browsers have. */
function escaped(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
