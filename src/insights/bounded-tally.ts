/**
 * Counting with bounds. A hundred thousand traces may name a hundred thousand tools, so what is counted apart is limited: the keys that
 * come first in their own order stay. Which ones these are does not depend on the order in which they arrive, and what is counted for
 * them is exact, because a key that stays in the end has never been away.
 */
import { INSIGHT_LIMITS } from './insight-thresholds.ts'

/** Keys above the limit are thinned out only every so often: each time costs sorting. */
const SLACK_FACTOR = 1.25

export type Tally<Count> = {
  /** What is counted for a key; undefined if the key is beyond what is kept. */
  of(key: string): Count | undefined
  entries(): [string, Count][]
}

export function createTally<Count>(keysMax: number, createCount: () => Count): Tally<Count> {
  const counts = new Map<string, Count>()
  let last: string | undefined
  const prune = () => {
    const keys = [...counts.keys()].sort()
    for (const key of keys.splice(keysMax)) counts.delete(key)
    last = keys.at(-1)
  }
  return {
    of(key) {
      const known = counts.get(key)
      if (known !== undefined) return known
      if (last !== undefined && key > last) return undefined
      const added = createCount()
      counts.set(key, added)
      if (counts.size <= keysMax * SLACK_FACTOR) return added
      prune()
      return counts.get(key)
    },
    entries() {
      if (counts.size > keysMax) prune()
      return [...counts]
    },
  }
}

/** The traces that something was found in: an exact count, and the ids that come first. */
export type Affected = {
  /** May be called many times for a trace, as long as no other comes between. */
  add(id: string): void
  count(): number
  ids(): string[]
}

/** A list and no map, which would take five times the memory; there is one of these for every name of every finder. */
export function createAffected(): Affected {
  const { affectedIds: idsMax } = INSIGHT_LIMITS
  const ids: string[] = []
  let last: string | undefined
  let count = 0
  let latest: string | undefined
  const prune = () => {
    ids.sort()
    if (ids.length <= idsMax) return
    ids.length = idsMax
    last = ids.at(-1)
  }
  return {
    add(id) {
      if (id === latest) return
      latest = id
      count += 1
      if (last !== undefined && id > last) return
      ids.push(id)
      if (ids.length > idsMax * SLACK_FACTOR) prune()
    },
    count: () => count,
    ids() {
      prune()
      return [...ids]
    },
  }
}

/** Counts by text, most first. */
export function mostFrequent(tally: Tally<{ count: number }>, max: number): { text: string; count: number }[] {
  return tally
    .entries()
    .map(([text, { count }]) => ({ text, count }))
    .sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1))
    .slice(0, max)
}
