import type { OverviewRun } from './overview-queries.ts'

type Evaluation = {
  id: string
  name: string | null
  status: string
  error: string | null
  datasetId: string
  datasetName: string
  runId: string | null
  scores: number
  scoresDone: number
  scoresFailed: number
  createdAt: string
  completedAt: string | null
}

/** With its run, which is null if the evaluation has none, or if it has been deleted. */
export function shownEvaluation(evaluation: Evaluation, runs: ReadonlyMap<string, OverviewRun>) {
  const { id, name, status, error, datasetId, datasetName, runId, createdAt, completedAt } = evaluation
  return {
    id,
    name,
    status,
    error,
    dataset: { id: datasetId, name: datasetName },
    run: runs.get(runId ?? '') ?? null,
    scores: { total: evaluation.scores, done: evaluation.scoresDone, failed: evaluation.scoresFailed },
    createdAt,
    completedAt,
  }
}
