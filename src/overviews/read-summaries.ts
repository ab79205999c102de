/** Pages of the datasets, runs and evaluations of a component, each with its results. */
import type { Principal } from '../base/principal.ts'
import { listRunEvaluations } from '../scores/run-evaluation-queries.ts'
import type { Queries } from '../storage/db.ts'
import { cutPage, type KeysetPage } from './keyset-page.ts'
import { withRatedCounts } from './newest-run.ts'
import { type EvaluationFilter, listEvaluationIds, listRunsWithMetadata, type OverviewRun } from './overview-queries.ts'
import { readResults } from './read-results.ts'
import { listDatasetsAfter, listNewestEvaluationIds, sumRunTraces } from './summary-queries.ts'

/** The traces of so many runs are read; the sums of the others are null. */
const TRACES_SUMMED_MAX = 200_000

export async function readDatasetSummaries(
  q: Queries,
  by: Principal,
  { limit, ...scope }: KeysetPage & { componentId: string },
) {
  const { workspaceId } = by
  const { page, nextCursor } = cutPage(await listDatasetsAfter(q, { workspaceId, limit, ...scope }), limit)
  const evaluatedRuns = page.flatMap(({ completedRunId }) => completedRunId ?? [])
  const ofRuns = await listRunEvaluations(q, { workspaceId, runIds: evaluatedRuns })
  const results = await readResults(q, by, {
    evaluationIds: [...page.map(({ completedId }) => completedId), ...ofRuns.map(({ id }) => id)],
    runIds: page.map(({ newestRunId }) => newestRunId),
  })
  const data = page.map(({ newestRunId, completedId, completedRunId, runs: runCount, ...dataset }) => {
    const completed = ofRuns.flatMap(({ id, runId }) => (runId === completedRunId ? id : []))
    return {
      ...dataset,
      runs: Number(runCount),
      newestRun: results.runOf(newestRunId),
      // The newest evaluation may have no run.
      results: results.metricsOf(...(completed.length > 0 ? completed : [completedId])),
    }
  })
  return { data, nextCursor }
}

export async function readEvaluationSummaries(
  q: Queries,
  by: Principal,
  { after, limit, ...filter }: KeysetPage & EvaluationFilter,
) {
  const found = await listEvaluationIds(q, by.workspaceId, { ...filter, beforeId: after, limit: limit + 1 })
  const { page, nextCursor } = cutPage(found, limit)
  const results = await readResults(q, by, { evaluationIds: page.map(({ id }) => id) })
  const data = page.flatMap(({ id, spentUsd }) => {
    const evaluation = results.metricsOf(id)
    // Deleted since the ids were read.
    if (!evaluation) return []
    return { ...evaluation, comparison: results.comparisonOf(id), spentUsd }
  })
  return { data, nextCursor }
}

/** With what people compare runs by. The number of statements does not depend on the number of runs. */
export async function readRunSummaries(
  q: Queries,
  by: Principal,
  { after, limit, ...filter }: KeysetPage & Pick<EvaluationFilter, 'componentId' | 'datasetId' | 'ids'>,
) {
  const { workspaceId } = by
  const rows = await listRunsWithMetadata(q, workspaceId, { ...filter, beforeId: after, limit: limit + 1 })
  const found = cutPage(rows, limit)
  const page = found.page.map(({ metadata: _, ...run }) => run)
  const metadataOf = new Map(found.page.map(({ id, metadata }) => [id, JSON.parse(metadata ?? '{}')]))
  const runIds = page.map(({ id }) => id)
  const newest = new Map(
    (await listNewestEvaluationIds(q, workspaceId, runIds)).map((row) => [row.runId, row.newestId]),
  )
  const completed = Map.groupBy(await listRunEvaluations(q, { workspaceId, runIds }), ({ runId }) => runId)
  const evaluationIds = [...newest.values(), ...[...completed.values()].flat().map(({ id }) => id)]
  const results = await readResults(q, by, { evaluationIds })
  const rated = await withRatedCounts(q, by, page, results.blindRuns)
  const summed = summedRuns(page)
  const sums = new Map((await sumRunTraces(q, workspaceId, [...summed])).map((row) => [row.runId, row]))
  const data = page.flatMap((run) => {
    const ids = (completed.get(run.id) ?? []).map(({ id }) => id)
    return {
      ...rated.get(run.id),
      metadata: metadataOf.get(run.id),
      traces: summed.has(run.id) ? shownSums(sums.get(run.id)) : null,
      newestEvaluation: results.stateOf(newest.get(run.id) ?? null),
      results: results.metricsOf(...ids),
      comparison: results.comparisonOf(...ids),
    }
  })
  return { data, nextCursor: found.nextCursor }
}

function summedRuns(runs: readonly OverviewRun[]): Set<string> {
  let traces = 0
  const summed = new Set<string>()
  for (const { id, traceCount } of runs) {
    traces += traceCount
    if (traces <= TRACES_SUMMED_MAX) summed.add(id)
  }
  return summed
}

function shownSums({ arrived, errors, priced, costUsd } = NONE) {
  return { arrived, errors, cost: { usd: priced === 0 ? null : costUsd, unknown: arrived - priced } }
}

const NONE: { arrived: number; errors: number; priced: number; costUsd: number | null } = {
  arrived: 0,
  errors: 0,
  priced: 0,
  costUsd: null,
}
