import type { ComponentOverview } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'

/** Where the newest run is evaluated, with the evaluators of the last evaluation. Undefined without a run. */
export function nextEvaluation(applicationId: string, { component, newestRun, good }: ComponentOverview) {
  if (!newestRun) return undefined
  const from = good.evaluation ? { from: good.evaluation.id } : {}
  return { to: pagePaths.newEvaluation(applicationId, component.id), search: { run: newestRun.id, ...from } }
}
