import { sql } from 'kysely'
import type { Queries } from '../../storage/db.ts'
import { ALL_TIME, HOUR_NS } from '../storing/rollups.ts'
import { chooseFacet, later, type PlainFilter } from './plain-filter.ts'

/** Along the order of ids, or by the index on the start, which then leaves sorting to do. */
export type ScanOrder = 'by id' | 'by start'

/**
 * Where a list must end before a time, everything that began later is in the way: walking past a million traces takes seconds. The
 * sums tell how many there are, and how many began in the time that is asked for; the smaller number wins.
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
      // Without a beginning, what came later and the sum of all time tell the rest.
      startAfter === undefined
        ? or([eb('hour', '>', endHour), eb('hour', '=', ALL_TIME)])
        : eb('hour', '>=', Number(later(startAfter, 0n) / HOUR_NS)),
    )
    .executeTakeFirstOrThrow()
  const within = startAfter === undefined ? sums.ever - sums.later : sums.within
  return sums.later > within ? 'by start' : 'by id'
}
