/**
 * Pairs of texts that are nearly the same: at least 85 % of the groups of three characters that occur in one of them occur
 * in both (Jaccard similarity), without regard to case and punctuation.
 *
 * Two such texts share one of the rarest groups of each, so only these are looked up (prefix filtering: Bayardo, Ma &
 * Srikant (2007), Scaling up all pairs similarity search, WWW). A text is compared with a bounded number of others, and
 * only until one is found, so that thousands of texts of one template need little time, too.
 */
import { pauseAfter } from '../base/event-loop.ts'

export const SIMILARITY_MIN = 0.85
/** Of each text: the beginning says enough, and memory is bounded. */
export const COMPARED_LENGTH_MAX = 1_000
const GRAM_LENGTH = 3
/** Shorter texts, such as "yes", have too few groups to compare. */
const GRAMS_MIN = 8
const CANDIDATES_MAX = 200
const LOOKUPS_MAX = 5_000
const BLOCKED_MS_MAX = 10

export type ComparedText = { id: string; text: string }
/** The item and an earlier one of the list that it resembles. */
export type SimilarPair = { id: string; similarTo: string; similarity: number }

/** In order of the list. The result depends on nothing but the list. */
export async function findSimilarPairs(texts: readonly ComparedText[]): Promise<SimilarPair[]> {
  const pause = pauseAfter(BLOCKED_MS_MAX)
  const numbers = new Map<string, number>()
  const sets: { position: number; grams: Uint32Array }[] = []
  for (const [position, { text }] of texts.entries()) {
    const grams = gramsOf(text, numbers)
    if (grams.length >= GRAMS_MIN) sets.push({ position, grams })
    await pause()
  }
  const ranks = rankByRarity(sets, numbers.size)
  for (const { grams } of sets) {
    for (const [at, gram] of grams.entries()) grams[at] = ranks[gram] ?? 0
    grams.sort()
  }
  // From short to long: a text is only compared with those before it, which are not longer.
  sets.sort((a, b) => a.grams.length - b.grams.length || a.position - b.position)
  const pairs: { first: number; second: number; similarity: number }[] = []
  const index = new Map<number, number[]>()
  for (const [at, { grams, position }] of sets.entries()) {
    const found = findSimilar(sets, index, grams)
    const other = found && sets[found.at]
    if (found && other) {
      const [first, second] = [position, other.position].sort((a, b) => a - b)
      pairs.push({ first: first ?? 0, second: second ?? 0, similarity: found.similarity })
    }
    for (const gram of prefixOf(grams)) {
      const posting = index.get(gram)
      if (posting) posting.push(at)
      else index.set(gram, [at])
    }
    await pause()
  }
  return pairs
    .sort((a, b) => a.second - b.second || a.first - b.first)
    .map(({ first, second, similarity }) => ({
      id: texts[second]?.id ?? '',
      similarTo: texts[first]?.id ?? '',
      similarity: Math.round(similarity * 1_000) / 1_000,
    }))
}

function findSimilar(sets: readonly { grams: Uint32Array }[], index: Map<number, number[]>, grams: Uint32Array) {
  const seen = new Set<number>()
  let lookups = 0
  for (const gram of prefixOf(grams)) {
    for (const at of index.get(gram) ?? []) {
      lookups += 1
      if (lookups > LOOKUPS_MAX || seen.size >= CANDIDATES_MAX) return undefined
      const other = sets[at]?.grams
      if (!other || seen.has(at) || other.length < SIMILARITY_MIN * grams.length) continue
      seen.add(at)
      const similarity = jaccard(grams, other)
      if (similarity >= SIMILARITY_MIN) return { at, similarity }
    }
  }
  return undefined
}

/** The rarest groups of a text. Of two texts with the least similarity or more, at least one is in both. */
function prefixOf(grams: Uint32Array): Uint32Array {
  return grams.subarray(0, grams.length - Math.ceil(SIMILARITY_MIN * grams.length) + 1)
}

function jaccard(a: Uint32Array, b: Uint32Array): number {
  let common = 0
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [x = 0, y = 0] = [a[i], b[j]]
    if (x === y) common += 1
    if (x <= y) i += 1
    if (y <= x) j += 1
  }
  return common / (a.length + b.length - common)
}

/** By group: its place among all, from the rarest to the most frequent. */
function rankByRarity(sets: readonly { grams: Uint32Array }[], size: number): Uint32Array {
  const counts = new Uint32Array(size)
  for (const { grams } of sets) for (const gram of grams) counts[gram] = (counts[gram] ?? 0) + 1
  const order = Uint32Array.from({ length: size }, (_, gram) => gram)
  order.sort((a, b) => (counts[a] ?? 0) - (counts[b] ?? 0) || a - b)
  const ranks = new Uint32Array(size)
  for (const [rank, gram] of order.entries()) ranks[gram] = rank
  return ranks
}

function gramsOf(text: string, numbers: Map<string, number>): Uint32Array {
  const plain = text
    .slice(0, 2 * COMPARED_LENGTH_MAX)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .slice(0, COMPARED_LENGTH_MAX)
  const grams = new Set<number>()
  for (let at = 0; at + GRAM_LENGTH <= plain.length; at += 1) {
    const gram = plain.slice(at, at + GRAM_LENGTH)
    const number = numbers.get(gram) ?? numbers.size
    numbers.set(gram, number)
    grams.add(number)
  }
  return Uint32Array.from(grams)
}
