import type { Queries } from '../../storage/db.ts'
import { inList } from '../../storage/dialect.ts'
import { UNKNOWN_COMPONENT } from '../../traces/storing/facet-queries.ts'

type OfNames = { workspaceId: string; names: readonly string[] }

/** Traces that name one of these components and were stored without one. */
function waitingTraces(q: Queries, { workspaceId, names }: OfNames) {
  return q
    .selectFrom('trace_facets as f')
    .innerJoin('traces as t', (join) =>
      join.onRef('t.workspace_id', '=', 'f.workspace_id').onRef('t.id', '=', 'f.trace_id'),
    )
    .where('f.workspace_id', '=', workspaceId)
    .where('f.facet', '=', UNKNOWN_COMPONENT)
    .where(inList(q, 'f.value', names))
    .where('t.deleted_at', 'is', null)
}

export async function listWaitingTraces(q: Queries, of: OfNames, limit: number) {
  return waitingTraces(q, of)
    .select(['t.id', 't.trace_id as traceId'])
    .orderBy('f.value')
    .orderBy('f.trace_id')
    .limit(limit)
    .execute()
}

export async function countWaitingTraces(q: Queries, of: OfNames, limit: number): Promise<number> {
  const { count } = await q
    .selectFrom(waitingTraces(q, of).select('t.id').limit(limit).as('counted'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}
