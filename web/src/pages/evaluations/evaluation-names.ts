import type { EvaluationDetail, EvaluationSummary } from '../../api/generated/api.ts'
import { evaluationTitle, formatTime, runTitle } from '../runs/run-title.ts'
import type { EvaluationResults } from './evaluation-results.ts'

export interface EvaluationNames {
  title: string
  dataset: string | undefined
  /** Undefined if the evaluation has no run, or if it was deleted. */
  run: { id: string; title: string; traceCount: number } | undefined
  /** What is measured: the run, or else the dataset. */
  candidate: string
  baseline: string | undefined
}

export function namesOf(
  evaluation: EvaluationDetail,
  summary: EvaluationSummary | null | undefined,
  results: EvaluationResults | null,
): EvaluationNames {
  const run = summary?.run ?? null
  const title = summary
    ? evaluationTitle(summary)
    : evaluation.name?.trim() || `Evaluation, ${formatTime(evaluation.createdAt)}`
  const baseline = summary?.comparison?.baseline
  return {
    title,
    dataset: summary?.dataset.name,
    run: run ? { id: run.id, title: runTitle(run), traceCount: run.traceCount } : undefined,
    candidate: run ? runTitle(run) : (summary?.dataset.name ?? 'this evaluation'),
    baseline: baseline ? runTitle(baseline) : (results?.comparison?.baseline.name ?? undefined),
  }
}
