/**
 * Finds the newest traces within a time range without scanning all of them. Traces are ordered by id but filtered by
 * start time; traces that started in the last hours usually have the newest ids. The newest id of each hour is stored,
 * so the caller can determine when the last hours are sufficient, and late traces are never missed.
 */
import type { Queries } from '../../storage/db.ts'
import { HOUR_NS } from '../storing/rollup-queries.ts'
import { findNewestIdBetween, hasHourAfter, listNewestHours } from './hour-queries.ts'
import { later, type PlainFilter } from './plain-filter.ts'

/** The numbers of hours to search, one after the other. */
const HOUR_COUNTS = [1, 4, 16, 64]

/** The start of the hours to search, and the newest id before them; empty if there is none. */
type LastHours = { from: bigint; newestBefore: string }

/**
 * Returns increasing ranges of the last hours before `startBefore`. Empty if no trace started later, because then there
 * is nothing to skip.
 */
export async function lastHours(q: Queries, workspaceId: string, plain: PlainFilter): Promise<LastHours[]> {
  const startBefore = later(plain.startBefore, 1n)
  const firstHour = Number(later(plain.startAfter, 0n) / HOUR_NS)
  const lastHour = Number((startBefore - 1n) / HOUR_NS)
  if (!(await hasHourAfter(q, workspaceId, lastHour))) return []
  const hours = await listNewestHours(q, { workspaceId, firstHour, lastHour, limit: Math.max(...HOUR_COUNTS) })
  const earliest = hours.at(-1)
  // No trace started in this range; a single index lookup finds that.
  if (!earliest) return [{ from: BigInt(firstHour) * HOUR_NS, newestBefore: '' }]
  let newestBefore = await findNewestIdBetween(q, { workspaceId, firstHour, endHour: earliest.hour })
  const parts: LastHours[] = []
  for (const [index, { hour, newestId }] of [...hours.entries()].toReversed()) {
    if (HOUR_COUNTS.includes(index + 1) || index === hours.length - 1)
      parts.unshift({ from: BigInt(hour) * HOUR_NS, newestBefore })
    if (newestId > newestBefore) newestBefore = newestId
  }
  return parts
}
