import { listWorkRuns } from '../annotations/work/read-work.ts'
import { notFound } from '../base/errors.ts'
import { lowestIdAt } from '../base/ids.ts'
import type { Principal } from '../base/principal.ts'
import { findComponent } from '../components/component-queries.ts'
import { listRunEvaluations } from '../scores/run-evaluation-queries.ts'
import type { Queries } from '../storage/db.ts'
import { withRatedCounts } from './newest-run.ts'
import { type Period, periodBefore, periodTimes } from './overview-period.ts'
import {
  listEvaluationIds,
  listEvaluationStates,
  listEvaluationsWithResults,
  listFailedEvaluations,
  listNewestDatasets,
  listNewestIds,
  listOverviewRuns,
  listRaters,
} from './overview-queries.ts'
import { readResults } from './read-results.ts'
import { shownEvaluation } from './shown-results.ts'
import { costPerTraceOf, readTraceNumbers } from './trace-numbers.ts'

const COMPLETED_READ = 50
const HISTORY_MAX = 8
const INSIGHTS_MAX = 5
const FAILED_MAX = 5
const DATASETS_MAX = 20
const RUNS_MAX = 5
const ACTIVITY_MAX = 8

type Scope = { workspaceId: string; componentId: string }

/** Whether a component works, how good it is, and what needs the caller. */
export async function readComponentOverview(q: Queries, by: Principal, componentId: string, period: Period) {
  const scope = { workspaceId: by.workspaceId, componentId }
  const [component] = await findComponent(q, scope)
  const [newest] = await listNewestIds(q, { workspaceId: by.workspaceId, componentIds: [componentId] })
  if (!component || !newest) throw notFound('Component')
  const { id, name, description } = component
  const { runId, completedId, comparedId, ...counts } = newest
  const working = await readWorking(q, scope, period)
  const { good, blindRuns } = await readGood(q, by, { componentId, completedId, comparedId })
  return {
    component: { id, name, description },
    ...periodTimes(period),
    counts: {
      prompts: counts.prompts,
      datasets: counts.datasets,
      runs: counts.runs,
      evaluations: counts.evaluations,
      experiments: counts.experiments,
    },
    working,
    good,
    needs: await readNeeds(q, by, { componentId, period, failingTraces: working.current.errors }),
    newestRun: await readNewestRun(q, by, runId, blindRuns),
    datasets: await listNewestDatasets(q, scope, DATASETS_MAX),
    activity: await readActivity(q, scope),
  }
}

async function readWorking(q: Queries, scope: Scope, period: Period) {
  const read = async (when: Period) => {
    const found = await readTraceNumbers(q, { ...scope, componentIds: [scope.componentId] }, when)
    const { knownCosts = [], ...numbers } = found.get(scope.componentId) ?? {}
    return { errors: 0, ...numbers, costPerTrace: await costPerTraceOf(knownCosts) }
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
  const [newest] = completedId === null ? [] : await listEvaluationsWithResults(q, workspaceId, [completedId])
  const completed = newest
    ? await listEvaluationIds(q, workspaceId, {
        componentId,
        datasetId: newest.datasetId,
        status: 'completed',
        limit: COMPLETED_READ,
      })
    : []
  const perRun = completed
    .filter(({ runId }, index) => completed.findIndex((one) => one.runId === runId) === index)
    .slice(0, HISTORY_MAX)
  const runIds = perRun.flatMap(({ runId }) => runId ?? [])
  const byRun = Map.groupBy(await listRunEvaluations(q, { workspaceId, runIds }), ({ runId }) => runId)
  const idsOf = ({ id, runId }: { id: string; runId: string | null }) =>
    byRun.get(runId ?? '')?.map((one) => one.id) ?? [id]
  const results = await readResults(q, by, { evaluationIds: [...perRun.flatMap(idsOf), completedId, comparedId] })
  const previous = perRun.find(({ runId }) => runId !== newest?.runId)
  const good = {
    evaluation: newest ? results.metricsOf(...idsOf(newest)) : null,
    previous: previous ? results.metricsOf(...idsOf(previous)) : null,
    history: perRun.flatMap((one) => results.metricsOf(...idsOf(one)) ?? []).reverse(),
    insights: results.insightsOf(completedId).slice(0, INSIGHTS_MAX),
    comparison: results.comparisonOf(comparedId),
  }
  return { good, blindRuns: results.blindRuns }
}

async function readNewestRun(q: Queries, by: Principal, runId: string | null, blindRuns: ReadonlySet<string>) {
  if (runId === null) return null
  const runs = await listOverviewRuns(q, by.workspaceId, { ids: [runId] })
  const rated = (await withRatedCounts(q, by, runs, blindRuns)).get(runId)
  const evaluations = await listEvaluationIds(q, by.workspaceId, { runId, limit: 1 })
  return rated ? { ...rated, isEvaluated: evaluations.length > 0 } : null
}

async function readNeeds(
  q: Queries,
  by: Principal,
  { componentId, period, failingTraces }: { componentId: string; period: Period; failingTraces: number },
) {
  const { runs } = await listWorkRuns(q, by, componentId)
  const sinceId = lowestIdAt(Number(period.range.from / 1_000_000n))
  const failed = await listFailedEvaluations(q, by.workspaceId, { componentId, sinceId, limit: FAILED_MAX })
  const runIds = failed.flatMap(({ runId }) => runId ?? [])
  const evaluatedRuns = await listOverviewRuns(q, by.workspaceId, { ids: runIds })
  const runsById = new Map(evaluatedRuns.map((run) => [run.id, run]))
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
    failedEvaluations: failed.map((evaluation) => shownEvaluation(evaluation, runsById)),
    failingTraces,
  }
}

/** What happened last in a component: runs that were created, evaluations that were started, and who has rated. Newest first. */
async function readActivity(q: Queries, { workspaceId, componentId }: Scope) {
  const newest = { componentId, limit: ACTIVITY_MAX }
  const newestRuns = await listOverviewRuns(q, workspaceId, newest)
  const evaluations = await listEvaluationStates(q, workspaceId, newest)
  const runIds = evaluations.flatMap(({ runId }) => runId ?? [])
  const evaluatedRuns = await listOverviewRuns(q, workspaceId, { ids: runIds })
  const runs = new Map([...newestRuns, ...evaluatedRuns].map((run) => [run.id, run]))
  const raters = await listRaters(q, workspaceId, [...runs.keys()])
  const entries = [
    ...newestRuns.map((run) => ({ ...EMPTY, kind: 'run', at: run.createdAt, run })),
    ...evaluations.map((evaluation) => {
      const shown = shownEvaluation(evaluation, runs)
      const at = evaluation.completedAt ?? evaluation.createdAt
      return { ...EMPTY, kind: 'evaluation', at, run: shown.run, evaluation: shown }
    }),
    ...raters.map(({ runId, userId, name, count, at }) => ({
      ...EMPTY,
      kind: 'ratings',
      at: at ?? '',
      run: runs.get(runId) ?? null,
      user: { id: userId, name },
      count,
    })),
  ]
  return entries.sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, ACTIVITY_MAX)
}

const EMPTY = { run: null, evaluation: null, user: null, count: null }
