/** A number about all scores of one evaluator, never without its uncertainty. */
import { yieldToEventLoop } from '../base/event-loop.ts'
import { bootstrapMeanInSlices, type Observation } from '../statistics/bootstrap-mean.ts'
import { type ClassScore, macroF1InSlices } from '../statistics/classification.ts'
import type { Interval } from '../statistics/interval.ts'
import { wilsonInterval } from '../statistics/wilson-interval.ts'
import type { Corrected } from './calibrate.ts'
import type { Evaluator } from './evaluators/evaluator.ts'
import type { Verdicts } from './read-verdicts.ts'

type Estimate = {
  mean: number | null
  /** Null where the data cannot tell how uncertain the mean is: one case, or all of them equal. */
  ci: Interval | null
  method: string
}

export type Metric = Estimate & {
  name: string
  kind: Evaluator['kind']
  scale: Evaluator['scale']
  higherIsBetter: boolean
  /** Scores, each repetition one; of so many cases. */
  n: number
  cases: number
  missing: number
  failed: number
  /** How many scores fall into each tenth of the scale, from the worst to the best; null where there is no scale or no score. */
  distribution: number[] | null
  /** How often each label was given, the most frequent first; null where there are none. */
  labels: { label: string; n: number }[] | null
  /** Precision, recall and F1 of each class; of the evaluator `f1` only. */
  classes: readonly ClassScore[] | null
  /** The share that passes; null where no line is drawn. */
  passed: (Estimate & { n: number }) | null
  corrected: Corrected | null
}

const DISTRIBUTION_BINS = 10
const LABELS_MAX = 100

/** `seed` makes the resampling repeatable: reading twice gives the same interval. */
export async function measure(
  evaluator: Evaluator,
  verdicts: Verdicts,
  seed: string,
): Promise<Omit<Metric, 'missing' | 'failed' | 'corrected'>> {
  const { name, type, kind, scale, higherIsBetter } = evaluator
  const { scores, passes, labels, classified, n, cases } = verdicts
  const isRepeated = cases < n
  const classification = type === 'f1' ? await macroF1InSlices(yieldToEventLoop, classified, { seed }) : undefined
  const estimate = classification
    ? {
        mean: classification.macroF1,
        ci: classification.interval ?? null,
        method: 'macro F1, BCa bootstrap over cases, 95 % (Efron 1987)',
      }
    : await estimateOf(scores, { seed: `${seed}:score`, isRepeated })
  return {
    name,
    kind,
    scale,
    higherIsBetter,
    n,
    cases,
    ...estimate,
    distribution: scale === null || scores.length === 0 ? null : distributionOf(scores, scale),
    labels: labels.size === 0 ? null : mostFrequent(labels),
    classes: classification?.perClass ?? null,
    passed:
      passes.length === 0
        ? null
        : { n: passes.length, ...(await estimateOf(passes, { seed: `${seed}:passed`, isRepeated })) },
  }
}

/** Scores that are all 0 or 1 make a rate, and have the interval of one, unless repetitions make them depend on each other. */
async function estimateOf(scores: readonly Observation[], { seed, isRepeated }: Drawing): Promise<Estimate> {
  if (scores.length === 0) return { mean: null, ci: null, method: 'none: nothing was scored' }
  if (isRepeated) return estimateMean(scores, seed)
  const isBinary = scores.every(({ value }) => value === 0 || value === 1)
  return isBinary ? estimateRate(scores) : estimateMean(scores, seed)
}

type Drawing = { seed: string; isRepeated: boolean }

function estimateRate(scores: readonly Observation[]): Estimate {
  const successes = scores.filter(({ value }) => value === 1).length
  return {
    mean: successes / scores.length,
    ci: wilsonInterval({ successes, n: scores.length }) ?? null,
    method: 'Wilson score interval, 95 % (Wilson 1927)',
  }
}

async function estimateMean(scores: readonly Observation[], seed: string): Promise<Estimate> {
  const summary = await bootstrapMeanInSlices(yieldToEventLoop, scores, { seed })
  return {
    mean: summary?.mean ?? null,
    ci: summary?.interval ?? null,
    method: summary?.method ?? 'BCa bootstrap, 95 % (Efron 1987)',
  }
}

function distributionOf(scores: readonly Observation[], [least, most]: readonly [number, number]): number[] {
  const bins = new Array<number>(DISTRIBUTION_BINS).fill(0)
  for (const { value } of scores) {
    const share = (value - least) / (most - least)
    const bin = Math.max(0, Math.min(DISTRIBUTION_BINS - 1, Math.floor(share * DISTRIBUTION_BINS)))
    bins[bin] = (bins[bin] ?? 0) + 1
  }
  return bins
}

function mostFrequent(labels: ReadonlyMap<string, number>): { label: string; n: number }[] {
  return [...labels]
    .map(([label, n]) => ({ label, n }))
    .sort((a, b) => b.n - a.n || (a.label < b.label ? -1 : 1))
    .slice(0, LABELS_MAX)
}
