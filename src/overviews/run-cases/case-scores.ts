import { shortened } from '../../base/text.ts'
import { meanOf } from '../../statistics/sums.ts'
import type { CaseScoreRow } from './run-case-queries.ts'

const REASON_LENGTH_MAX = 200

/** For each evaluator the score of one trace, the mean of the repetitions of the evaluator. */
export function scoresOfCase(rows: readonly CaseScoreRow[]) {
  return [...Map.groupBy(rows, ({ evaluator }) => evaluator)].map(([evaluator, repetitions]) => {
    const scored = repetitions.filter(({ state }) => state === 'scored')
    const [representative = repetitions[0]] = scored
    const { reason = null, state = 'queued' } = representative ?? {}
    return {
      evaluator,
      state,
      score: meanOf(scored.flatMap(({ score }) => score ?? [])),
      label: commonOf(scored.map(({ label }) => label)),
      passed: toBoolean(commonOf(scored.map(({ passed }) => passed))),
      repetitions: repetitions.length,
      reason: reason === null ? null : shortened(reason.replace(/\s+/g, ' ').trim(), REASON_LENGTH_MAX),
    }
  })
}

/** For each evaluator how the scores of all repetitions of an item spread. */
export function spreadOf(rows: readonly CaseScoreRow[]) {
  const scored = rows.filter(({ state }) => state === 'scored')
  return [...Map.groupBy(scored, ({ evaluator }) => evaluator)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([evaluator, ofEvaluator]) => {
      const scores = ofEvaluator.flatMap(({ score }) => score ?? [])
      const marks = ofEvaluator.flatMap(({ passed }) => passed ?? [])
      return {
        evaluator,
        n: ofEvaluator.length,
        mean: meanOf(scores),
        min: scores.length === 0 ? null : Math.min(...scores),
        max: scores.length === 0 ? null : Math.max(...scores),
        passed: marks.length === 0 ? null : marks.filter((mark) => mark === 1).length,
      }
    })
}

/** Null if the repetitions differ. */
function commonOf<Value>(values: readonly (Value | null)[]): Value | null {
  const [first = null, ...others] = new Set(values)
  return others.length > 0 ? null : first
}

function toBoolean(passed: number | null): boolean | null {
  return passed === null ? null : passed === 1
}
