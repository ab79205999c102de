import type { Principal } from '../base/principal.ts'
import type { Queries } from '../storage/db.ts'
import { cutPage, type KeysetPage } from './keyset-page.ts'
import { readResults } from './read-results.ts'
import { type EvaluationFilter, listEvaluationIdsAfter } from './summary-queries.ts'

/** A page of the evaluations of a component with their progress and results. */
export async function readEvaluationSummaries(
  q: Queries,
  by: Principal,
  { limit, ...scope }: KeysetPage & EvaluationFilter & { componentId: string },
) {
  const found = await listEvaluationIdsAfter(q, { workspaceId: by.workspaceId, limit, ...scope })
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
