import type { Tables } from '../storage/tables.ts'

/** Replaces the ratings of a trace if the caller has not rated it yet in a blind run. */
export const WITHHELD_REASON = 'withheld: this run is rated blindly'

type StoredScore = {
  evaluator: string
  repetition: number
  state: Tables['evaluation_scores']['state']
  score: number | null
  label: string | null
  passed: number | null
  reason: string | null
  attempts: number
  details: string | null
  costUsd: number | null
}

export type ShownScore = ReturnType<typeof shownScore>

/**
 * A score as the API returns it. `reason` explains a score, `error` explains why there is none; for a score that is
 * waiting for a retry it is the last error. The results of the evaluators in `withheld` are hidden.
 */
export function shownScore(stored: StoredScore, withheld: readonly string[]) {
  const row = withheld.includes(stored.evaluator) ? withoutVerdict(stored) : stored
  return {
    evaluator: row.evaluator,
    repetition: row.repetition,
    state: row.state,
    score: row.score,
    label: row.label,
    passed: row.passed === null ? null : row.passed === 1,
    reason: row.state === 'scored' ? row.reason : null,
    error: row.state === 'scored' ? null : row.reason,
    attempts: row.attempts,
    details: parsed(row.details),
    costUsd: row.costUsd,
  }
}

function parsed(details: string | null): Record<string, unknown> | null {
  return details === null ? null : JSON.parse(details)
}

function withoutVerdict(row: StoredScore): StoredScore {
  return { ...row, state: 'scored', score: null, label: null, passed: null, reason: WITHHELD_REASON, details: null }
}
