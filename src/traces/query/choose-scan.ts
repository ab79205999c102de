import type { Queries } from '../../storage/db.ts'
import { HOUR_NS } from '../storing/rollups.ts'
import { countTracesSince, sumTracesOfHours } from './hour-queries.ts'
import { chooseFacet, later, type PlainFilter } from './plain-filter.ts'

/** Scans in id order, or uses the index on the start time and sorts the result. */
export type ScanOrder = 'by id' | 'by start'

/** With so few traces since a time, sorting them is faster than any scan by id, which ends only when a page is full. */
const FEW_TRACES = 2_000

/**
 * A list that ends before a time must skip all later traces in id order, and skipping a million traces needs seconds; so must a list from
 * the oldest trace that begins at a time. The rollups contain the number of skipped traces and of traces within the time range; the
 * smaller number decides.
 */
export async function chooseScan(
  q: Queries,
  workspaceId: string,
  plain: PlainFilter,
  direction: 'asc' | 'desc' = 'desc',
): Promise<ScanOrder> {
  const { startAfter, startBefore } = plain
  if (chooseFacet(plain).facet?.isRare) return 'by id'
  if (startBefore === undefined) {
    if (startAfter === undefined) return 'by id'
    const start = later(startAfter, 0n)
    if ((await countTracesSince(q, { workspaceId, startNs: start, limit: FEW_TRACES + 1 })) <= FEW_TRACES)
      return 'by start'
    if (direction === 'desc') return 'by id'
  }
  const endHour = startBefore === undefined ? LAST_HOUR : Number(later(startBefore, 0n) / HOUR_NS)
  const firstHour = startAfter === undefined ? undefined : Number(later(startAfter, 0n) / HOUR_NS)
  const sums = await sumTracesOfHours(q, { workspaceId, firstHour, endHour })
  const within = startAfter === undefined ? sums.ever - sums.later : sums.within
  const skipped = direction === 'desc' ? sums.later : sums.ever - sums.later - within
  return skipped > within ? 'by start' : 'by id'
}

/** Later than any time that a nanosecond column can have. */
const LAST_HOUR = 2 ** 31 - 1
