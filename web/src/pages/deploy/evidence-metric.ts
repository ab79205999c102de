import type { DeploymentEvidence } from '../../api/generated/api.ts'

/** What the formats of comparisons read. Only metrics of traces have ratios. */
export function asMetric({ metric, summary, ratio, ...evidence }: DeploymentEvidence) {
  return {
    ...evidence,
    name: metric,
    ratio,
    summary: summary ?? '',
    role: ratio === null ? ('quality' as const) : ('reported' as const),
    baseline: { ...evidence.baseline, method: '' },
    candidate: { ...evidence.candidate, method: '' },
  }
}
