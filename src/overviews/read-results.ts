import { listBlindRuns } from '../annotations/blind-annotation-queries.ts'
import type { Principal } from '../base/principal.ts'
import type { Queries } from '../storage/db.ts'
import { listEvaluationsWithResults, listOverviewRuns } from './overview-queries.ts'
import { comparisonOf, headlineOf, shownEvaluation, shownResults } from './shown-results.ts'

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
  return {
    blindRuns,
    runOf: (id: string | null) => runs.get(id ?? '') ?? null,
    stateOf: (id: string | null) => {
      const found = results.get(id ?? '')
      return found ? shownEvaluation(found.evaluation, runs) : null
    },
    metricsOf: (id: string | null) => {
      const found = results.get(id ?? '')
      if (!found) return null
      const headline = headlineOf(found)?.name ?? null
      return { ...shownEvaluation(found.evaluation, runs), metrics: found.metrics, headline }
    },
    headlineOf: (id: string | null) => {
      const found = results.get(id ?? '')
      const headline = found && headlineOf(found)
      return headline ? { evaluationId: found.evaluation.id, ...headline } : null
    },
    insightsOf: (id: string | null) => results.get(id ?? '')?.insights ?? [],
    comparisonOf: (id: string | null) => {
      const found = results.get(id ?? '')
      return (found && comparisonOf(found, runs)) ?? null
    },
  }
}
