import type { EvaluatorInfo } from '../../scores/evaluator-info.ts'
import type { Interval } from '../../statistics/interval.ts'
import type { Power } from './comparison-power.ts'
import type { Estimate, GroupOf } from './estimate-mean.ts'

export type MetricScale = {
  readonly higherIsBetter: boolean
  readonly scale: readonly [number, number] | null
  /** True for durations, costs and tokens, which are compared by their ratio. */
  readonly isRatio: boolean
  /**
   * True for a judge that chose between the answers of the two runs. Its score is the share of the judged run, the other run
   * has ½, and the difference is the share of the candidate − ½.
   */
  readonly isPreference?: boolean | undefined
}

/** The share of a run that is as good as the other one. */
export const NO_PREFERENCE = 0.5

/**
 * What the items say about the difference, in the direction of better: a gain of the candidate is positive. Of a ratio,
 * the gain is that of the logarithms.
 */
export type Inference = {
  readonly gain: number
  readonly p: number
  /** The interval at a confidence of 1 − alpha. It excludes 0 exactly if p is below alpha. Null if there is none. */
  readonly interval: (alpha: number) => Interval | null
  /** For margins: wide enough for a breakage that this number of items can hide. */
  readonly marginInterval: (alpha: number) => Interval | null
  readonly statistic: number
  readonly intervalMethod: string
  readonly testMethod: string
  /** The smallest p that this number of differing items can produce. */
  readonly minAttainableP: number
  /** The difference that is found in 80 of 100 comparisons of as many items; null for repeated looks. */
  readonly detectable: number | null
}

/** What is known of one metric from its items. `difference` is candidate − baseline. */
export type Evidence = {
  readonly items: number
  /** The number of values of each run, counting repetitions. */
  readonly values: { readonly baseline: number; readonly candidate: number }
  readonly isBinary: boolean
  readonly baseline: Estimate
  readonly candidate: Estimate
  readonly difference: number | null
  /** The ratio of the totals, which is what is paid in the end; null if the metric is not compared by its ratio. */
  readonly totalRatio: number | null
  /** Items that are 0 in one of the runs only, which have no ratio. */
  readonly withoutRatio: number
  /** Null with fewer than two items. */
  readonly inference: Inference | null
  /** The number of items that are better, equal or worse in the candidate. */
  readonly wins: number
  readonly ties: number
  readonly losses: number
  readonly power: Power
  /** The number of groups of items; undefined if the dataset names none. */
  readonly groups?: number | undefined
  /** The variance of the difference, divided by its variance if all items were independent. */
  readonly designEffect?: number | null | undefined
}

export type CompareOptions = MetricScale & {
  /** Null if the evaluation does not report it. */
  readonly kind: EvaluatorInfo['kind']
  readonly margin?: number | undefined
  /** The group of an item; undefined if the dataset names none. */
  readonly groupOf?: GroupOf | undefined
  /** Uses evidence that stays valid however often it is looked at. */
  readonly isSequential?: boolean | undefined
}
