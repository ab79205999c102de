import { listBlindRuns } from '../annotations/blind-annotation-queries.ts'
import type { Principal } from '../base/principal.ts'
import type { Queries } from '../storage/db.ts'
import { listEvaluationsWithResults, listOverviewRuns } from './overview-queries.ts'
import { comparisonOf, headlineOf, newestMetrics, shownEvaluation, shownResults } from './shown-results.ts'

/**
 * What lists and overviews show of evaluations: state, metrics and comparison, with the runs that they name, without what the reader may not see. The
 * runs in `runIds` are read in the same statement.
 */
export async function readResults(
  q: Queries,
  { workspaceId, userId }: Principal,
  { evaluationIds, runIds = [] }: { evaluationIds: readonly (string | null)[]; runIds?: readonly (string | null)[] },
) {
  const blindRuns = new Set(await listBlindRuns(q, { workspaceId, readerId: userId }))
  const ids = [...new Set(evaluationIds)].filter((id) => id !== null)
  const evaluations = await listEvaluationsWithResults(q, workspaceId, ids)
  const results = new Map(evaluations.map((evaluation) => [evaluation.id, shownResults(evaluation, blindRuns)]))
  const named = [...results.values()].flatMap(({ evaluation, comparison }) => {
    return [evaluation.runId, comparison?.baseline.runId, comparison?.candidate.runId]
  })
  const wanted = [...new Set([...runIds, ...named])].filter((id) => typeof id === 'string')
  const runs = new Map((await listOverviewRuns(q, workspaceId, { ids: wanted })).map((run) => [run.id, run]))
  const found = (evaluationsOfRun: readonly (string | null)[]) =>
    evaluationsOfRun.flatMap((id) => results.get(id ?? '') ?? [])
  /** Of one evaluation, or of several of a run, newest first: each metric as the newest of them has it. */
  const metricsOf = (...evaluationsOfRun: (string | null)[]) => {
    const shown = found(evaluationsOfRun)
    const [newest] = shown
    if (!newest) return null
    const headline = headlineOf(shown)?.name ?? null
    return { ...shownEvaluation(newest.evaluation, runs), metrics: newestMetrics(shown), headline }
  }
  return {
    blindRuns,
    runOf: (id: string | null) => runs.get(id ?? '') ?? null,
    stateOf: (id: string | null) => {
      const one = results.get(id ?? '')
      return one ? shownEvaluation(one.evaluation, runs) : null
    },
    metricsOf,
    headlineOf: (...evaluationsOfRun: (string | null)[]) => headlineOf(found(evaluationsOfRun)) ?? null,
    insightsOf: (id: string | null) => results.get(id ?? '')?.insights ?? [],
    /** The newest one that one of the evaluations has stored. */
    comparisonOf: (...evaluationsOfRun: (string | null)[]) =>
      found(evaluationsOfRun)
        .map((one) => comparisonOf(one, runs))
        .find((comparison) => comparison !== undefined) ?? null,
  }
}
