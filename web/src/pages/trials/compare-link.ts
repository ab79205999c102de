import type { TrialDetail } from '../../api/generated/api.ts'
import { baselineOf, candidatesOf, isOpen } from './trial-words.ts'

/** As many as the page of comparisons takes. */
const CANDIDATES_MAX = 10

/** The runs of the variants with answers, for the page of comparisons; undefined while there is nothing to compare. */
export function compareSearch(trial: TrialDetail): { base: string; cand: string[] } | undefined {
  const baseline = baselineOf(trial)
  const answered = candidatesOf(trial).filter(({ done }) => done > 0)
  if (isOpen(trial) || !baseline || baseline.done === 0 || answered.length === 0) return undefined
  const best = answered.filter(({ name }) => name === trial.ranking?.best)
  const others = answered.filter(({ name }) => name !== trial.ranking?.best)
  return { base: baseline.runId, cand: [...best, ...others].slice(0, CANDIDATES_MAX).map(({ runId }) => runId) }
}
