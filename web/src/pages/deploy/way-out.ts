import type { DeploymentCheck } from '../../api/generated/api.ts'
import type { PromptKey } from '../../api/prompts-query.ts'
import { pagePaths } from '../../path-builder.ts'

/** What the user does instead of a move that is not possible. */
export type WayOut =
  | { kind: 'link'; label: string; to: string; search: Record<string, string> }
  /** The conditions themselves have to change: there is nothing to compare with. */
  | { kind: 'conditions'; label: string }
  /** Someone else has to do it. */
  | { kind: 'copy'; label: string }

interface Blocked {
  prompt: PromptKey
  check: DeploymentCheck
  isAdmin: boolean
}

/** The first step that brings the conditions nearer. Undefined if there is none, or if the move is possible. */
export function wayOut({ prompt, check, isAdmin }: Blocked): WayOut | undefined {
  const isUnmet = (key: DeploymentCheck['conditions'][number]['key']) =>
    check.conditions.some((one) => one.key === key && !one.met)
  const { gate, verdict, baseline, version, itemsNeeded } = check
  if (check.allowed || isUnmet('version')) return undefined
  if (isUnmet('role')) return { kind: 'copy', label: 'Copy link for an admin' }
  if (!gate) return undefined
  if (baseline === null) {
    return isAdmin
      ? { kind: 'conditions', label: 'Change the conditions' }
      : { kind: 'copy', label: 'Copy link for an admin' }
  }
  const { applicationId, componentId, promptId } = prompt
  const link = (label: string, to: string, search: Record<string, string>) =>
    ({ kind: 'link', label, to, search }) as const
  const newEvaluation = pagePaths.newEvaluation(applicationId, componentId)
  // It asks both versions the same questions, and its runs are evaluated.
  const trial = link('Set up a trial', pagePaths.newTrial(applicationId, componentId), {
    prompt: promptId,
    version: `${baseline},${version}`,
    dataset: gate.datasetId,
  })
  if (!verdict) return trial
  if (isUnmet('compared') || isUnmet('unchanged') || isUnmet('recent')) {
    const { runId, evaluationId } = verdict.candidate
    return link('Evaluate both versions', newEvaluation, { run: runId, ...(evaluationId && { from: evaluationId }) })
  }
  const needed = itemsNeeded?.ifAsMeasured ?? itemsNeeded?.ifEqual ?? null
  if (needed !== null && itemsNeeded && needed > itemsNeeded.available)
    return link('Add items to the dataset', pagePaths.dataset(applicationId, componentId, gate.datasetId), {})
  if (needed !== null && needed > verdict.items) return trial
  return link('Look at the items that differ', pagePaths.compare(applicationId, componentId), {
    base: verdict.baseline.runId,
    cand: verdict.candidate.runId,
    metric: gate.metric,
    margin: String(gate.margin),
  })
}
