import { type Expression, sql } from 'kysely'
import type { Queries } from '../../storage/db.ts'
import { ALL_TIME, HOUR_NS } from '../storing/rollups.ts'
import { isActiveComponent, matchingTraces } from './matching-trace-queries.ts'
import { later, type PlainFilter } from './plain-filter.ts'

/** True if the rollups contain all columns that the filter uses. */
export function isCoveredByRollups({ parts, sessionId, userId }: PlainFilter): boolean {
  return parts.length === 0 && sessionId === undefined && userId === undefined
}

/**
 * The number of traces: whole hours from the rollups, and the partial hours at both ends counted by the index on the
 * start time. A single expression, so that all parts come from one snapshot.
 */
export function countFromRollups(q: Queries, workspaceId: string, plain: PlainFilter): Expression<number> {
  const after = plain.startAfter === undefined ? undefined : later(plain.startAfter, 0n)
  const before = plain.startBefore === undefined ? undefined : later(plain.startBefore, 0n)
  const countTraces = (startAfter: bigint, startBefore: bigint) =>
    matchingTraces(q, workspaceId, { ...plain, startAfter, startBefore }, {}).select(({ fn }) =>
      fn.countAll().as('count'),
    )
  const firstHour = after === undefined ? undefined : (after + HOUR_NS - 1n) / HOUR_NS
  const endHour = before === undefined ? undefined : before / HOUR_NS
  if (after !== undefined && before !== undefined && firstHour !== undefined && endHour !== undefined) {
    if (firstHour >= endHour) return sql<number>`${countTraces(after, before)}`
  }
  const sums = [sumWholeHours((hours) => rollupSum(q, workspaceId, plain, hours), { firstHour, endHour })]
  if (after !== undefined && firstHour !== undefined) sums.push(sql`${countTraces(after, firstHour * HOUR_NS)}`)
  if (before !== undefined && endHour !== undefined) sums.push(sql`${countTraces(endHour * HOUR_NS, before)}`)
  return sql<number>`${sql.join(sums, sql` + `)}`
}

type Bounds = { firstHour: bigint | undefined; endHour: bigint | undefined }
type Hours = 'all time' | { firstHour: bigint; endHour: bigint | undefined }

/** A range without a start is the all-time sum minus the later hours, which are usually few. */
function sumWholeHours(sum: (hours: Hours) => Expression<unknown>, { firstHour, endHour }: Bounds) {
  if (firstHour !== undefined) return sql`${sum({ firstHour, endHour })}`
  if (endHour === undefined) return sql`${sum('all time')}`
  return sql`${sum('all time')} - ${sum({ firstHour: endHour, endHour: undefined })}`
}

function rollupSum(q: Queries, workspaceId: string, plain: PlainFilter, which: Hours) {
  return rollupsOf(q, workspaceId, plain, which).select(sql<number>`coalesce(sum(h.traces), 0)`.as('traces'))
}

/** The rollups `h` that match a filter on columns which they contain. */
export function rollupsOf(q: Queries, workspaceId: string, plain: PlainFilter, which: Hours) {
  const { status, componentId, service, environment } = plain
  let hours = q.selectFrom('trace_rollups as h').where('h.workspace_id', '=', workspaceId)
  if (which === 'all time') hours = hours.where('h.hour', '=', ALL_TIME)
  else {
    hours = hours.where('h.hour', '>=', Number(which.firstHour))
    if (which.endHour !== undefined) hours = hours.where('h.hour', '<', Number(which.endHour))
  }
  if (componentId !== undefined) {
    hours = hours.where('h.component_id', '=', componentId).where(isActiveComponent(workspaceId, componentId))
  }
  if (status !== undefined) hours = hours.where('h.status', '=', status)
  if (service !== undefined) hours = hours.where('h.service', '=', service)
  if (environment !== undefined) hours = hours.where('h.environment', '=', environment)
  return hours
}
