import type { Queries } from '../../storage/db.ts'
import { HOUR_NS } from '../storing/rollups.ts'
import { sumTracesOfHours } from './hour-queries.ts'
import { chooseFacet, later, type PlainFilter } from './plain-filter.ts'

/** Scans in id order, or uses the index on the start time and sorts the result. */
export type ScanOrder = 'by id' | 'by start'

/**
 * A list that ends before a time must skip all later traces in id order, and skipping a million traces needs seconds.
 * The rollups contain the number of later traces and of traces within the time range; the smaller number decides.
 */
export async function chooseScan(q: Queries, workspaceId: string, plain: PlainFilter): Promise<ScanOrder> {
  const { startAfter, startBefore } = plain
  const { facet } = chooseFacet(plain)
  if (startBefore === undefined || facet?.isRare) return 'by id'
  const endHour = Number(later(startBefore, 0n) / HOUR_NS)
  const firstHour = startAfter === undefined ? undefined : Number(later(startAfter, 0n) / HOUR_NS)
  const sums = await sumTracesOfHours(q, { workspaceId, firstHour, endHour })
  const within = startAfter === undefined ? sums.ever - sums.later : sums.within
  return sums.later > within ? 'by start' : 'by id'
}
