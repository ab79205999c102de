import { nextRandom, seededRandom } from '../random/seeded-random.ts'

/**
 * The items in a random order that only the seed determines: a look reads the first ones, which are
 * then a random sample. Items of one group stay together, because a group counts once.
 */
export function seededOrder(
  itemIds: readonly string[],
  { seed, groupOf = (itemId) => itemId }: { seed: string; groupOf?: ((itemId: string) => string) | undefined },
): string[] {
  const groups = Array.from(Map.groupBy(itemIds.toSorted(), groupOf)).sort(([a], [b]) => (a < b ? -1 : 1))
  const random = seededRandom(seed)
  for (let index = groups.length - 1; index > 0; index -= 1) {
    const drawn = Math.floor(nextRandom(random) * (index + 1))
    const [one, other] = [groups[index], groups[drawn]]
    if (one && other) [groups[index], groups[drawn]] = [other, one]
  }
  return groups.flatMap(([, items]) => items)
}

const LOOKS = 10
/** With fewer items no verdict is given, however clear they are. */
const ITEMS_MIN = 10

/** The numbers of items, or of groups if there are any, after which there is a look: each tenth, or another part, from ten on. */
export function lookSizes(items: number, looks = LOOKS): number[] {
  const sizes = Array.from({ length: looks }, (_, look) => Math.round((items * (look + 1)) / looks))
  return [...new Set(sizes)].filter((size) => size >= ITEMS_MIN)
}
