/** Matches the entries of two lists: any with any, in order, or as counted texts. */
import type { WorkBudget } from './work-budget.ts'

const UNITS_PER_STEP = 10

type Pairs = { left: number; right: number; fits(left: number, right: number): boolean }

/**
 * Returns the size of a maximum matching between `left` and `right`, by augmenting paths (Kuhn 1955). `fits` is called
 * at most once per pair.
 */
export function matchingSize({ left, right, fits }: Pairs, budget: WorkBudget): number {
  const fitting: number[][] = []
  for (let place = 0; place < left; place += 1) {
    const others: number[] = []
    budget.spend(right * UNITS_PER_STEP)
    for (let other = 0; other < right; other += 1) if (fits(place, other)) others.push(other)
    fitting.push(others)
  }
  const matching: Matching = { owner: new Map(), given: new Map() }
  let size = 0
  for (let place = 0; place < left; place += 1) {
    if (giveOne(place, fitting, matching, budget)) size += 1
  }
  return size
}

/** The owner of each right node, and the right node of each owner. */
type Matching = { owner: Map<number, number>; given: Map<number, number> }

/** Follows the shortest augmenting path, breadth first: a path can be as long as the list. */
function giveOne(
  start: number,
  fitting: readonly (readonly number[])[],
  matching: Matching,
  budget: WorkBudget,
): boolean {
  const cameFrom = new Map<number, number>()
  const queue = [start]
  for (const place of queue) {
    for (const other of fitting[place] ?? []) {
      budget.spend(UNITS_PER_STEP)
      if (cameFrom.has(other)) continue
      cameFrom.set(other, place)
      const holder = matching.owner.get(other)
      if (holder === undefined) {
        exchange(other, start, cameFrom, matching)
        return true
      }
      queue.push(holder)
    }
  }
  return false
}

function exchange(free: number, start: number, cameFrom: Map<number, number>, { owner, given }: Matching): void {
  let thing: number | undefined = free
  while (thing !== undefined) {
    const place = cameFrom.get(thing)
    if (place === undefined) return
    const before = given.get(place)
    owner.set(thing, place)
    given.set(place, thing)
    thing = place === start ? undefined : before
  }
}

/**
 * The length of the longest common subsequence, by the table of Wagner and Fischer (1974), one row at a time. Needs
 * left × right steps.
 */
export function commonSubsequence({ left, right, fits }: Pairs, budget: WorkBudget): number {
  let above = new Uint32Array(right + 1)
  let row = new Uint32Array(right + 1)
  for (let place = 0; place < left; place += 1) {
    budget.spend(2 * right)
    for (let other = 0; other < right; other += 1) {
      const longest = fits(place, other) ? (above[other] ?? 0) + 1 : Math.max(above[other + 1] ?? 0, row[other] ?? 0)
      row[other + 1] = longest
    }
    ;[above, row] = [row, above]
  }
  return above[right] ?? 0
}

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

/**
 * Maps lists of texts to lists of numbers, where equal texts have equal numbers: comparing numbers does not depend on
 * the length of the texts.
 */
export function internTexts(...lists: readonly (readonly string[])[]): number[][] {
  const ids = new Map<string, number>()
  return lists.map((texts) =>
    texts.map((text) => {
      const id = ids.get(text) ?? ids.size
      ids.set(text, id)
      return id
    }),
  )
}
