import type { Principal } from '../base/principal.ts'
import { readResults } from '../overviews/read-results.ts'
import type { ShownMetric } from '../overviews/shown-results.ts'
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
  const found = await listEvaluatedRuns(q, { workspaceId, datasetId, limit: RUNS_SHOWN_MAX + 1 })
  const results = await readResults(q, by, {
    evaluationIds: found.map(({ evaluationId }) => evaluationId),
    runIds: found.map(({ runId }) => runId),
  })
  const columns = found.toReversed().flatMap(({ runId, evaluationId }): RunColumn[] => {
    const [run, shown] = [results.runOf(runId), results.metricsOf(evaluationId)]
    if (!run || !shown || evaluationId === null) return []
    const { id, name, createdAt } = run
    return [{ run: { id, name, createdAt }, evaluationId, metrics: shown.metrics, headline: shown.headline }]
  })
  return { columns: columns.slice(-RUNS_SHOWN_MAX), before: columns.at(-RUNS_SHOWN_MAX - 1) }
}

/** The metric by which items have turned between the two newest runs; undefined if one of them does not have it. */
export function turningMetric({ columns, before }: RunColumns) {
  const [newest, previous] = [columns.at(-1), columns.at(-2) ?? before]
  const name = newest?.headline
  if (!newest || !previous || !name || !previous.metrics.some((metric) => metric.name === name)) return undefined
  return { evaluator: name, newest: newest.evaluationId, previous: previous.evaluationId }
}

/** More than half of the repetitions. Null if the metric does not decide. */
function hasPassed({ judged, passes }: Pick<ItemScore, 'judged' | 'passes'>): boolean | null {
  return judged === 0 ? null : 2 * passes > judged
}

type Turn = 'to_fail' | 'to_pass' | null

/** What each run says about each item, in the order of the columns. An item that a run has not measured has no metrics there. */
export function resultsByItem({ columns, before }: RunColumns, scores: readonly ItemScore[]) {
  const byCell = Map.groupBy(scores, ({ evaluationId, itemId }) => `${evaluationId}:${itemId}`)
  const passedIn = (column: RunColumn | undefined, itemId: string, metric: string | null) => {
    const isShown = column?.metrics.some(({ name }) => name === metric)
    const cell = isShown ? byCell.get(`${column?.evaluationId}:${itemId}`) : undefined
    const score = cell?.find(({ evaluator }) => evaluator === metric)
    return score ? hasPassed(score) : null
  }
  return (itemId: string) =>
    columns.map((column, at) => {
      const cell = byCell.get(`${column.evaluationId}:${itemId}`) ?? []
      const metrics = column.metrics.flatMap(({ name }) => {
        const score = cell.find(({ evaluator }) => evaluator === name)
        return score ? [metricOf(score)] : []
      })
      const now = passedIn(column, itemId, column.headline)
      const then = passedIn(columns[at - 1] ?? before, itemId, column.headline)
      const turned: Turn = now === null || then === null || now === then ? null : now ? 'to_pass' : 'to_fail'
      return { runId: column.run.id, traceId: cell[0]?.traceRef ?? null, turned, metrics }
    })
}

function metricOf(row: ItemScore) {
  const { evaluator, scores, scored, failed, skipped, score, label } = row
  const state = scored > 0 ? 'scored' : failed > 0 ? 'failed' : skipped > 0 ? 'skipped' : 'pending'
  return { name: evaluator, state, score, label, passed: hasPassed(row), repetitions: scores }
}
