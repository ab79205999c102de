/** The metric of one evaluator over all its scores, with confidence intervals. */
import { yieldToEventLoop } from '../../base/event-loop.ts'
import type { Evaluator } from '../../evaluators/evaluator.ts'
import { isExternal } from '../../evaluators/external.ts'
import { isBinaryScale } from '../../scores/evaluator-info.ts'
import { type ClassScore, macroF1InSlices } from '../../statistics/classification.ts'
import type { Injection } from '../runner/injection-check.ts'
import type { Corrected } from './calibrate.ts'
import type { Drift } from './judge-drift.ts'
import { type Estimate, estimateOf } from './mean-with-interval.ts'
import { type PassAtKResults, passAtKResults } from './pass-at-k-results.ts'
import type { ScoreColumns } from './score-columns.ts'

export type Metric = Estimate & {
  name: string
  kind: Evaluator['kind']
  scale: Evaluator['scale']
  higherIsBetter: boolean
  /** The number of scores, counting each repetition; `cases` is the number of cases. */
  n: number
  cases: number
  /** The number of groups of items and the design effect of the mean; null where the dataset names no groups. */
  groups: number | null
  designEffect: number | null
  /** The number of skipped scores, and of those that items without a trace in the run would have. */
  missing: number
  failed: number
  /** The number of scores in each tenth of the scale, from worst to best; null without a scale or without scores. */
  distribution: number[] | null
  /** The count and the share of each label, most frequent first; null without labels. */
  labels: ({ label: string; n: number } & Estimate)[] | null
  /** Precision, recall and F1 of each class; only for the evaluator `f1`. */
  classes: readonly ClassScore[] | null
  /** The share that passes; null without a pass threshold. */
  passed: (Estimate & { n: number }) | null
  /** Pass@k results where items have several cases; null elsewhere. */
  attempts: PassAtKResults[] | null
  corrected: Corrected | null
  /** The result of the injection check of a judge, if the config requests it. */
  injection: Injection | null
  /** Whether the judge has changed since the first evaluation with the same anchors, if the config names anchors. */
  drift: Drift | null
}

const DISTRIBUTION_BINS = 10
const LABELS_MAX = 100

/** `seed` makes the resampling reproducible: the same scores always give the same interval. */
export async function measure(
  evaluator: Evaluator,
  verdicts: ScoreColumns,
  seed: string,
): Promise<Omit<Metric, 'missing' | 'failed' | 'corrected' | 'injection' | 'drift'>> {
  const { name, type, scale, higherIsBetter } = evaluator
  const { scores, passes, attempts, classified, n, cases, groupOf } = verdicts
  const classification = type === 'f1' ? await macroF1InSlices(yieldToEventLoop, classified, { seed }) : undefined
  const estimate = classification
    ? {
        mean: classification.macroF1,
        ci: classification.interval ?? null,
        method: `macro F1, BCa bootstrap over ${scores.groups ? 'groups' : scores.clusters === null ? 'cases' : 'items'}, 95 % (Efron 1987)`,
      }
    : scores.values.length === 0 && n > 0
      ? { mean: null, ci: null, method: 'none: labels have no mean, but each has a share' }
      : await estimateOf(scores, { hasBinaryScale: isBinaryScale(evaluator), scale })
  return {
    name,
    kind: isExternal(evaluator) ? kindOf(verdicts) : evaluator.kind,
    scale,
    higherIsBetter,
    n,
    cases,
    ...estimate,
    groups: scores.groups ? new Set(scores.groups).size : null,
    designEffect: 'designEffect' in estimate ? (estimate.designEffect ?? null) : null,
    distribution: scale === null || scores.values.length === 0 ? null : distributionOf(scores.values, scale),
    labels: await measureLabels(verdicts),
    classes: classification?.perClass ?? null,
    passed:
      passes.values.length === 0
        ? null
        : { n: passes.values.length, ...(await estimateOf(passes, { hasBinaryScale: true })) },
    attempts: await passAtKResults(attempts, `${seed}:attempts`, groupOf),
  }
}

/** What external scores are is known only once they are there. */
function kindOf({ scores: { values }, labels }: ScoreColumns): Evaluator['kind'] {
  if (values.length === 0) return labels.values.length === 0 ? 'numeric' : 'categorical'
  return values.every((value) => value === 0 || value === 1) ? 'binary' : 'numeric'
}

function distributionOf(values: readonly number[], [least, most]: readonly [number, number]): number[] {
  const bins = new Array<number>(DISTRIBUTION_BINS).fill(0)
  for (const value of values) {
    const share = (value - least) / (most - least)
    const bin = Math.max(0, Math.min(DISTRIBUTION_BINS - 1, Math.floor(share * DISTRIBUTION_BINS)))
    bins[bin] = (bins[bin] ?? 0) + 1
  }
  return bins
}

async function measureLabels({
  labels,
  labelNames,
}: Pick<ScoreColumns, 'labels' | 'labelNames'>): Promise<Metric['labels']> {
  if (labels.values.length === 0) return null
  const counts = labelNames.map((label, index) => ({ label, index, n: 0 }))
  for (const index of labels.values) {
    const known = counts[index]
    if (known) known.n += 1
  }
  const frequent = counts.sort((a, b) => b.n - a.n || (a.label < b.label ? -1 : 1)).slice(0, LABELS_MAX)
  const measured: NonNullable<Metric['labels']> = []
  for (const { label, index, n } of frequent) {
    const values = labels.values.map((one) => (one === index ? 1 : 0))
    measured.push({
      label,
      n,
      ...(await estimateOf({ ...labels, values }, { hasBinaryScale: true })),
    })
  }
  return measured
}
