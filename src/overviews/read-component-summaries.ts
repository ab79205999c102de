import { listWorkRuns } from '../annotations/work/read-work.ts'
import type { Principal } from '../base/principal.ts'
import { listRunEvaluations } from '../scores/run-evaluation-queries.ts'
import type { Queries } from '../storage/db.ts'
import { cutPage, type KeysetPage } from './keyset-page.ts'
import { withRatedCounts } from './newest-run.ts'
import { type Period, periodTimes } from './overview-period.ts'
import { listComponentsAfter, listNewestIds } from './overview-queries.ts'
import { readResults } from './read-results.ts'
import { readTraceNumbers } from './trace-numbers.ts'

/** A page of the components with what their overview has in short. The number of statements does not depend on the number of components. */
export async function readComponentSummaries(
  q: Queries,
  by: Principal,
  { period, after, limit }: { period: Period } & KeysetPage,
) {
  const { workspaceId } = by
  // One more, to find out whether there are more.
  const found = await listComponentsAfter(q, { workspaceId, after, limit: limit + 1 })
  const { page: components, nextCursor } = cutPage(found, limit)
  const scope = { workspaceId, componentIds: components.map(({ id }) => id) }
  const numbers = await readTraceNumbers(q, scope, period)
  const work = await readWorkByComponent(q, by)
  const parts = await readNewestParts(q, by, scope.componentIds)
  const data = components.map((component) => {
    const { knownCosts: _, ...traces } = numbers.get(component.id) ?? {}
    return { ...component, traces, work: work.of(component.id), ...parts.of(component.id) }
  })
  return { ...periodTimes(period), data, nextCursor }
}

async function readWorkByComponent(q: Queries, by: Principal) {
  const { runs, hasMore } = await listWorkRuns(q, by)
  const byComponent = Map.groupBy(runs, ({ componentId }) => componentId)
  return {
    of: (componentId: string) => {
      const own = byComponent.get(componentId) ?? []
      return {
        remaining: own.reduce((sum, run) => sum + run.remaining, 0),
        openDisagreements: own.reduce((sum, run) => sum + run.openDisagreements, 0),
        hasMore,
      }
    },
  }
}

/** The newest run, evaluation and comparison of each component. */
async function readNewestParts(q: Queries, by: Principal, componentIds: readonly string[]) {
  const { workspaceId } = by
  const newest = new Map((await listNewestIds(q, { workspaceId, componentIds })).map((row) => [row.id, row]))
  const completedRuns = [...newest.values()].flatMap(({ completedRunId }) => completedRunId ?? [])
  const ofRuns = await listRunEvaluations(q, { workspaceId, runIds: completedRuns })
  const evaluationIds = [...newest.values()].flatMap(({ evaluationId, completedId, comparedId }) => {
    return [evaluationId, completedId, comparedId]
  })
  evaluationIds.push(...ofRuns.map(({ id }) => id))
  const runIds = [...newest.values()].map(({ runId }) => runId)
  const results = await readResults(q, by, { evaluationIds, runIds })
  const newestRuns = runIds.flatMap((id) => results.runOf(id) ?? [])
  const rated = await withRatedCounts(q, by, newestRuns, results.blindRuns)
  return {
    of: (componentId: string) => {
      const { runId, evaluationId, completedId, completedRunId, comparedId, ...counts } =
        newest.get(componentId) ?? NONE
      const completed = completedRunId === null ? [] : ofRuns.filter((one) => one.runId === completedRunId)
      return {
        counts: {
          prompts: counts.prompts,
          datasets: counts.datasets,
          runs: counts.runs,
          evaluations: counts.evaluations,
          experiments: counts.experiments,
        },
        newestRun: rated.get(runId ?? '') ?? null,
        newestEvaluation: results.stateOf(evaluationId),
        headline: results.headlineOf(...(completed.length > 0 ? completed.map(({ id }) => id) : [completedId])),
        comparison: results.comparisonOf(comparedId),
      }
    },
  }
}

const NONE = {
  id: '',
  runId: null,
  evaluationId: null,
  completedId: null,
  completedRunId: null,
  comparedId: null,
  prompts: 0,
  datasets: 0,
  runs: 0,
  evaluations: 0,
  experiments: 0,
}
