import type { EvaluationDetail } from 'touchstone-sdk'
import { type EvaluationResults, readGate } from './evaluation-report.ts'
import type { ComparedRuns } from './read-cases.ts'

/** Undefined without a comparison. */
export function comparedRuns(evaluation: EvaluationDetail, signal: AbortSignal): ComparedRuns | undefined {
  const { comparison }: EvaluationResults = evaluation.results ?? {}
  if (!comparison) return undefined
  const gate = readGate(evaluation)
  return {
    componentId: evaluation.aiComponentId,
    baseline: comparison.baseline.runId,
    candidate: comparison.candidate.runId,
    metric: comparison.metrics.find(({ name }) => name === gate?.metric)?.name,
    metrics: comparison.metrics,
    split: comparison.split ?? undefined,
    signal,
  }
}
