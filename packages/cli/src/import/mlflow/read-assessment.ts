import type { ImportedScore, ImportRecord, OtlpTraceRecord } from '../import-record.ts'
import { type Fields, fieldsOf } from '../source-values.ts'
import { expectationValue, isExpectation, mlflowComment, mlflowScore } from './map-mlflow.ts'

export interface ScoredRun {
  runId: string
  name: string
  /** The scores so far, by trace and name. */
  scores: Map<string, ImportedScore>
}

/** An assessment of an evaluation is added to the scores of its run; any other becomes feedback on its trace. */
export function* readAssessment(
  { traceId }: OtlpTraceRecord,
  assessment: Fields,
  run: ScoredRun | undefined,
): Generator<ImportRecord> {
  const name = String(assessment['assessment_name'])
  if (assessment['valid'] === false) {
    const what = `assessment ${name} of ${traceId}`
    yield { kind: 'notTaken', of: 'annotations', what, reason: 'a newer one has replaced it' }
    return
  }
  const isOfRun = run && fieldsOf(assessment['metadata'])['mlflow.assessment.sourceRunId'] === run.runId
  if (isExpectation(assessment)) {
    const value = expectationValue(assessment['expectation'])
    // In a run it is the expected output of the item, which was taken with the item.
    if (isOfRun) return
    if (name === 'expected_response' && typeof value === 'string')
      yield { kind: 'annotation', traceId, correctedOutput: value }
    else yield mlflowComment(traceId, assessment)
    return
  }
  if (!isOfRun) {
    yield mlflowComment(traceId, assessment)
    return
  }
  const score = mlflowScore(traceId, assessment)
  const what = `assessment ${name} in ${run.name}`
  const key = JSON.stringify([traceId, name])
  if (!('evaluator' in score)) yield { kind: 'notTaken', of: 'scores', what, reason: score.reason }
  else if (run.scores.has(key))
    yield { kind: 'notTaken', of: 'scores', what, reason: 'the trace has another of this name' }
  else run.scores.set(key, score)
}
