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
): { shown: PFunction; safe: PFunction; sensitive: PFunction } {
  const { mean, student, units, spread, independent } = summarize(differences)
  const { differing, largest, usual } = changesOf(units)
  const common = oneMoreItem(units, differing < DIFFERING_MIN ? range : usual)
  const worst = oneMoreItem(units, differing < DIFFERING_MIN ? range : largest)
  const unseenBreakage = (x: number, estimate: number) => {
    if (!canBreak) return 0
    return estimate > x ? Math.max(0, (range + x) / (range + estimate)) ** independent / 2 : 1
  }
  const sensitive = {
    below: (x: number) => Math.max(student.below(x), common.below(x)),
    above: (x: number) => Math.max(student.above(x), common.above(x)),
  }
  const safe = {
    below: (x: number) => Math.max(student.below(x), worst.below(x), unseenBreakage(x, mean)),
    above: (x: number) => Math.max(student.above(x), worst.above(x), unseenBreakage(-x, -mean)),
  }
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

/** Logarithms of ratios, such as those of durations: t, and one more item where many items are unchanged. */
export function pairedLogRatios(differences: Differences): PFunction {
  const { mean, student, units, n, spread } = summarize(differences)
  const { differing, usual, unchanged } = changesOf(units)
  const found = { estimate: mean, bounds: [-Infinity, Infinity] as const, spread: spread || usual || Math.LN2 }
  if (unchanged < UNCHANGED_MIN * n && spread > 0) return { ...found, below: student.below, above: student.above }
  const unseen = oneMoreItem(units, differing < DIFFERING_MIN ? Math.LN2 : usual)
  return {
    ...found,
    below: (x) => Math.max(student.below(x), unseen.below(x)),
    above: (x) => Math.max(student.above(x), unseen.above(x)),
  }
}

function oneMoreItem(units: Units, reach: number) {
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
