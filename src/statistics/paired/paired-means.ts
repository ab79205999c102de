/** The difference of two means of the same items, which may belong to groups. */

import { studentUpperTail } from '../distributions.ts'
import { clusterRobustMean } from '../groups/cluster-robust-mean.ts'
import { probabilityAtLeast, probabilityAtMost, type Units } from './one-more-item.ts'
import type { PFunction } from './p-function.ts'

export type Differences = {
  /** By how much each item is better in the candidate: positive is better. At least one. */
  readonly values: Float64Array
  /** The group of each item; undefined if each item is independent of the others. */
  readonly groups?: readonly string[] | undefined
}

/** Sensitive towards 0 (`shown`), wide enough for a margin (`safe`), and sensitive on both sides. */
export type PFunctions = { readonly shown: PFunction; readonly safe: PFunction; readonly sensitive: PFunction }

type Tails = Pick<PFunction, 'below' | 'above'>

/** With fewer differing items, their size says little about what one more item could do. */
const DIFFERING_MIN = 6
/** Of more distinct values, one more changes nothing that would be shown, and t alone is used. */
const DISTINCT_MAX = 5_000

/**
 * Scores on a scale of length `range`, and yes/no values of groups or with repetitions. Two kinds of p-values, each the
 * largest of several:
 *
 * - Sensitive: t of the mean (by group if there are groups, see `clusterRobustMean`), and one more item that was not seen
 *   and changed as much as a usual one (see `one-more-item.ts`).
 * - Safe: the additional item changed as much as the largest one seen; and if none broke, up to 3 in n items may break
 *   completely (`canBreak`; not for yes/no values, where the additional item is such a breakage).
 *
 * `shown` is sensitive towards 0 and safe beyond the estimate. `safe` is safe on both sides, for margins. No rule can be
 * both: if a share q of the items falls by the whole scale and the others gain as much in sum, then (1 − q)ⁿ of all samples
 * show a pure gain, which t calls a gain.
 */
export function pairedScores(
  differences: Differences,
  { range, canBreak }: { range: number; canBreak: boolean },
): PFunctions {
  const { mean, student, units, spread, independent } = summarize(differences)
  const { differing, largest, usual } = changesOf(units)
  const [common, worst] = [usual, largest].map((reach) => oneMoreItem(units, differing < DIFFERING_MIN ? range : reach))
  const unseenBreakage = (x: number, estimate: number) => {
    if (!canBreak) return 0
    return estimate > x ? Math.max(0, (range + x) / (range + estimate)) ** independent / 2 : 1
  }
  const breakage = { below: (x: number) => unseenBreakage(x, mean), above: (x: number) => unseenBreakage(-x, -mean) }
  const sensitive = largestOf(student, common)
  const safe = largestOf(student, worst, breakage)
  const found = { estimate: mean, bounds: [-range, range] as const, spread: spread || range / (1 + independent) }
  return {
    shown: {
      ...found,
      below: mean > 0 ? sensitive.below : safe.below,
      above: mean < 0 ? sensitive.above : safe.above,
    },
    safe: { ...found, ...safe },
    sensitive: { ...found, ...sensitive },
  }
}

/** If this share of the items is unchanged, t alone is too sure of the changes of the others. */
const UNCHANGED_MIN = 0.2

/**
 * Logarithms of ratios, such as those of durations: t, and one more item where many items are unchanged. Safe: one more item
 * that changed as much as the largest one. Nothing bounds a ratio, so nothing is assumed of explosions that were not seen.
 */
export function pairedLogRatios(differences: Differences): PFunctions {
  const { mean, student, units, n, spread } = summarize(differences)
  const { differing, usual, largest, unchanged } = changesOf(units)
  const found = { estimate: mean, bounds: [-Infinity, Infinity] as const, spread: spread || usual || Math.LN2 }
  const [common, worst] = [usual, largest].map((reach) =>
    oneMoreItem(units, differing < DIFFERING_MIN ? Math.LN2 : reach),
  )
  const isSparse = unchanged >= UNCHANGED_MIN * n || spread === 0
  const shown = { ...found, ...(isSparse ? largestOf(student, common) : student) }
  return { shown, safe: { ...found, ...largestOf(shown, worst) }, sensitive: shown }
}

/** The greatest p-value of several tests, of which each must reject. */
function largestOf(...tests: (Tails | undefined)[]): Tails {
  const found = tests.filter((test) => test !== undefined)
  return {
    below: (x) => found.reduce((p, test) => Math.max(p, test.below(x)), 0),
    above: (x) => found.reduce((p, test) => Math.max(p, test.above(x)), 0),
  }
}

function oneMoreItem(units: Units, reach: number): Tails {
  if (units.counts.length > DISTINCT_MAX) return { below: () => 0, above: () => 0 }
  return {
    below: (x: number) => probabilityAtMost(x, units, reach),
    above: (x: number) => probabilityAtLeast(x, units, reach),
  }
}

function summarize({ values, groups }: Differences) {
  const n = values.length
  const robust = clusterRobustMean({ values, groups: groups ?? Array.from(values, (_, index) => String(index)) })
  if (!robust) throw new RangeError('A difference needs at least one item.')
  const { mean, standardError = 0, degreesOfFreedom, designEffect } = robust
  // Without spread there is no t; the other p-values remain.
  const tail = (distance: number) =>
    standardError === 0 ? 0 : studentUpperTail(distance / standardError, degreesOfFreedom)
  return {
    n,
    mean,
    spread: standardError,
    /** The number of items that would be worth as much if they were independent; at least the number of groups. */
    independent:
      groups === undefined || designEffect === undefined
        ? robust.groups
        : Math.min(n, Math.max(robust.groups, n / designEffect)),
    student: { below: (x: number) => tail(mean - x), above: (x: number) => tail(x - mean) },
    units: groups === undefined ? itemsOf(values) : groupsOf(values, groups),
  }
}

/**
 * Equal values are counted: scores have few distinct ones, and every p-value reads all of them. In the order of the items,
 * so that swapping the runs mirrors the result to the last digit.
 */
function itemsOf(values: Float64Array): Units {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return {
    sums: Float64Array.from(counts.keys()),
    sizes: new Float64Array(counts.size).fill(1),
    counts: Float64Array.from(counts.values()),
  }
}

function groupsOf(values: Float64Array, groups: readonly string[]): Units {
  const found = new Map<string, { sum: number; size: number }>()
  for (const [index, value] of values.entries()) {
    const group = groups[index] ?? ''
    const known = found.get(group)
    if (known) {
      known.sum += value
      known.size += 1
    } else found.set(group, { sum: value, size: 1 })
  }
  const all = [...found.values()]
  return {
    sums: Float64Array.from(all, ({ sum }) => sum),
    sizes: Float64Array.from(all, ({ size }) => size),
    counts: new Float64Array(all.length).fill(1),
  }
}

/** The changes of items, or the mean changes of groups. `usual` is the root mean square of those that are not 0. */
function changesOf({ sums, sizes, counts }: Units) {
  let [differing, largest, squares, unchanged] = [0, 0, 0, 0]
  for (const [index, sum] of sums.entries()) {
    const change = sum / (sizes[index] ?? 1)
    const count = counts[index] ?? 0
    if (change === 0) {
      unchanged += count
      continue
    }
    differing += count
    squares += count * change ** 2
    largest = Math.max(largest, Math.abs(change))
  }
  return { differing, largest, usual: Math.sqrt(squares / Math.max(1, differing)), unchanged }
}
