/**
 * Positions from 0 to count − 1 in a random order that is the same for the same seed. A person who judges the first twenty has
 * judged a random sample of all: in the order of the comparison, they would all be regressions.
 */
export function drawOrder(count: number, seed: string): number[] {
  const random = randomNumbers(seed)
  const order = Array.from({ length: count }, (_, index) => index)
  for (let last = count - 1; last > 0; last -= 1) {
    const drawn = Math.floor(random() * (last + 1))
    const [one, other] = [order[last] ?? 0, order[drawn] ?? 0]
    order[last] = other
    order[drawn] = one
  }
  return order
}

/** Numbers from 0 to 1 (mulberry32), seeded with an FNV-1a hash. */
function randomNumbers(seed: string): () => number {
  let state = 2166136261
  for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 16777619)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
