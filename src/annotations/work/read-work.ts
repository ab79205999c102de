import type { Principal } from '../../base/principal.ts'
import type { Queries } from '../../storage/db.ts'
import { listBlindRuns } from '../blind-annotation-queries.ts'
import { countRatedTraces, listRatedRuns } from './work-queries.ts'

const RUNS_MAX = 100

/** Why a run is listed, in the order in which the caller should look at them. */
export const WORK_REASONS = ['started', 'requested', 'open', 'disagreements'] as const

type Reason = (typeof WORK_REASONS)[number]

/**
 * The runs that the caller can rate something in, and those with different ratings that are not resolved. `remaining` and `rated` are those of the queue of the
 * run. Counts ratings of others only as far as the caller may see them.
 */
export async function readWork(q: Queries, by: Principal) {
  const { runs, hasMore } = await listWorkRuns(q, by)
  const data = runs.map(({ openDisagreements, ...run }) => ({ ...run, disagreements: openDisagreements }))
  return {
    remaining: data.reduce((sum, run) => sum + run.remaining, 0),
    disagreements: data.reduce((sum, run) => sum + run.disagreements, 0),
    hasMore,
    data,
  }
}

/** Considers all runs, or those of one component. */
export async function listWorkRuns(q: Queries, { workspaceId, userId }: Principal, componentId?: string) {
  // One more, to find out whether there are more.
  const found = await listRatedRuns(q, { workspaceId, componentId, limit: RUNS_MAX + 1 })
  const runs = found.slice(0, RUNS_MAX)
  const blindRuns = await listBlindRuns(q, { workspaceId, readerId: userId })
  const runIds = runs.map(({ runId }) => runId)
  const counts = new Map(
    (await countRatedTraces(q, { workspaceId, userId, runIds, blindRuns })).map((row) => [row.runId, row]),
  )
  const listed = runs
    .map(({ policyOf, isBlind, ...run }) => {
      const { rated = 0, full = 0, openDisagreements = 0 } = counts.get(run.runId) ?? {}
      const remaining = Math.max(0, run.total - rated - full)
      const reason = reasonOf({ remaining, rated, hasPolicy: policyOf !== null })
      return { ...run, blind: isBlind === 1, rated, remaining, openDisagreements, reason }
    })
    .filter(({ remaining, openDisagreements }) => remaining > 0 || openDisagreements > 0)
    .sort(byNeed)
  return { runs: listed, hasMore: found.length > RUNS_MAX }
}

/** A run that the caller has begun comes first: half of a run is of little use. */
function reasonOf({ remaining, rated, hasPolicy }: { remaining: number; rated: number; hasPolicy: boolean }): Reason {
  if (remaining === 0) return 'disagreements'
  if (rated > 0) return 'started'
  return hasPolicy ? 'requested' : 'open'
}

type Sorted = { reason: Reason; openDisagreements: number; runId: string }

/** Then those whose ratings differ most often, then the newest. */
function byNeed(a: Sorted, b: Sorted): number {
  return (
    WORK_REASONS.indexOf(a.reason) - WORK_REASONS.indexOf(b.reason) ||
    b.openDisagreements - a.openDisagreements ||
    (a.runId < b.runId ? 1 : -1)
  )
}
