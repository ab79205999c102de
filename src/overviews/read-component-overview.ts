import { listWorkRuns } from '../annotations/work/read-work.ts'
import { notFound } from '../base/errors.ts'
import { yieldToEventLoop } from '../base/event-loop.ts'
import { lowestIdAt } from '../base/ids.ts'
import type { Principal } from '../base/principal.ts'
import { estimateMean } from '../comparisons/evidence/estimate-mean.ts'
import { findComponent } from '../components/component-queries.ts'
import type { Queries } from '../storage/db.ts'
import { withRatedCounts } from './newest-run.ts'
import { type Period, periodBefore, periodTimes } from './overview-period.ts'
import {
  hasEvaluation,
  listCompletedIds,
  listEvaluationsByIds,
  listFailedEvaluations,
  listNewestDatasets,
  listNewestIds,
  listRunsByIds,
} from './overview-queries.ts'
import { readActivity } from './read-activity.ts'
import { readResults } from './read-results.ts'
import { shownEvaluation } from './shown-evaluation.ts'
import { readTraceNumbers } from './trace-numbers.ts'

const COMPLETED_READ = 50
const HISTORY_MAX = 8
const INSIGHTS_MAX = 5
const FAILED_MAX = 5
const DATASETS_MAX = 20
const RUNS_MAX = 5

type Scope = { workspaceId: string; componentId: string }

/** Whether a component works, how good it is, and what needs the caller. */
export async function readComponentOverview(q: Queries, by: Principal, componentId: string, period: Period) {
  const scope = { workspaceId: by.workspaceId, componentId }
  const [component] = await findComponent(q, scope)
  const [newest] = await listNewestIds(q, { workspaceId: by.workspaceId, componentIds: [componentId] })
  if (!component || !newest) throw notFound('Component')
  const { id, name, description } = component
  const { runId, evaluationId: _, completedId, comparedId, ...counts } = newest
  const working = await readWorking(q, scope, period)
  const { good, blindRuns } = await readGood(q, by, { componentId, completedId, comparedId })
  return {
    component: { id, name, description },
    ...periodTimes(period),
    counts: { datasets: counts.datasets, runs: counts.runs, evaluations: counts.evaluations },
    working,
    good,
    needs: await readNeeds(q, by, { ...scope, period, failingTraces: working.current.errors }),
    newestRun: await readNewestRun(q, by, runId, blindRuns),
    datasets: await listNewestDatasets(q, scope, DATASETS_MAX),
    activity: await readActivity(q, scope),
  }
}

async function readWorking(q: Queries, scope: Scope, period: Period) {
  const read = async (when: Period) => {
    const found = await readTraceNumbers(q, { ...scope, componentIds: [scope.componentId] }, when)
    const { knownCosts = [], ...numbers } = found.get(scope.componentId) ?? {}
    const { mean, ci } = await estimateMean(yieldToEventLoop, Float64Array.from(knownCosts), {
      hasBinaryScale: false,
    })
    return { errors: 0, ...numbers, costPerTrace: { mean, ci, n: knownCosts.length } }
  }
  return { current: await read(period), previous: await read(periodBefore(period)) }
}

/** The newest results, and those of the runs before it on the same dataset, one of each run. */
async function readGood(
  q: Queries,
  by: Principal,
  {
    componentId,
    completedId,
    comparedId,
  }: { componentId: string; completedId: string | null; comparedId: string | null },
) {
  const { workspaceId } = by
  const [newest] = completedId === null ? [] : await listEvaluationsByIds(q, workspaceId, [completedId])
  const completed = newest
    ? await listCompletedIds(q, { workspaceId, componentId, datasetId: newest.datasetId, limit: COMPLETED_READ })
    : []
  const perRun = completed
    .filter(({ runId }, index) => completed.findIndex((one) => one.runId === runId) === index)
    .slice(0, HISTORY_MAX)
  const results = await readResults(q, by, { evaluationIds: [...perRun.map(({ id }) => id), completedId, comparedId] })
  const previous = perRun.find(({ runId }) => runId !== newest?.runId)
  const good = {
    evaluation: results.metricsOf(completedId),
    previous: results.metricsOf(previous?.id ?? null),
    history: perRun.flatMap(({ id }) => results.metricsOf(id) ?? []).reverse(),
    insights: results.insightsOf(completedId).slice(0, INSIGHTS_MAX),
    comparison: results.comparisonOf(comparedId),
  }
  return { good, blindRuns: results.blindRuns }
}

async function readNewestRun(q: Queries, by: Principal, runId: string | null, blindRuns: ReadonlySet<string>) {
  if (runId === null) return null
  const runs = await listRunsByIds(q, by.workspaceId, [runId])
  const rated = (await withRatedCounts(q, by, runs, blindRuns)).get(runId)
  return rated ? { ...rated, isEvaluated: await hasEvaluation(q, by.workspaceId, runId) } : null
}

async function readNeeds(
  q: Queries,
  by: Principal,
  { period, failingTraces, ...scope }: Scope & { period: Period; failingTraces: number },
) {
  const { runs } = await listWorkRuns(q, by, scope.componentId)
  const sinceId = lowestIdAt(Number(period.range.from / 1_000_000n))
  const failed = await listFailedEvaluations(q, { ...scope, sinceId, limit: FAILED_MAX })
  const runIds = failed.flatMap(({ runId }) => runId ?? [])
  const evaluatedRuns = new Map((await listRunsByIds(q, by.workspaceId, runIds)).map((run) => [run.id, run]))
  return {
    remaining: runs.reduce((sum, run) => sum + run.remaining, 0),
    openDisagreements: runs.reduce((sum, run) => sum + run.openDisagreements, 0),
    runs: runs.slice(0, RUNS_MAX).map((run) => ({
      id: run.runId,
      name: run.runName,
      datasetId: run.datasetId,
      datasetName: run.datasetName,
      createdAt: run.runCreatedAt,
      traceCount: run.total,
      rated: run.rated,
      remaining: run.remaining,
      openDisagreements: run.openDisagreements,
    })),
    failedEvaluations: failed.map((evaluation) => shownEvaluation(evaluation, evaluatedRuns)),
    failingTraces,
  }
}
