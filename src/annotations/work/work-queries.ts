import { sql } from 'kysely'
import { activeRuns } from '../../runs/run-queries.ts'
import { isVisibleTo } from '../../scores/blind-annotation-queries.ts'
import { hasRating } from '../../scores/rating-queries.ts'
import type { Queries } from '../../storage/db.ts'

/** The newest runs with traces that are to be rated: they have a policy, or someone has rated in them. */
export async function listRatedRuns(q: Queries, workspaceId: string, limit: number) {
  return activeRuns(q)
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
    .execute()
}

type RaterOfRuns = { workspaceId: string; userId: string; runIds: readonly string[]; blindRuns: readonly string[] }

/**
 * Of each run: how many of its traces the user has rated, how many others have all their raters, and how many have different ratings, as far
 * as the user may see them. Runs without ratings are missing. Reads all ratings of these runs.
 */
export async function countRatedTraces(q: Queries, { workspaceId, userId, runIds, blindRuns }: RaterOfRuns) {
  if (runIds.length === 0) return []
  const traces = q
    .selectFrom('annotations as a')
    // Users may also rate traces that are not linked to the run.
    .innerJoin('run_traces as l', (join) =>
      join
        .onRef('l.workspace_id', '=', 'a.workspace_id')
        .onRef('l.run_id', '=', 'a.run_id')
        .onRef('l.trace_ref', '=', 'a.trace_ref'),
    )
    .leftJoin('annotation_policies as p', (join) =>
      join.onRef('p.workspace_id', '=', 'a.workspace_id').onRef('p.run_id', '=', 'a.run_id'),
    )
    .select(['a.run_id as runId', 'p.raters_per_item as needed'])
    .select([
      sql<number>`max(case when a.user_id = ${userId} then 1 else 0 end)`.as('mine'),
      sql<number>`count(*)`.as('raters'),
      sql<number>`count(distinct case when ${isVisibleTo(userId, blindRuns)} then a.rating end)`.as('ratings'),
    ])
    .where('a.workspace_id', '=', workspaceId)
    .where('a.run_id', 'in', runIds)
    .where(hasRating('a'))
    .groupBy(['a.run_id', 'a.trace_ref', 'p.raters_per_item'])
  return q
    .selectFrom(traces.as('t'))
    .select('t.runId')
    .select([
      sql<number>`sum(t.mine)`.as('rated'),
      sql<number>`sum(case when t.mine = 0 and t.raters >= t.needed then 1 else 0 end)`.as('full'),
      sql<number>`sum(case when t.ratings > 1 then 1 else 0 end)`.as('disagreements'),
    ])
    .groupBy('t.runId')
    .execute()
}
