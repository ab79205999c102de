/** Counts how often each text occurs. */
export function countOf(texts: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}

/** The size of the intersection of two multisets. */
export function overlap(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let common = 0
  for (const [text, count] of a) common += Math.min(count, b.get(text) ?? 0)
  return common
}

/** Removes one occurrence; returns false if none is left. */
export function takeOne(counts: Map<string, number>, text: string): boolean {
  const count = counts.get(text) ?? 0
  counts.set(text, count - 1)
  return count > 0
}
