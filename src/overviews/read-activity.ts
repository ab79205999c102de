import type { Queries } from '../storage/db.ts'
import { listNewestRuns, listRaters, listRecentEvaluations, listRunsByIds } from './overview-queries.ts'
import { shownEvaluation } from './shown-evaluation.ts'

const ENTRIES_MAX = 8

export const ACTIVITY_KINDS = ['run', 'evaluation', 'ratings'] as const

/** What happened last in a component: runs that were created, evaluations that were started, and who has rated. Newest first. */
export async function readActivity(q: Queries, scope: { workspaceId: string; componentId: string }) {
  const { workspaceId } = scope
  const newestRuns = await listNewestRuns(q, { ...scope, limit: ENTRIES_MAX })
  const evaluations = await listRecentEvaluations(q, scope, ENTRIES_MAX)
  const evaluatedRuns = evaluations.flatMap(({ runId }) => runId ?? [])
  const runs = new Map(
    [...newestRuns, ...(await listRunsByIds(q, workspaceId, [...new Set(evaluatedRuns)]))].map((run) => [run.id, run]),
  )
  const raters = await listRaters(q, workspaceId, [...runs.keys()])
  const entries = [
    ...newestRuns.map((run) => ({ ...EMPTY, kind: 'run', at: run.createdAt, run })),
    ...evaluations.map((evaluation) => {
      const shown = shownEvaluation(evaluation, runs)
      const at = evaluation.completedAt ?? evaluation.createdAt
      return { ...EMPTY, kind: 'evaluation', at, run: shown.run, evaluation: shown }
    }),
    ...raters.map(({ runId, userId, name, count, at }) => ({
      ...EMPTY,
      kind: 'ratings',
      at: at ?? '',
      run: runs.get(runId) ?? null,
      user: { id: userId, name },
      count,
    })),
  ]
  return entries.sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, ENTRIES_MAX)
}

const EMPTY = { run: null, evaluation: null, user: null, count: null }
