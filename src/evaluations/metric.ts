import { yieldToEventLoop } from '../base/event-loop.ts'
import { bootstrapMeanInSlices, type Observation } from '../statistics/bootstrap-mean.ts'
import type { Interval } from '../statistics/interval.ts'
import { wilsonInterval } from '../statistics/wilson-interval.ts'

export type Metric = {
  name: string
  /** `binary` if every score is 0 or 1: then the mean is a rate, and has the interval of one. */
  kind: 'binary' | 'numeric'
  n: number
  missing: number
  failed: number
  mean: number | null
  /** Null where the data cannot tell how uncertain the mean is: one case, or all of them equal. */
  ci: Interval | null
  method: string
  /** How many scores fall into each tenth of the scale from 0 to 1. */
  distribution: number[]
  corrected: null
}

type Estimate = Pick<Metric, 'kind' | 'mean' | 'ci' | 'method'>

const DISTRIBUTION_BINS = 10

/** Never a number without its uncertainty. `seed` makes the resampling repeatable: reading twice gives the same interval. */
export async function estimate(scores: Observation[], seed: string): Promise<Estimate> {
  const isBinary = scores.every(({ value }) => value === 0 || value === 1)
  return isBinary ? estimateRate(scores) : estimateMean(scores, seed)
}

function estimateRate(scores: Observation[]): Estimate {
  const successes = scores.filter(({ value }) => value === 1).length
  return {
    kind: 'binary',
    mean: scores.length === 0 ? null : successes / scores.length,
    ci: wilsonInterval({ successes, n: scores.length }) ?? null,
    method: 'Wilson score interval, 95 % (Wilson 1927)',
  }
}

async function estimateMean(scores: Observation[], seed: string): Promise<Estimate> {
  const summary = await bootstrapMeanInSlices(yieldToEventLoop, scores, { seed })
  return {
    kind: 'numeric',
    mean: summary?.mean ?? null,
    ci: summary?.interval ?? null,
    method: 'BCa bootstrap, 95 %, 5000 resamples (Efron 1987)',
  }
}

export function distributionOf(scores: Observation[]): number[] {
  const bins = new Array<number>(DISTRIBUTION_BINS).fill(0)
  for (const { value } of scores) {
    const bin = Math.min(DISTRIBUTION_BINS - 1, Math.floor(value * DISTRIBUTION_BINS))
    bins[bin] = (bins[bin] ?? 0) + 1
  }
  return bins
}
