import type { Queries } from '../storage/db.ts'
import { selectScoped } from '../storage/query-building.ts'

/** Jobs by kind and state. Finished jobs have no row, so there are few. Without a workspace, it reads those of all workspaces. */
export async function countJobsOfAnyWorkspace(q: Queries, workspaceId?: string) {
  let jobs = q
    .selectFrom('jobs')
    .select(({ fn }) => ['kind', 'state', fn.countAll<number>().as('count'), fn.min('created_at').as('oldestAt')])
    .groupBy(['kind', 'state'])
    .orderBy('kind')
    .orderBy('state')
  if (workspaceId !== undefined) jobs = jobs.where('workspace_id', '=', workspaceId)
  return jobs.execute()
}

/** Counts up to `max` traces whose first span arrived after a time. Ids contain that time, so it reads only these. */
export async function countArrivals(
  q: Queries,
  { workspaceId, afterId, max }: { workspaceId: string; afterId: string; max: number },
): Promise<number> {
  const arrived = selectScoped(q, 'traces', { workspace_id: workspaceId })
    .select('id')
    .where('id', '>=', afterId)
    .limit(max)
  const { count } = await q
    .selectFrom(arrived.as('arrived'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}
