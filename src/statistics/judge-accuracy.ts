import { cohenKappa, type Kappa } from './cohen-kappa.ts'
import type { Interval } from './interval.ts'
import { wilsonInterval } from './wilson-interval.ts'

/** What the judge and what people said about the same thing. */
export type JudgeLabel = { readonly judge: boolean; readonly people: boolean }

type RateWithInterval = { readonly value: number; readonly interval: Interval; readonly n: number }

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
 */
export function judgeAccuracy(labels: readonly JudgeLabel[]): JudgeAccuracy {
  const count = (judge: boolean, people: boolean) =>
    labels.filter((label) => label.judge === judge && label.people === people).length
  const truePositives = count(true, true)
  const trueNegatives = count(false, false)
  const { kappa, interval }: Kappa = cohenKappa(labels.map(({ judge, people }) => [`${judge}`, `${people}`]))
  return {
    n: labels.length,
    sensitivity: rate(truePositives, truePositives + count(false, true)),
    specificity: rate(trueNegatives, trueNegatives + count(true, false)),
    agreement: rate(truePositives + trueNegatives, labels.length),
    kappa,
    kappaInterval: interval,
  }
}

function rate(successes: number, n: number): RateWithInterval | undefined {
  const interval = wilsonInterval({ successes, n })
  return interval && { value: successes / n, interval, n }
}
