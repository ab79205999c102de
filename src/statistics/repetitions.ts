/** What more repetitions of each item buy: by how much they reduce the difference of two variants that can be detected. */

import { normalCdf } from './distributions.ts'
import { detectableMeanDifference } from './power.ts'
import { E_VALUE_MIN } from './sequential/e-values.ts'
import { sumOf } from './sums.ts'

/** Variances of the difference of two variants in one item, as shares of the squared length of the scale. */
export type Spread = {
  /** Of the true differences of the items: more repetitions leave it. */
  readonly between: number
  /** Of the difference of one repetition from the true difference of its item. */
  readonly within: number
}

/** As if 18 of 100 pairs of single answers differed, most of them by chance: common for rates of about 0.8. */
export const ASSUMED_SPREAD: Spread = { between: 0.04, within: 0.14 }

/**
 * The spread of the difference of two runs of the same items, each with the values of its repetitions in [0, 1].
 * Undefined with fewer than ten items, or if no item has more than one repetition in each of the runs.
 *
 * The variance of the mean differences has the parts of both runs by repetition in it, which are subtracted: the method of
 * moments of a nested design; Searle, S. R., Casella, G. & McCulloch, C. E. (1992), Variance Components, chapter 3.
 */
export function spreadOfPairs(
  baseline: readonly (readonly number[])[],
  candidate: typeof baseline,
): Spread | undefined {
  const [before, after] = [varianceWithin(baseline), varianceWithin(candidate)]
  const items = Math.min(baseline.length, candidate.length)
  if (before === undefined || after === undefined || items < ITEMS_MIN) return undefined
  const differences: number[] = []
  let byRepetition = 0
  for (let item = 0; item < items; item += 1) {
    const [one = [], other = []] = [baseline[item], candidate[item]]
    if (one.length === 0 || other.length === 0) continue
    differences.push(meanOf(other) - meanOf(one))
    byRepetition += before / one.length + after / other.length
  }
  if (differences.length < ITEMS_MIN) return undefined
  const between = Math.max(0, variance(differences) - byRepetition / differences.length)
  return { between, within: before + after }
}

/**
 * The same from one run, as if the two variants were equally noisy and a quarter of what distinguishes the items of the
 * one did not hold for the other: how differently variants treat items is not known from one of them.
 */
export function spreadOfRun(values: readonly (readonly number[])[]): Spread | undefined {
  const components = varianceComponents(values)
  if (components === undefined || values.length < ITEMS_MIN) return undefined
  return { between: 2 * UNSHARED * components.between, within: 2 * components.within }
}

const UNSHARED = 0.25
const ITEMS_MIN = 10

/**
 * The variance between groups of values and within them, by the analysis of variance; the groups need not be of one size.
 * Undefined if there are fewer than two groups, or none with two values. Searle et al. (1992), chapter 3.
 */
export function varianceComponents(groups: readonly (readonly number[])[]): Spread | undefined {
  const filled = groups.filter(({ length }) => length > 0)
  const within = varianceWithin(filled)
  if (within === undefined || filled.length < 2) return undefined
  const n = filled.reduce((sum, { length }) => sum + length, 0)
  const mean = filled.reduce((sum, group) => sum + sumOf(group), 0) / n
  const squares = filled.reduce((sum, group) => sum + group.length * (meanOf(group) - mean) ** 2, 0)
  const size = (n - filled.reduce((sum, { length }) => sum + length ** 2, 0) / n) / (filled.length - 1)
  return { between: Math.max(0, (squares / (filled.length - 1) - within) / size), within }
}

type Planned = {
  readonly items: number
  /** The candidates that are compared with the baseline: each has a part of the level. */
  readonly candidates: number
  readonly looks: 'one' | 'unplanned'
  /** How often each item may be answered. */
  readonly repetitions: readonly number[]
}

export type DetectableDifference = {
  readonly repetitions: number
  /** Found in 80 of 100 trials, as a share of the scale; null if not even a difference of the whole scale is. */
  readonly difference: number | null
}

/** One value per item, the mean of its repetitions: what several of them reduce is the variance within items only. */
export function detectableByRepetitions(
  { between, within }: Spread,
  { items, candidates, looks, repetitions: choices }: Planned,
): DetectableDifference[] {
  return choices.map((repetitions) => {
    const standardDeviation = Math.sqrt(between + within / repetitions)
    const confidence = looks === 'one' ? 1 - SIGNIFICANCE / candidates : confidenceOfLooks(candidates)
    // Of paired values there is one mean, that of the differences.
    const found = detectableMeanDifference({ sizes: [items, Infinity], standardDeviation, confidence })
    return { repetitions, difference: found === undefined || found > 1 ? null : found }
  })
}

/** The same for numbers of items, each answered equally often. */
export function detectableByItems(
  spread: Spread,
  {
    items: choices,
    repetitions,
    ...planned
  }: Omit<Planned, 'items' | 'repetitions'> & {
    items: readonly number[]
    repetitions: number
  },
): { items: number; difference: number | null }[] {
  return choices.map((items) => {
    const [found] = detectableByRepetitions(spread, { ...planned, items, repetitions: [repetitions] })
    return { items, difference: found?.difference ?? null }
  })
}

const SIGNIFICANCE = 0.05

/**
 * The capital of a bet with the best stake is exp(z²/2). The two directions share the capital, and so do stakes that are too
 * large or too small, which leave about half: a decision needs z²/2 = ln(4 · threshold), 2.96 for one candidate.
 */
function confidenceOfLooks(candidates: number): number {
  const z = Math.sqrt(2 * Math.log(SHARED_CAPITAL * E_VALUE_MIN * candidates))
  return 1 - 2 * normalCdf(-z)
}

const SHARED_CAPITAL = 6

/** Pooled over the groups with at least two values. */
function varianceWithin(groups: readonly (readonly number[])[]): number | undefined {
  let [squares, degrees] = [0, 0]
  for (const group of groups) {
    if (group.length < 2) continue
    squares += variance(group) * (group.length - 1)
    degrees += group.length - 1
  }
  return degrees === 0 ? undefined : squares / degrees
}

function variance(values: readonly number[]): number {
  const mean = meanOf(values)
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)
}

function meanOf(values: readonly number[]): number {
  return sumOf(values) / values.length
}
