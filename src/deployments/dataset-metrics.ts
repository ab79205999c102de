import type { EvaluatorInfo } from '../scores/evaluator-info.ts'
import { listRunEvaluations } from '../scores/run-evaluation-queries.ts'
import type { Queries } from '../storage/db.ts'
import { listEvaluatedRuns } from './run-version-queries.ts'

const RUNS_MAX = 300

/** The metrics of the completed evaluations of the newest runs of a dataset, by name; those of newer evaluations first. */
export async function readDatasetMetrics(
  q: Queries,
  dataset: { workspaceId: string; componentId: string; datasetId: string },
): Promise<Map<string, EvaluatorInfo>> {
  const runs = await listEvaluatedRuns(q, { ...dataset, limit: RUNS_MAX })
  const runIds = runs.map(({ runId }) => runId)
  const metrics = new Map<string, EvaluatorInfo>()
  for (const { evaluators } of await listRunEvaluations(q, { ...dataset, runIds }))
    for (const [name, info] of evaluators) if (!metrics.has(name)) metrics.set(name, info)
  return metrics
}
