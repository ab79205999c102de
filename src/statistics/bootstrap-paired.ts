import { type BootstrapMean, type BootstrapOptions, bootstrapMean, bootstrapMeanInSlices } from './bootstrap-mean.ts'
import type { Interval } from './interval.ts'

/** One item on both sides. Pairs of one cluster (the repetitions of an item) are drawn together. */
export type ScorePair = {
  readonly baseline: number
  readonly candidate: number
  readonly cluster?: string | undefined
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
 * The mean difference of paired scores with its bootstrap interval: that of the mean of the differences, so that what the
 * two sides share, such as hard and easy items, cancels. BCa up to 300 clusters and ABC above; see `bootstrapMean`.
 */
export function bootstrapPairedDifference(
  pairs: readonly ScorePair[],
  options: BootstrapOptions,
): BootstrapDifference | undefined {
  return asDifference(bootstrapMean(differencesOf(pairs), options))
}

/** The same answer, waiting for `pause` after every few milliseconds of work. */
export async function bootstrapPairedDifferenceInSlices(
  pause: () => Promise<void>,
  pairs: readonly ScorePair[],
  options: BootstrapOptions,
): Promise<BootstrapDifference | undefined> {
  return asDifference(await bootstrapMeanInSlices(pause, differencesOf(pairs), options))
}

/** What is smaller than this share of the greatest score is what subtracting leaves of equal numbers. */
const roundingShare = 1e-12

function differencesOf(pairs: readonly ScorePair[]): { value: number; cluster: string | undefined }[] {
  let greatest = 0
  let least = Infinity
  let most = -Infinity
  const differences = pairs.map(({ baseline, candidate, cluster }) => {
    const value = candidate - baseline
    greatest = Math.max(greatest, Math.abs(candidate), Math.abs(baseline))
    least = Math.min(least, value)
    most = Math.max(most, value)
    return { value, cluster }
  })
  // 0.3 − 0.2 and 0.2 − 0.1 are not the same double. Without this, "all improved by 0.1" would have an interval of 1e-17.
  if (most - least > roundingShare * greatest) return differences
  const equal = Math.abs(least) <= roundingShare * greatest ? 0 : least
  return differences.map(({ cluster }) => ({ value: equal, cluster }))
}

function asDifference(result: BootstrapMean | undefined): BootstrapDifference | undefined {
  if (!result) return undefined
  const { mean, ...rest } = result
  return { ...rest, difference: mean }
}
