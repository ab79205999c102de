import { sql } from 'kysely'
import { activeRuns } from '../../runs/run-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { hasRating } from '../annotation-queries.ts'

type RatedRunsQuery = { workspaceId: string; componentId?: string | undefined; limit: number }

/** The newest runs with traces that are to be rated: they have a policy, or someone has rated in them. */
export async function listRatedRuns(q: Queries, { workspaceId, componentId, limit }: RatedRunsQuery) {
  const runs = activeRuns(q)
    .leftJoin('annotation_policies as p', (join) =>
      join.onRef('p.workspace_id', '=', 'r.workspace_id').onRef('p.run_id', '=', 'r.id'),
    )
    .select(['r.id as runId', 'r.name as runName', 'r.trace_count as total', 'r.created_at as runCreatedAt'])
    .select(['c.id as componentId', 'c.name as componentName', 'd.id as datasetId', 'd.name as datasetName'])
    .select(['p.run_id as policyOf', 'p.raters_per_item as ratersPerItem', 'p.is_blind as isBlind'])
    .where('r.workspace_id', '=', workspaceId)
    .where('r.trace_count', '>', 0)
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('p.run_id', 'is not', null),
        exists(
          selectFrom('annotations as a')
            .select('a.id')
            .whereRef('a.workspace_id', '=', 'r.workspace_id')
            .whereRef('a.run_id', '=', 'r.id')
            .where(hasRating('a')),
        ),
      ]),
    )
    .orderBy('r.id', 'desc')
    .limit(limit)
  return (componentId === undefined ? runs : runs.where('r.component_id', '=', componentId)).execute()
}

type RaterOfRuns = { workspaceId: string; userId: string; runIds: readonly string[]; blindRuns: readonly string[] }

/**
 * Of each run: how many of its traces the user has rated, how many others have all their raters, how many anyone has rated, and how many
 * have different ratings that are not resolved. In runs that are blind to the user, only traces that the user has rated count as different,
 * which is what `isVisibleTo` shows of them. Runs without ratings are missing.
 *
 * Reads all ratings of these runs, in the order of the index on raters, which has all columns. Scalar subqueries instead of joins: without
 * statistics, the planner would begin with the joined table, and needs hundreds of times as long.
 */
export async function countRatedTraces(q: Queries, { workspaceId, userId, runIds, blindRuns }: RaterOfRuns) {
  if (runIds.length === 0) return []
  const traces = q
    .selectFrom('annotations as a')
    .select(['a.workspace_id', 'a.run_id', 'a.trace_ref'])
    .select([
      sql<number>`max(case when a.user_id = ${userId} then 1 else 0 end)`.as('mine'),
      sql<number>`count(*)`.as('raters'),
      sql<number>`case when min(a.rating) <> max(a.rating) then 1 else 0 end`.as('differs'),
    ])
    .where('a.workspace_id', '=', workspaceId)
    .where('a.run_id', 'in', runIds)
    .where(hasRating('a'))
    .groupBy(['a.workspace_id', 'a.run_id', 'a.trace_ref'])
  const isVisible = blindRuns.length === 0 ? sql`1 = 1` : sql`(t.mine = 1 or t.run_id not in (${sql.join(blindRuns)}))`
  const isLinked = sql<string | null>`(select l.trace_ref from run_traces as l
    where l.workspace_id = t.workspace_id and l.run_id = t.run_id and l.trace_ref = t.trace_ref)`
  const needed = sql<number | null>`(select p.raters_per_item from annotation_policies as p
    where p.workspace_id = t.workspace_id and p.run_id = t.run_id)`
  const isResolved = sql`exists (select 1 from disagreement_resolutions as s
    where s.workspace_id = t.workspace_id and s.run_id = t.run_id and s.trace_ref = t.trace_ref)`
  return (
    q
      .selectFrom(traces.as('t'))
      .select('t.run_id as runId')
      .select([
        sql<number>`sum(t.mine)`.as('rated'),
        sql<number>`sum(case when t.mine = 0 and t.raters >= ${needed} then 1 else 0 end)`.as('full'),
        sql<number>`sum(case when t.differs = 1 and ${isVisible} and not ${isResolved} then 1 else 0 end)`.as(
          'openDisagreements',
        ),
        sql<number>`count(*)`.as('ratedByAnyone'),
      ])
      // Users may also rate traces that are not linked to the run.
      .where(isLinked, 'is not', null)
      .groupBy('t.run_id')
      .execute()
  )
}
