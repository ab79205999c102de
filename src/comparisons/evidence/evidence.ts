import type { EvaluatorInfo } from '../../scores/evaluator-info.ts'
import type { Interval } from '../../statistics/interval.ts'
import type { Power } from './comparison-power.ts'
import type { Estimate, GroupOf } from './estimate-mean.ts'

export type MetricScale = { readonly higherIsBetter: boolean; readonly scale: readonly [number, number] | null }

/** What is known of one metric from its pairs. All values refer to candidate − baseline. */
export type Evidence = {
  /** The number of value pairs. Greater than the number of items if there are repetitions. */
  readonly n: number
  readonly items: number
  readonly isBinary: boolean
  readonly baseline: Estimate
  readonly candidate: Estimate
  readonly difference: number | null
  readonly ci: Interval | null
  readonly method: string
  readonly test: Test | null
  readonly wins: number
  readonly ties: number
  readonly losses: number
  readonly power: Power
  /** The number of groups of items; undefined if the dataset names none. */
  readonly groups?: number | null | undefined
  /** The variance of the difference, divided by its variance if all items were independent. */
  readonly designEffect?: number | null | undefined
  /**
   * The share of all items that this number of items may miss completely, and the most that one of them could change.
   * Null for rates, whose interval and test count it.
   */
  readonly unseen: { readonly share: number; readonly changeMax: number } | null
}

/** `testDirection` is 1 if the test sees higher values in the candidate, −1 for lower values, 0 for neither. */
export type Test = {
  readonly method: string
  readonly statistic: number
  readonly p: number
  /** The smallest p that this number of differing pairs can produce. */
  readonly minAttainableP: number
  readonly testDirection: number
}

export type CompareOptions = MetricScale & {
  /** Null if the evaluation does not report it. */
  readonly kind: EvaluatorInfo['kind']
  readonly margin?: number | undefined
  /** The group of an item; undefined if the dataset names none. */
  readonly groupOf?: GroupOf | undefined
  /** Of the interval of the difference. Default: 0.95. */
  readonly confidence?: number | undefined
  /** Must be the same for both orders of the two runs. */
  readonly seed: string
  /**
   * Which run is sampled first. With a fixed order, the interval of B − A is exactly the mirrored interval of A − B.
   */
  readonly order: 'as given' | 'reversed'
}
