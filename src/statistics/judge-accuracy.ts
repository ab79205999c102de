import { cohenKappa, type Kappa } from './cohen-kappa.ts'
import { countClusters, effectiveSizeOf } from './effective-size.ts'
import type { Interval } from './interval.ts'
import { wilsonInterval } from './wilson-interval.ts'

/** What the judge and what people said about the same thing. Those of one cluster (an item that was passed over several times) are alike. */
export type JudgeLabel = { readonly judge: boolean; readonly people: boolean; readonly cluster?: string }

/** `n`: clusters. `units`: as many of one size would be as uncertain. */
type RateWithInterval = {
  readonly value: number
  readonly interval: Interval
  readonly n: number
  readonly units: number
}

export type JudgeAccuracy = {
  readonly n: number
  /** Of what people say yes to, the share that the judge says yes to. Undefined if people never say yes. */
  readonly sensitivity: RateWithInterval | undefined
  /** Of what people say no to, the share that the judge says no to. Undefined if people never say no. */
  readonly specificity: RateWithInterval | undefined
  /** The share on which they agree. */
  readonly agreement: RateWithInterval | undefined
  readonly kappa: number | undefined
  readonly kappaInterval: Interval | undefined
}

/**
 * How far a judge can stand in for people, who are taken to be right. Rates have Wilson intervals (Wilson 1927), κ that of
 * Fleiss, Cohen & Everitt (1969). A judge that says yes to everything has a sensitivity of 1, a specificity of 0 and a κ of 0.
 * Labels of one cluster count one by one in the rates, but as few in the intervals, which would be too narrow otherwise.
 */
export function judgeAccuracy(labels: readonly JudgeLabel[]): JudgeAccuracy {
  const { kappa, interval }: Kappa = cohenKappa(
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
