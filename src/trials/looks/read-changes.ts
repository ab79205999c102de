/** The changes of each candidate from the baseline in the items of the looks so far, as shares of the scale. */
import { readPages } from '../../base/event-loop.ts'
import type { Changes } from '../../statistics/sequential/futility.ts'
import { meanOf } from '../../statistics/sums.ts'
import type { Queries } from '../../storage/db.ts'
import type { TrialScope } from '../trial-queries.ts'
import { listLookCalls } from './look-queries.ts'

const CALLS_PER_PAGE = 2_000

/** The scores of the answers to an item, by the number of the variant. */
type ItemScores = Map<number, number[]>

/** By item, in the order of the calls. */
export async function readItemScores(q: Queries, of: TrialScope, until: number): Promise<Map<string, ItemScores>> {
  const items = new Map<string, ItemScores>()
  const pages = readPages((page) => listLookCalls(q, of, { ...page, until }), {
    first: 0,
    limit: CALLS_PER_PAGE,
    keyOf: ({ number }) => number,
  })
  for await (const calls of pages) {
    for (const { itemId, variant, scoreState, score } of calls) {
      const item = items.get(itemId) ?? new Map<number, number[]>()
      const scores = item.get(variant) ?? []
      if (scoreState === 'scored' && score !== null) scores.push(score)
      items.set(itemId, item.set(variant, scores))
    }
  }
  return items
}

export type CandidateChanges = Changes & {
  /** Whether all values are −1, 0 or 1. */
  readonly isYesNo: boolean
}

/** `units` are the items that count once, in the order of the looks. */
export function changesOf(
  units: readonly (readonly string[])[],
  items: ReadonlyMap<string, ItemScores>,
  { baseline, candidate }: { baseline: number; candidate: number },
): CandidateChanges {
  const changes = units.map((unit) => {
    const ofItems = unit.map((item) =>
      changeOf(items.get(item)?.get(baseline) ?? [], items.get(item)?.get(candidate) ?? []),
    )
    const counted = ofItems.filter((one) => one !== 'not counted')
    // Nothing is known of any of its items, which speaks for neither.
    if (counted.length === 0) return { value: NaN, atWorst: 0 }
    return {
      value: meanOf(counted.map(({ value }) => value)) ?? NaN,
      atWorst: meanOf(counted.map((one) => one.atWorst)) ?? 0,
    }
  })
  return {
    values: Float64Array.from(changes, ({ value }) => value),
    atWorst: Float64Array.from(changes, ({ atWorst }) => atWorst),
    isYesNo: changes.every(({ value, atWorst }) => Number.isInteger(Number.isNaN(value) ? atWorst : value)),
  }
}

/** As in comparisons: what one of the two lacks counts at its worst, and what both lack for neither. */
function changeOf(before: readonly number[], after: readonly number[]) {
  const [from, to] = [meanOf(before), meanOf(after)]
  if (from === null && to === null) return 'not counted'
  if (from === null || to === null) return { value: NaN, atWorst: (to ?? 0) - (from ?? 1) }
  return { value: to - from, atWorst: to - from }
}
