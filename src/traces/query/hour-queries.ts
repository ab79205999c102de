/** What is stored per hour of start times: the newest trace, and the number of traces. And counts by start time. */
import { sql } from 'kysely'
import type { Queries } from '../../storage/db.ts'
import { selectScoped } from '../../storage/query-building.ts'
import { ALL_TIME } from '../storing/rollup-queries.ts'

export async function hasHourAfter(q: Queries, workspaceId: string, hour: number): Promise<boolean> {
  const [next] = await hoursOf(q, workspaceId).select('hour').where('hour', '>', hour).limit(1).execute()
  return next !== undefined
}

/** The hours from `firstHour` to `lastHour` in which traces started, latest first. */
export async function listNewestHours(
  q: Queries,
  {
    workspaceId,
    firstHour,
    lastHour,
    limit,
  }: { workspaceId: string; firstHour: number; lastHour: number; limit: number },
): Promise<{ hour: number; newestId: string }[]> {
  return hoursOf(q, workspaceId)
    .where('hour', '>=', firstHour)
    .select(['hour', 'newest_id as newestId'])
    .where('hour', '<=', lastHour)
    .orderBy('hour', 'desc')
    .limit(limit)
    .execute()
}

/** The newest id of the hours from `firstHour` until `endHour`; empty if there is none. */
export async function findNewestIdBetween(
  q: Queries,
  { workspaceId, firstHour, endHour }: { workspaceId: string; firstHour: number; endHour: number },
): Promise<string> {
  const [newest] = await hoursOf(q, workspaceId)
    .where('hour', '>=', firstHour)
    .select(sql<string | null>`max(newest_id)`.as('newestId'))
    .where('hour', '<', endHour)
    .execute()
  return newest?.newestId ?? ''
}

function hoursOf(q: Queries, workspaceId: string) {
  return q.selectFrom('trace_hours').where('workspace_id', '=', workspaceId)
}

/**
 * The number of traces from `firstHour` to `endHour`, later, and ever. Without `firstHour`, only the later traces and
 * the all-time sum are read.
 */
export async function sumTracesOfHours(
  q: Queries,
  { workspaceId, firstHour, endHour }: { workspaceId: string; firstHour: number | undefined; endHour: number },
): Promise<{ within: number; later: number; ever: number }> {
  return selectScoped(q, 'trace_rollups', { workspace_id: workspaceId })
    .select([
      sql<number>`cast(coalesce(sum(case when hour between 0 and ${endHour} then traces end), 0) as bigint)`.as(
        'within',
      ),
      sql<number>`cast(coalesce(sum(case when hour > ${endHour} then traces end), 0) as bigint)`.as('later'),
      sql<number>`cast(coalesce(sum(case when hour = ${ALL_TIME} then traces end), 0) as bigint)`.as('ever'),
    ])
    .where(({ eb, or }) =>
      or([eb('hour', firstHour === undefined ? '>' : '>=', firstHour ?? endHour), eb('hour', '=', ALL_TIME)]),
    )
    .executeTakeFirstOrThrow()
}

/** The number of traces that started since a time, deleted ones included, counted up to a limit. */
export async function countTracesSince(
  q: Queries,
  { workspaceId, startNs, limit }: { workspaceId: string; startNs: bigint; limit: number },
): Promise<number> {
  const since = selectScoped(q, 'traces', { workspace_id: workspaceId })
    .select(sql.lit(1).as('one'))
    .where('start_ns', '>=', sql<number>`${startNs}`)
    .limit(limit)
  const { count } = await q
    .selectFrom(since.as('s'))
    .select(sql<number>`count(*)`.as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}
