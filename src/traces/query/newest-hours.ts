/**
 * Finds the newest of very many traces that began within some time without looking at all of them. Newest is by id, and by the start one
 * only finds them: but what began in the last hours has, as a rule, the newest ids. For every hour it is known which is the newest that
 * began in it, so it is also known when the last hours are enough, and no trace that came late is ever missed.
 */
import { sql } from 'kysely'
import type { Queries } from '../../storage/db.ts'
import { HOUR_NS } from '../storing/rollups.ts'
import { later, type PlainFilter } from './plain-filter.ts'

/** In how many of the last hours to look, one after the other. */
const HOUR_COUNTS = [1, 4, 16, 64]

/** From when on to look, and the newest id that lies before; empty if nothing does. */
type LastHours = { from: bigint; newestBefore: string }

/** Ever more of the last hours before `startBefore`; none where nothing began later, so that one need not walk past it. */
export async function lastHours(q: Queries, workspaceId: string, plain: PlainFilter): Promise<LastHours[]> {
  const startBefore = later(plain.startBefore, 1n)
  const firstHour = Number(later(plain.startAfter, 0n) / HOUR_NS)
  const lastHour = Number((startBefore - 1n) / HOUR_NS)
  const workspaceHours = q.selectFrom('trace_hours').where('workspace_id', '=', workspaceId)
  const [next] = await workspaceHours.select('hour').where('hour', '>', lastHour).limit(1).execute()
  if (!next) return []
  const within = workspaceHours.where('hour', '>=', firstHour)
  const hours = await within
    .select(['hour', 'newest_id as newestId'])
    .where('hour', '<=', lastHour)
    .orderBy('hour', 'desc')
    .limit(Math.max(...HOUR_COUNTS))
    .execute()
  const earliest = hours.at(-1)
  // Nothing began in that time, and one look at the index tells so.
  if (!earliest) return [{ from: BigInt(firstHour) * HOUR_NS, newestBefore: '' }]
  const [before] = await within
    .select(sql<string | null>`max(newest_id)`.as('newestId'))
    .where('hour', '<', earliest.hour)
    .execute()
  let newestBefore = before?.newestId ?? ''
  const parts: LastHours[] = []
  for (const [index, { hour, newestId }] of [...hours.entries()].toReversed()) {
    if (HOUR_COUNTS.includes(index + 1) || index === hours.length - 1)
      parts.unshift({ from: BigInt(hour) * HOUR_NS, newestBefore })
    if (newestId > newestBefore) newestBefore = newestId
  }
  return parts
}
