import { meanOf } from '../statistics/sums.ts'
import type { StoredScore } from './trace-score-queries.ts'

/** For each trace and evaluator, the newest evaluation with the mean of its repetitions. Expects the newest evaluation first. */
export function newestScores(stored: readonly StoredScore[]) {
  const byTrace = Map.groupBy(stored, ({ traceId }) => traceId)
  return new Map([...byTrace].map(([traceId, ofTrace]) => [traceId, newestOfEvaluators(ofTrace)]))
}

function newestOfEvaluators(stored: readonly StoredScore[]) {
  const byEvaluator = Map.groupBy(stored, ({ evaluator }) => evaluator)
  return [...byEvaluator.entries()]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([evaluator, scores]) => {
      const evaluationId = scores[0]?.evaluationId ?? ''
      const newest = scores.filter((score) => score.evaluationId === evaluationId)
      return {
        evaluationId,
        evaluator,
        score: meanOf(newest.flatMap(({ score }) => score ?? [])),
        label: commonValue(newest.map(({ label }) => label)),
        passed: toBoolean(commonValue(newest.map(({ passed }) => passed))),
        repetitions: newest.length,
      }
    })
}

/** Null if the repetitions differ. */
function commonValue<Value>(values: readonly (Value | null)[]): Value | null {
  const [first = null, ...others] = new Set(values)
  return others.length > 0 ? null : first
}

function toBoolean(passed: number | null): boolean | null {
  return passed === null ? null : passed === 1
}
