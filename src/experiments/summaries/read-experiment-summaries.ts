/** The rows of the list of experiments. The number of statements does not depend on the number of rows. */
import { countOpeningsOf } from '../../datasets/splits/split-queries.ts'
import { cutPage, type KeysetPage } from '../../overviews/keyset-page.ts'
import { dollarsOf } from '../../spending/spending-limit.ts'
import type { Queries } from '../../storage/db.ts'
import { metricOf } from '../course/read-course.ts'
import type { ExperimentPlan } from '../experiment-plan.ts'
import type { ExperimentResults } from '../experiment-schemas.ts'
import { isValidated } from '../search/search.ts'
import {
  countEarlierOpenings,
  countProposals,
  countTestItems,
  listExperimentsAfter,
} from './experiment-summary-queries.ts'
import type { ExperimentSummaries } from './experiment-summary-schemas.ts'

export async function readExperimentSummaries(
  q: Queries,
  { workspaceId, limit, ...of }: KeysetPage & { workspaceId: string; componentId: string },
): Promise<ExperimentSummaries> {
  const found = await listExperimentsAfter(q, { workspaceId, ...of, limit: limit + 1 })
  const { page, nextCursor } = cutPage(found, limit)
  const counts = Map.groupBy(
    await countProposals(
      q,
      workspaceId,
      page.map(({ id }) => id),
    ),
    ({ experimentId }) => experimentId,
  )
  const names = new Map(page.map(({ datasetId, datasetName }) => [datasetId, datasetName]))
  const datasetIds = [...names.keys()]
  const testItems = await countTestItems(q, workspaceId, datasetIds)
  const openings = await countOpeningsOf(q, workspaceId, datasetIds)
  const earlier = await countEarlierOpenings(q, workspaceId, datasetIds)
  const data = page.map((row) => {
    const plan: ExperimentPlan = JSON.parse(row.plan)
    const results: ExperimentResults | null = row.results === null ? null : JSON.parse(row.results)
    const own = counts.get(row.id) ?? []
    const sum = (of: typeof own) => of.reduce((total, { count }) => total + count, 0)
    const { id, name, status, phase, endedBy, error, createdBy, createdAt, startedAt, completedAt } = row
    return {
      id,
      name,
      status,
      phase,
      endedBy,
      error,
      optimizer: plan.optimizer,
      metric: metricOf(plan),
      dataset: { id: row.datasetId, name: row.datasetName },
      prompt: { id: row.promptId, name: row.promptName, version: plan.target.version },
      createdBy,
      proposals: sum(own),
      validated: sum(own.filter(isValidated)),
      validation: row.validation === null ? null : JSON.parse(row.validation),
      result: results && resultOf(results),
      cost: {
        spentUsd: results ? results.cost.totalUsd : dollarsOf(Number(row.spentNanoUsd)),
        maxUsd: row.maxNanoUsd === null ? null : dollarsOf(Number(row.maxNanoUsd)),
      },
      createdAt,
      startedAt,
      completedAt,
    }
  })
  const splits = [...names].map(([datasetId, name]) => ({
    datasetId,
    name,
    testItems: testItems.get(datasetId) ?? 0,
    openings: openings.get(datasetId) ?? 0,
    earlierOpenings: earlier.get(datasetId) ?? 0,
  }))
  return { data, nextCursor, splits }
}

/** Of several finalists, the one with the greatest gain. */
function resultOf({ verdict, test }: ExperimentResults): NonNullable<ExperimentSummaries['data'][number]['result']> {
  const [best] = (test?.finalists ?? []).toSorted(
    (a, b) => (b.comparison?.difference ?? -Infinity) - (a.comparison?.difference ?? -Infinity),
  )
  return {
    verdict,
    difference: best?.comparison?.difference ?? null,
    ci: best?.comparison?.ci ?? null,
    items: test?.items ?? 0,
    version: best?.version ?? null,
  }
}
