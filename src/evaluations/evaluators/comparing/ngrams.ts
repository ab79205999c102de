import { countOf } from './bags.ts'

/** How often each run of `n` words occurs. */
export function countNgrams(words: readonly string[], n: number): Map<string, number> {
  // A space cannot be in a word.
  return countOf(
    Array.from({ length: Math.max(0, words.length - n + 1) }, (_, at) => words.slice(at, at + n).join(' ')),
  )
}

/** The harmonic mean of precision and recall, from what is common to both. */
export function fMeasure(common: number, got: number, expected: number): number {
  return common === 0 ? 0 : (2 * common) / (got + expected)
}
