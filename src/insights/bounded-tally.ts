/**
 * Counters with bounded memory. A hundred thousand traces may name a hundred thousand tools, so only the keys that sort
 * first are kept. The kept keys do not depend on the order of arrival, and their counts are exact because a key that is
 * kept in the end was never removed.
 */
import { INSIGHT_LIMITS } from './insight-thresholds.ts'

/** Keys above the limit are pruned in batches because each pruning sorts the keys. */
const SLACK_FACTOR = 1.25

export type Tally<Count> = {
  /** The counter of a key; undefined if the key is not kept. */
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

/** The affected traces: an exact count, and the ids that sort first. */
export type Affected = {
  /** May be called repeatedly for the same trace if no other trace comes in between. */
  add(id: string): void
  count(): number
  ids(): string[]
}

/** Uses an array because a map needs five times the memory; there is one instance per name and finder. */
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

/** Sorted by count, descending. */
export function mostFrequent(tally: Tally<{ count: number }>, max: number): { text: string; count: number }[] {
  return tally
    .entries()
    .map(([text, { count }]) => ({ text, count }))
    .sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1))
    .slice(0, max)
}

// Amounts are added as integers: sums of fractions depend on the order of addition, sums of integers do not, up to 2^53.

/** The cheapest tokens cost about 10^-8 dollars, and 2^53 units are 900,000 dollars. */
const UNITS_PER_DOLLAR = 1e10

export function dollarUnits(costUsd: number): number {
  return Math.round(costUsd * UNITS_PER_DOLLAR)
}

export function dollarsOf(units: number): number {
  return units / UNITS_PER_DOLLAR
}

export function microseconds(durationMs: number): number {
  return Math.round(durationMs * 1_000)
}
