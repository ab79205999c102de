import type { Principal } from '../base/principal.ts'
import type { Queries } from '../storage/db.ts'
import { cutPage, type KeysetPage } from './keyset-page.ts'
import { readResults } from './read-results.ts'
import { listDatasetsAfter } from './summary-queries.ts'

/** A page of the datasets of a component with their newest run and results. */
export async function readDatasetSummaries(
  q: Queries,
  by: Principal,
  { limit, ...scope }: KeysetPage & { componentId: string },
) {
  const { workspaceId } = by
  const { page, nextCursor } = cutPage(await listDatasetsAfter(q, { workspaceId, limit, ...scope }), limit)
  const results = await readResults(q, by, {
    evaluationIds: page.map(({ completedId }) => completedId),
    runIds: page.map(({ newestRunId }) => newestRunId),
  })
  const data = page.map(({ newestRunId, completedId, runs: runCount, ...dataset }) => ({
    ...dataset,
    runs: Number(runCount),
    newestRun: results.runOf(newestRunId),
    results: results.metricsOf(completedId),
  }))
  return { data, nextCursor }
}
