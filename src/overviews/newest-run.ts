import { countRatedTraces } from '../annotations/work/work-queries.ts'
import type { Principal } from '../base/principal.ts'
import type { Queries } from '../storage/db.ts'
import { listRunsWithPolicy, type OverviewRun } from './overview-queries.ts'

/**
 * Runs with how many of their traces someone has rated. `isToBeRated` if it has an annotation policy, or someone has begun: no one expects
 * ratings of the other runs.
 */
export async function withRatedCounts(
  q: Queries,
  { workspaceId, userId }: Principal,
  runs: readonly OverviewRun[],
  blindRuns: ReadonlySet<string>,
) {
  const runIds = runs.map(({ id }) => id)
  const rows = await countRatedTraces(q, { workspaceId, userId, runIds, blindRuns: [...blindRuns] })
  const counts = new Map(rows.map((row) => [row.runId, row]))
  const withPolicy = new Set(await listRunsWithPolicy(q, workspaceId, runIds))
  return new Map(
    runs.map((run) => {
      const { ratedByAnyone: rated = 0, openDisagreements = 0 } = counts.get(run.id) ?? {}
      // Traces may be unlinked after they were rated.
      const unrated = Math.max(0, run.traceCount - rated)
      return [run.id, { ...run, rated, unrated, openDisagreements, isToBeRated: rated > 0 || withPolicy.has(run.id) }]
    }),
  )
}
