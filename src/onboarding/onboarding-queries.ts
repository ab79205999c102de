import { sql } from 'kysely'
import type { Queries } from '../storage/db.ts'

/** The first or the newest trace by arrival. Excludes the example data, which no program has sent. */
export async function findArrivedTrace(q: Queries, workspaceId: string, which: 'first' | 'newest') {
  return (
    q
      .selectFrom('traces as t')
      .select(['t.id', 't.trace_id as traceId', 't.name', 't.service', 't.created_at as arrivedAt'])
      .where('t.workspace_id', '=', workspaceId)
      .where('t.deleted_at', 'is', null)
      .where(
        sql<boolean>`not exists (select 1 from example_data as e
        where e.workspace_id = t.workspace_id and e.component_id = t.component_id)`,
      )
      // Ids contain the time of arrival.
      .orderBy('t.id', which === 'first' ? 'asc' : 'desc')
      .limit(1)
      .executeTakeFirst()
  )
}
