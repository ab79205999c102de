/** The metric of one evaluator over all its scores, with confidence intervals. */
import { runInSlices } from '../../base/event-loop.ts'
import {
  type Estimate,
  estimateGroupedMean,
  estimateMean,
  type GroupedEstimate,
  type GroupOf,
  SCALE_METHOD,
} from '../../comparisons/evidence/estimate-mean.ts'
import { type Evaluator, isBinaryScale, isExternal } from '../../evaluators/evaluator.ts'
import { type ClassScore, macroF1 } from '../../statistics/classification.ts'
import { meanOnScale } from '../../statistics/mean-on-scale.ts'
import { passAtK, passHatK } from '../../statistics/pass-at-k.ts'
import type { Injection } from '../runner/injection-check.ts'
import type { Corrected } from './calibrate.ts'
import type { Drift } from './judge-drift.ts'
import type { Attempts, ScoreColumns, Values } from './score-columns.ts'

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

/** Values between 0 and 1. */
const SHARES = { hasBinaryScale: true, scale: [0, 1] } as const

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
  const classification = type === 'f1' ? await runInSlices(macroF1(classified, { seed })) : undefined
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
    passed: passes.values.length === 0 ? null : { n: passes.values.length, ...(await estimateOf(passes, SHARES)) },
    attempts: await passAtKResults(attempts, groupOf),
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
      ...(await estimateOf({ ...labels, values }, SHARES)),
    })
  }
  return measured
}

/**
 * The mean of items: an item with several values (repetitions, or several traces) counts once, with the mean of its
 * values. Otherwise an item that was retried would count more than the others. `hasBinaryScale`: whether values that are
 * all 0 or 1 mean no and yes.
 */
async function estimateOf(
  { values, clusters, groups }: Values,
  options: { hasBinaryScale: boolean; scale: readonly [number, number] | null },
): Promise<Estimate & Partial<GroupedEstimate>> {
  if (values.length === 0) return { mean: null, ci: null, method: 'none: nothing was scored' }
  if (clusters === null) return estimateMean(Float64Array.from(values), options)
  const { means, indexes } = meansByItem(values, clusters)
  if (groups)
    return estimateGroupedMean({ values: means, groups: indexes.map((index) => groups[index] ?? '') }, options)
  const estimate = await estimateMean(means, options)
  return { ...estimate, method: `${estimate.method}; mean of items, each with the mean of its values` }
}

/** The mean of each item and the index of its first value. Halving before adding keeps the sum of the largest numbers finite. */
function meansByItem(values: readonly number[], clusters: readonly string[]) {
  const items = new Map<string, { n: number; mean: number; index: number }>()
  for (const [index, value] of values.entries()) {
    const cluster = clusters[index] ?? ''
    const item = items.get(cluster)
    if (item) {
      item.n += 1
      item.mean += value / item.n - item.mean / item.n
    } else items.set(cluster, { n: 1, mean: value, index })
  }
  const all = [...items.values()]
  return { means: Float64Array.from(all, ({ mean }) => mean), indexes: all.map(({ index }) => index) }
}

/** Larger values are rarely of interest, and each one costs a pass over all items. */
const K_MAX = 10
const NOTHING: Estimate = { mean: null, ci: null, method: 'none: nothing was scored' }

type PassAtKResults = {
  k: number
  /** The number of items with at least k attempts. */
  n: number
  /** The probability that at least one of k attempts passes. */
  passAtK: Estimate
  /** The probability that all k attempts pass. */
  passHatK: Estimate
}

/** Returns one entry for every k from 2 to the largest number of attempts; null if no item was attempted twice. */
async function passAtKResults(
  attempts: ReadonlyMap<string, Attempts>,
  groupOf?: GroupOf,
): Promise<PassAtKResults[] | null> {
  let most = 0
  for (const { n } of attempts.values()) most = Math.max(most, n)
  if (most < 2) return null
  const measured: PassAtKResults[] = []
  for (let k = 2; k <= Math.min(most, K_MAX); k += 1) {
    const tried = [...attempts].filter(([, { n }]) => n >= k)
    const clusters = groupOf ? tried.map(([itemId]) => itemId) : null
    const groups = groupOf && tried.map(([itemId]) => groupOf(itemId))
    const estimate = async (share: typeof passAtK): Promise<Estimate> => {
      const values = tried.flatMap(([, { n, c }]) => share({ n, c, k }) ?? [])
      if (groupOf) return estimateOf({ values, clusters, groups }, SHARES)
      const found = meanOnScale(Float64Array.from(values), [0, 1])
      return found ? { mean: found.mean, ci: found.interval, method: SCALE_METHOD } : NOTHING
    }
    const pass = { passAtK: await estimate(passAtK), passHatK: await estimate(passHatK) }
    measured.push({ k, n: tried.length, ...pass })
  }
  return measured
}
