import { sql } from 'kysely'
import type { Queries } from '../../storage/db.ts'
import { ALL_TIME, HOUR_NS } from '../storing/rollups.ts'
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
  const sums = await q
    .selectFrom('trace_rollups')
    .select([
      sql<number>`cast(coalesce(sum(case when hour between 0 and ${endHour} then traces end), 0) as bigint)`.as(
        'within',
      ),
      sql<number>`cast(coalesce(sum(case when hour > ${endHour} then traces end), 0) as bigint)`.as('later'),
      sql<number>`cast(coalesce(sum(case when hour = ${ALL_TIME} then traces end), 0) as bigint)`.as('ever'),
    ])
    .where('workspace_id', '=', workspaceId)
    .where(({ eb, or }) =>
      // Without a start time, the later traces and the all-time sum are sufficient.
      startAfter === undefined
        ? or([eb('hour', '>', endHour), eb('hour', '=', ALL_TIME)])
        : eb('hour', '>=', Number(later(startAfter, 0n) / HOUR_NS)),
    )
    .executeTakeFirstOrThrow()
  const within = startAfter === undefined ? sums.ever - sums.later : sums.within
  return sums.later > within ? 'by start' : 'by id'
}
