import type { Interval } from '../interval.ts'
import { maxMagnitude } from '../overflow-scale.ts'
import {
  type BootstrapMean,
  type BootstrapOptions,
  bootstrapMean,
  bootstrapMeanInSlices,
  type Observations,
} from './bootstrap-mean.ts'

/**
 * Scores of the same cases on both sides, by index. Scores of one cluster (the repetitions of an item) are resampled
 * together.
 */
export type PairedScores = {
  readonly baseline: readonly number[]
  readonly candidate: readonly number[]
  readonly clusters?: readonly string[] | undefined
}

export type BootstrapDifference = {
  readonly n: number
  readonly clusters: number
  /** Mean of the candidate − mean of the baseline. */
  readonly difference: number
  /** Undefined when the differences show no spread, as for `bootstrapMean`. */
  readonly interval: Interval | undefined
  readonly method: string
}

/**
 * The mean difference of paired scores with its bootstrap interval: the interval of the mean of the differences, so
 * that effects that both sides share, such as the difficulty of items, cancel. BCa up to 300 clusters and ABC above;
 * see `bootstrapMean`.
 */
export function bootstrapPairedDifference(
  scores: PairedScores,
  options: BootstrapOptions,
): BootstrapDifference | undefined {
  return asDifference(bootstrapMean(differencesOf(scores), options))
}

/** Returns the same result, and awaits `pause` after every few milliseconds of work. */
export async function bootstrapPairedDifferenceInSlices(
  pause: () => Promise<void>,
  scores: PairedScores,
  options: BootstrapOptions,
): Promise<BootstrapDifference | undefined> {
  return asDifference(await bootstrapMeanInSlices(pause, differencesOf(scores), options))
}

/** Differences below this share of the greatest score are rounding errors. */
const roundingShare = 1e-12

function differencesOf({ baseline, candidate, clusters }: PairedScores): Observations {
  const differences = Float64Array.from(candidate)
  let least = Infinity
  let most = -Infinity
  for (let index = 0; index < differences.length; index++) {
    const difference = (candidate[index] ?? NaN) - (baseline[index] ?? NaN)
    differences[index] = difference
    least = Math.min(least, difference)
    most = Math.max(most, difference)
  }
  // 0.3 − 0.2 and 0.2 − 0.1 are not the same double. Without this, "all improved by 0.1" would have an interval of 1e-17.
  const rounding = roundingShare * Math.max(maxMagnitude(baseline), maxMagnitude(candidate))
  if (most - least <= rounding) differences.fill(Math.abs(least) <= rounding ? 0 : least)
  return clusters?.map((cluster, index) => ({ value: differences[index] ?? NaN, cluster })) ?? differences
}

function asDifference(result: BootstrapMean | undefined): BootstrapDifference | undefined {
  if (!result) return undefined
  const { mean, ...rest } = result
  return { ...rest, difference: mean }
}
