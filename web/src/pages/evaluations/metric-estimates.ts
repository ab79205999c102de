import type { ComparedMetric, EvaluationSummary } from '../../api/generated/api.ts'
import type { Estimate, MeanEstimate } from '../../ui/charts/estimate.ts'
import { hasMean } from '../../ui/charts/estimate.ts'
import { toEstimate } from '../overview/trace-estimates.ts'
import type { Interval, ResultMetric } from './evaluation-results.ts'

export interface MetricEstimates {
  /** The pass rate where there is one, otherwise the mean. The summary of the server replaces what is too uncertain. */
  main: Estimate
  unit: 'pass' | 'mean'
  /** The mean, if the pass rate does not say the same. */
  mean: Estimate | undefined
  baseline: Estimate | undefined
  /** What people would say. */
  corrected: Estimate | undefined
  /** The scale of `main`; null if it has no ends. */
  scale: Interval | null
}

type ShownMetric = EvaluationSummary['metrics'][number]

export function estimatesOf(
  metric: ResultMetric,
  { shown, compared }: { shown: ShownMetric | undefined; compared: ComparedMetric | undefined },
): MetricEstimates {
  const { passed, mean, ci, n, corrected } = metric
  const instead = shown?.summary ?? null
  const unit = passed ? 'pass' : 'mean'
  const noInterval = n === 0 ? 'No scores.' : mean === null ? 'Labels have no mean.' : `No interval, n ${n}.`
  const estimate = (numbers: { mean: number | null; ci: Interval | null; n: number }): Estimate =>
    instead === null ? toEstimate(numbers, noInterval) : { summary: instead }
  // A compared metric with scores has another mean than the pass rate.
  const isSameUnit = compared && (unit === 'mean' || compared.kind === 'binary')
  return {
    main: estimate(passed ?? { mean, ci, n }),
    unit,
    mean: passed && metric.kind === 'numeric' && mean !== null ? estimate({ mean, ci, n }) : undefined,
    baseline: isSameUnit ? toEstimate({ ...compared.baseline, n: compared.items }, '') : undefined,
    corrected: corrected
      ? toEstimate({ mean: corrected.rate, ci: corrected.ci, n: corrected.labels }, corrected.method)
      : undefined,
    scale: passed ? [0, 1] : metric.scale,
  }
}

/** An estimate as a share of its scale, so that all metrics have one axis on which right is better. */
export function shareOf(estimate: Estimate, scale: Interval, higherIsBetter: boolean): Estimate {
  if (!hasMean(estimate)) return estimate
  const [least, most] = scale
  const share = (value: number) => {
    const part = (value - least) / (most - least)
    return higherIsBetter ? part : 1 - part
  }
  const ends = [share(estimate.low), share(estimate.high)].sort((a, b) => a - b)
  return { ...estimate, mean: share(estimate.mean), low: ends[0] ?? 0, high: ends[1] ?? 0 }
}

export function knownEstimates(estimates: (Estimate | undefined)[]): MeanEstimate[] {
  return estimates.filter((estimate) => estimate !== undefined).filter(hasMean)
}
