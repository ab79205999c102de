import { listWorkRuns } from '../annotations/work/read-work.ts'
import { notFound } from '../base/errors.ts'
import { yieldToEventLoop } from '../base/event-loop.ts'
import { lowestIdAt } from '../base/ids.ts'
import type { Principal } from '../base/principal.ts'
import { estimateMean } from '../comparisons/estimate-mean.ts'
import { findComponent } from '../components/component-queries.ts'
import { listBlindRuns } from '../scores/blind-annotation-queries.ts'
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
import { shownEvaluation } from './shown-evaluation.ts'
import { comparisonOf, headlineOf, type ShownResults, shownResults } from './shown-results.ts'
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
  const blindRuns = new Set(await listBlindRuns(q, { workspaceId: by.workspaceId, readerId: by.userId }))
  const working = await readWorking(q, scope, period)
  const { evaluations, results, runs } = await readResults(q, scope, { ids: [completedId, comparedId], blindRuns })
  const compared = results.get(comparedId ?? '')
  const newestRun = await readNewestRun(q, by, runId, blindRuns)
  return {
    component: { id, name, description },
    ...periodTimes(period),
    counts: { datasets: counts.datasets, runs: counts.runs, evaluations: counts.evaluations },
    working,
    good: {
      ...goodOf(results.get(completedId ?? ''), evaluations, runs),
      comparison: (compared && comparisonOf(compared, runs)) ?? null,
    },
    needs: await readNeeds(q, by, { ...scope, period, failingTraces: working.current.errors }),
    newestRun,
    datasets: await listNewestDatasets(q, scope, DATASETS_MAX),
    activity: await readActivity(q, scope),
  }
}

async function readWorking(q: Queries, scope: Scope, period: Period) {
  const read = async (when: Period) => {
    const found = await readTraceNumbers(q, { ...scope, componentIds: [scope.componentId] }, when)
    const { knownCosts = [], ...numbers } = found.get(scope.componentId) ?? {}
    const { mean, ci } = await estimateMean(yieldToEventLoop, Float64Array.from(knownCosts), {
      seed: scope.componentId,
      hasBinaryScale: false,
    })
    return { errors: 0, ...numbers, costPerTrace: { mean, ci, n: knownCosts.length } }
  }
  return { current: await read(period), previous: await read(periodBefore(period)) }
}

/** The newest evaluations of the dataset that was evaluated last, one of each run, and the runs that they name. */
async function readResults(
  q: Queries,
  { workspaceId, componentId }: Scope,
  { ids, blindRuns }: { ids: readonly (string | null)[]; blindRuns: ReadonlySet<string> },
) {
  const [newest] = await listEvaluationsByIds(
    q,
    workspaceId,
    ids.slice(0, 1).filter((id) => id !== null),
  )
  const { datasetId } = newest ?? {}
  const completed =
    datasetId === undefined
      ? []
      : await listCompletedIds(q, { workspaceId, componentId, datasetId, limit: COMPLETED_READ })
  const perRun = completed.filter(({ runId }, index) => completed.findIndex((one) => one.runId === runId) === index)
  const wanted = [...perRun.slice(0, HISTORY_MAX).map(({ id }) => id), ...ids.filter((id) => id !== null)]
  const evaluations = await listEvaluationsByIds(q, workspaceId, [...new Set(wanted)])
  const results = new Map(evaluations.map((evaluation) => [evaluation.id, shownResults(evaluation, blindRuns)]))
  const runIds = [...results.values()].flatMap(({ evaluation, comparison }) =>
    [evaluation.runId, comparison?.baseline.runId, comparison?.candidate.runId].filter((id) => typeof id === 'string'),
  )
  const runs = new Map((await listRunsByIds(q, workspaceId, [...new Set(runIds)])).map((run) => [run.id, run]))
  const inOrder = perRun.slice(0, HISTORY_MAX).flatMap(({ id }) => results.get(id) ?? [])
  return { evaluations: inOrder, results, runs }
}

type Runs = Parameters<typeof comparisonOf>[1]

/** `evaluations` are newest first. */
function goodOf(newest: ShownResults | undefined, evaluations: readonly ShownResults[], runs: Runs) {
  if (!newest) return { evaluation: null, previous: null, history: [], insights: [] }
  const previous = evaluations.find(({ evaluation }) => evaluation.runId !== newest.evaluation.runId)
  const shown = (results: ShownResults) => ({
    ...shownEvaluation(results.evaluation, runs),
    metrics: results.metrics,
    headline: headlineOf(results)?.name ?? null,
  })
  return {
    evaluation: shown(newest),
    previous: previous ? shown(previous) : null,
    history: evaluations.map(shown).reverse(),
    insights: newest.insights.slice(0, INSIGHTS_MAX),
  }
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
