import type { Principal } from '../base/principal.ts'
import { readResults } from '../overviews/read-results.ts'
import type { ShownMetric } from '../overviews/shown-results.ts'
import { listRunEvaluations } from '../scores/run-evaluation-queries.ts'
import type { Queries } from '../storage/db.ts'
import { type ItemScore, listEvaluatedRuns } from './item-result-queries.ts'

/** The newest evaluated runs that lists of items show. */
const RUNS_SHOWN_MAX = 5

type RunColumn = {
  run: { id: string; name: string | null; createdAt: string }
  evaluationId: string
  metrics: ShownMetric[]
  headline: string | null
}

/** `before` is the run before the first column, which shows what has turned in it. */
export type RunColumns = { columns: RunColumn[]; before: RunColumn | undefined }

/** Oldest first, with the metrics that the reader may see. */
export async function readRunColumns(q: Queries, by: Principal, datasetId: string): Promise<RunColumns> {
  const { workspaceId } = by
  const runIds = await listEvaluatedRuns(q, { workspaceId, datasetId, limit: RUNS_SHOWN_MAX + 1 })
  const evaluations = await listRunEvaluations(q, { workspaceId, runIds })
  const results = await readResults(q, by, { evaluationIds: evaluations.map(({ id }) => id), runIds })
  const columns = runIds.toReversed().flatMap((runId): RunColumn[] => {
    const ids = evaluations.filter((one) => one.runId === runId).map(({ id }) => id)
    const [run, shown] = [results.runOf(runId), results.metricsOf(...ids)]
    if (!run || !shown) return []
    const { id, name, createdAt } = run
    return [{ run: { id, name, createdAt }, evaluationId: shown.id, metrics: shown.metrics, headline: shown.headline }]
  })
  const newest = columns.at(-1)?.headline ?? null
  // One metric for all runs that have it: two metrics next to each other are not comparable.
  const sameMetric = columns.map((column) => (metricIn(column, newest) ? { ...column, headline: newest } : column))
  return { columns: sameMetric.slice(-RUNS_SHOWN_MAX), before: sameMetric.at(-RUNS_SHOWN_MAX - 1) }
}

function metricIn(column: RunColumn | undefined, name: string | null): ShownMetric | undefined {
  return column?.metrics.find((metric) => metric.name === name)
}

/** The metric by which items have turned between the two newest runs; undefined if one of them does not have it. */
export function turningMetric({ columns, before }: RunColumns) {
  const [newest, previous] = [columns.at(-1), columns.at(-2) ?? before]
  const name = newest?.headline ?? null
  const [now, then] = [metricIn(newest, name), metricIn(previous, name)]
  return now && then && { evaluator: now.name, newest: now.evaluationId, previous: then.evaluationId }
}

/** More than half of the repetitions. Null if the metric does not decide. */
function hasPassed({ judged, passes }: Pick<ItemScore, 'judged' | 'passes'>): boolean | null {
  return judged === 0 ? null : 2 * passes > judged
}

type Turn = 'to_fail' | 'to_pass' | null

/** What each run says about each item, in the order of the columns. An item that a run has not measured has no metrics there. */
export function resultsByItem({ columns, before }: RunColumns, scores: readonly ItemScore[]) {
  const byCell = Map.groupBy(scores, ({ evaluationId, itemId }) => `${evaluationId}:${itemId}`)
  const scoreOf = (itemId: string, metric: ShownMetric | undefined) =>
    byCell.get(`${metric?.evaluationId}:${itemId}`)?.find(({ evaluator }) => evaluator === metric?.name)
  const passedIn = (column: RunColumn | undefined, itemId: string, name: string | null) => {
    const score = scoreOf(itemId, metricIn(column, name))
    return score ? hasPassed(score) : null
  }
  return (itemId: string) =>
    columns.map((column, at) => {
      const found = column.metrics.flatMap((metric) => scoreOf(itemId, metric) ?? [])
      const now = passedIn(column, itemId, column.headline)
      const then = passedIn(columns[at - 1] ?? before, itemId, column.headline)
      const turned: Turn = now === null || then === null || now === then ? null : now ? 'to_pass' : 'to_fail'
      return { runId: column.run.id, traceId: found[0]?.traceRef ?? null, turned, metrics: found.map(metricOf) }
    })
}

function metricOf(row: ItemScore) {
  const { evaluator, scores, scored, failed, skipped, score, label } = row
  const state = scored > 0 ? 'scored' : failed > 0 ? 'failed' : skipped > 0 ? 'skipped' : 'pending'
  return { name: evaluator, state, score, label, passed: hasPassed(row), repetitions: scores }
}
