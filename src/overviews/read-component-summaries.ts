import { listWorkRuns } from '../annotations/work/read-work.ts'
import type { Principal } from '../base/principal.ts'
import { listBlindRuns } from '../scores/blind-annotation-queries.ts'
import type { Queries } from '../storage/db.ts'
import { withRatedCounts } from './newest-run.ts'
import { type Period, periodTimes } from './overview-period.ts'
import { listComponentsAfter, listEvaluationsByIds, listNewestIds, listRunsByIds } from './overview-queries.ts'
import { shownEvaluation } from './shown-evaluation.ts'
import { comparisonOf, headlineOf, shownResults } from './shown-results.ts'
import { readTraceNumbers } from './trace-numbers.ts'

/** A page of the components with what their overview has in short. The number of statements does not depend on the number of components. */
export async function readComponentSummaries(
  q: Queries,
  by: Principal,
  { period, after, limit }: { period: Period; after: string | undefined; limit: number },
) {
  const { workspaceId } = by
  // One more, to find out whether there are more.
  const found = await listComponentsAfter(q, { workspaceId, after, limit: limit + 1 })
  const components = found.slice(0, limit)
  const scope = { workspaceId, componentIds: components.map(({ id }) => id) }
  const numbers = await readTraceNumbers(q, scope, period)
  const work = await readWorkByComponent(q, by)
  const parts = await readNewestParts(q, by, scope.componentIds)
  const data = components.map((component) => {
    const { knownCosts: _, ...traces } = numbers.get(component.id) ?? {}
    return { ...component, traces, work: work.of(component.id), ...parts.of(component.id) }
  })
  const last = found.length > limit ? data.at(-1) : undefined
  return { ...periodTimes(period), data, lastId: last?.id }
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
  const { workspaceId, userId } = by
  const newest = new Map((await listNewestIds(q, { workspaceId, componentIds })).map((row) => [row.id, row]))
  const blindRuns = new Set(await listBlindRuns(q, { workspaceId, readerId: userId }))
  const evaluationIds = [...newest.values()].flatMap(({ evaluationId, completedId, comparedId }) =>
    [evaluationId, completedId, comparedId].filter((id) => id !== null),
  )
  const evaluations = await listEvaluationsByIds(q, workspaceId, [...new Set(evaluationIds)])
  const results = new Map(evaluations.map((evaluation) => [evaluation.id, shownResults(evaluation, blindRuns)]))
  const namedRuns = [...results.values()].flatMap(({ evaluation, comparison }) => [
    evaluation.runId,
    comparison?.baseline.runId,
    comparison?.candidate.runId,
  ])
  const newestRuns = [...newest.values()].map(({ runId }) => runId)
  const runIds = [...new Set([...namedRuns, ...newestRuns])].filter((id) => typeof id === 'string')
  const runs = new Map((await listRunsByIds(q, workspaceId, runIds)).map((run) => [run.id, run]))
  const shown = [...runs.values()].filter(({ id }) => newestRuns.includes(id))
  const rated = await withRatedCounts(q, by, shown, blindRuns)
  return {
    of: (componentId: string) => {
      const { runId, evaluationId, completedId, comparedId, datasets, ...counts } = newest.get(componentId) ?? NONE
      const evaluation = results.get(evaluationId ?? '')
      const completed = results.get(completedId ?? '')
      const compared = results.get(comparedId ?? '')
      const headline = completed && headlineOf(completed)
      return {
        counts: { datasets, runs: counts.runs, evaluations: counts.evaluations },
        newestRun: rated.get(runId ?? '') ?? null,
        newestEvaluation: evaluation ? shownEvaluation(evaluation.evaluation, runs) : null,
        headline: completed && headline ? { evaluationId: completed.evaluation.id, ...headline } : null,
        comparison: (compared && comparisonOf(compared, runs)) ?? null,
      }
    },
  }
}

const NONE = {
  id: '',
  runId: null,
  evaluationId: null,
  completedId: null,
  comparedId: null,
  datasets: 0,
  runs: 0,
  evaluations: 0,
}
