import { countClusters, effectiveSizeOf } from '../groups/effective-size.ts'
import type { Interval } from '../interval.ts'
import { wilsonInterval } from '../rate-intervals.ts'
import type { Slices } from '../slices.ts'
import { cohenKappa } from './cohen-kappa.ts'

/**
 * The labels of the judge and of the raters for the same case. Labels of one cluster (repetitions of an item) are not
 * independent.
 */
export type JudgeLabel = { readonly judge: boolean; readonly people: boolean; readonly cluster?: string }

/** `n` is the number of clusters, `units` the effective number of independent observations. */
type RateWithInterval = {
  readonly value: number
  readonly interval: Interval
  readonly n: number
  readonly units: number
}

export type JudgeAccuracy = {
  readonly n: number
  /** The share of cases with a positive rating that the judge passes. Undefined without positive ratings. */
  readonly sensitivity: RateWithInterval | undefined
  /** The share of cases with a negative rating that the judge fails. Undefined without negative ratings. */
  readonly specificity: RateWithInterval | undefined
  /** The share of cases with equal labels. */
  readonly agreement: RateWithInterval | undefined
  readonly kappa: number | undefined
  readonly kappaInterval: Interval | undefined
}

/**
 * The accuracy of a judge, with the ratings of users as the ground truth. Rates have Wilson intervals (Wilson 1927), κ
 * that of `cohenKappa`. A judge that always passes has a sensitivity of 1, a specificity of 0 and a κ
 * of 0. Clustered labels count individually in the rates, but the intervals use the effective number of observations.
 */
export function* judgeAccuracy(labels: readonly JudgeLabel[]): Slices<JudgeAccuracy> {
  const { kappa, interval } = yield* cohenKappa(
    labels.map(({ judge, people }) => [`${judge}`, `${people}`]),
    { units: effectiveSizeOf(labels.map(clusterOf)) },
  )
  return {
    n: labels.length,
    sensitivity: rateOfRight(labels.filter(({ people }) => people)),
    specificity: rateOfRight(labels.filter(({ people }) => !people)),
    agreement: rateOfRight(labels),
    kappa,
    kappaInterval: interval,
  }
}

function rateOfRight(labels: readonly JudgeLabel[]): RateWithInterval | undefined {
  const successes = labels.filter(({ judge, people }) => judge === people).length
  const clusters = labels.map(clusterOf)
  const units = effectiveSizeOf(clusters)
  const interval = wilsonInterval({ successes, n: labels.length, units })
  return interval && { value: successes / labels.length, interval, n: countClusters(clusters), units }
}

function clusterOf({ cluster }: JudgeLabel): string | undefined {
  return cluster
}
