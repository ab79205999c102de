import { internTexts } from '../intern-texts.ts'

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
