/**
 * Computes the evidence for one metric from its pairs: the difference with its interval, a test, wins and losses, and
 * the power.
 *
 * There are two methods. If every item has one value on each side and all values are 0 or 1, the exact McNemar test and
 * Newcombe's interval for paired rates are used. Otherwise the interval comes from a bootstrap over items, which keeps
 * the repetitions of an item together, and the test is Wilcoxon's signed-rank test on the item means, because the test
 * assumes independent values and repetitions are not independent.
 *
 * All values refer to candidate − baseline. Swapping the two runs flips the signs and changes nothing else, to the last
 * digit.
 */

import { isBinaryScale } from '../../evaluators/evaluator.ts'
import type { EvaluatorInfo } from '../../scores/evaluator-info.ts'
import type { Observations } from '../../statistics/bootstrap/bootstrap-mean.ts'
import { bootstrapPairedDifferenceInSlices } from '../../statistics/bootstrap/bootstrap-paired.ts'
import { exactMcNemar } from '../../statistics/hypothesis-tests/mcnemar.ts'
import { wilcoxonSignedRank } from '../../statistics/hypothesis-tests/wilcoxon-signed-rank.ts'
import type { Interval } from '../../statistics/interval.ts'
import { newcombePairedInterval } from '../../statistics/intervals/paired-difference.ts'
import { unseenShare } from '../../statistics/intervals/unseen-share.ts'
import { wilsonInterval } from '../../statistics/intervals/wilson-interval.ts'
import type { ValuePairs } from '../pairing/value-pairs.ts'
import { compareGroups } from './compare-groups.ts'
import { type Power, powerOfMeans, powerOfRates } from './comparison-power.ts'
import type { GroupOf } from './estimate-grouped-mean.ts'
import { type Estimate, estimateMean } from './estimate-mean.ts'

export type MetricScale = { readonly higherIsBetter: boolean; readonly scale: readonly [number, number] | null }

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

export async function compareMetric(
  pause: () => Promise<void>,
  pairs: ValuePairs,
  options: CompareOptions,
): Promise<Evidence> {
  const { margin, scale, groupOf } = options
  if (groupOf) return compareInGroups(pause, pairs, { ...options, groupOf })
  const { paired, grouping, pairDifferences, differences, isBinary, isRate } = await comparePaired(
    pause,
    pairs,
    options,
  )
  const items = differences.length
  const hasBinaryScale = isBinaryScale(options)
  await pause()
  const baseline = await estimateMean(pause, sideOf(pairs, 'baseline', grouping), { hasBinaryScale })
  await pause()
  const candidate = await estimateMean(pause, sideOf(pairs, 'candidate', grouping), { hasBinaryScale })
  const counts = countWins(pairDifferences, options)
  const changeMax = scale ? scale[1] - scale[0] : pairs.greatest()
  const power = isRate
    ? powerOfRates({ n: items, differing: counts.wins + counts.losses, margin })
    : powerOfMeans(differences, { margin, changeMax })
  const unseen = isRate || items === 0 ? null : { share: unseenShare(items), changeMax }
  return { n: pairs.length, items, isBinary, baseline, candidate, ...paired, ...counts, power, unseen }
}

async function compareInGroups(
  pause: () => Promise<void>,
  pairs: ValuePairs,
  options: CompareOptions & { groupOf: GroupOf },
): Promise<Evidence> {
  const { scale } = options
  const hasBinaryScale = isBinaryScale(options)
  const isBinary = hasBinaryScale && pairs.length > 0 && pairs.isBinary()
  const items = pairs.countItems()
  const grouped = await compareGroups(pause, pairs, { ...options, hasBinaryScale })
  const isRate = isBinary && items === pairs.length
  const changeMax = scale ? scale[1] - scale[0] : pairs.greatest()
  // A whole group can be missed as easily as a single item.
  const unseen = isRate || grouped.groups === 0 ? null : { share: unseenShare(grouped.groups), changeMax }
  return { n: pairs.length, items, isBinary, ...grouped, ...countWins(pairs.differences(), options), unseen }
}

async function comparePaired(pause: () => Promise<void>, pairs: ValuePairs, options: CompareOptions) {
  const grouping: Grouping = pairs.isEachItemOnce() ? 'each item once' : 'by item'
  const pairDifferences = pairs.differences()
  const differences =
    grouping === 'each item once' ? pairDifferences : Float64Array.from(pairs.differencesByItem().values())
  const isBinary = isBinaryScale(options) && pairs.length > 0 && pairs.isBinary()
  const isRate = isBinary && differences.length === pairs.length
  const paired = isRate
    ? compareRates(pairs, options)
    : await compareMeans(pause, pairs, { ...options, differences, grouping })
  return { paired, grouping, pairDifferences, differences, isBinary, isRate }
}

/**
 * Repetitions of an item are resampled together. Without repetitions the grouping is skipped because it dominates the
 * run time for large datasets.
 */
type Grouping = 'each item once' | 'by item'

const CONFIDENCE = 0.95

type PairedResult = Pick<Evidence, 'difference' | 'ci' | 'method' | 'test'>

function compareRates(pairs: ValuePairs, { confidence = CONFIDENCE }: CompareOptions): PairedResult {
  let [both, onlyCandidate, onlyBaseline, neither] = [0, 0, 0, 0]
  for (let index = 0; index < pairs.length; index += 1) {
    const [before, after] = [pairs.baseline[index] === 1, pairs.candidate[index] === 1]
    if (before && after) both += 1
    else if (after) onlyCandidate += 1
    else if (before) onlyBaseline += 1
    else neither += 1
  }
  const rates = newcombePairedInterval({ both, onlyCandidate, onlyBaseline, neither, confidence })
  const { statistic, p } = exactMcNemar({ gained: onlyCandidate, lost: onlyBaseline })
  const minAttainableP = minTwoSidedP(onlyCandidate + onlyBaseline)
  const testDirection = Math.sign(onlyCandidate - onlyBaseline)
  return {
    difference: rates?.difference ?? null,
    ci: rates?.interval ?? null,
    method: 'Newcombe’s paired score interval, 95 % (Newcombe 1998)',
    test: pairs.length === 0 ? null : { method: 'exact McNemar test', statistic, p, minAttainableP, testDirection },
  }
}

/** The interval of the difference alone. */
export async function pairedInterval(
  pause: () => Promise<void>,
  pairs: ValuePairs,
  options: CompareOptions,
): Promise<Interval | null> {
  if (options.groupOf) return (await compareInGroups(pause, pairs, { ...options, groupOf: options.groupOf })).ci
  const { paired } = await comparePaired(pause, pairs, options)
  return paired.ci
}

type Means = CompareOptions & { differences: Float64Array; grouping: Grouping }

async function compareMeans(
  pause: () => Promise<void>,
  pairs: ValuePairs,
  { differences, seed, order, scale, grouping, confidence = CONFIDENCE }: Means,
): Promise<PairedResult> {
  const clusters = grouping === 'by item' ? pairs.itemIds : undefined
  const { baseline, candidate } = pairs
  const ordered =
    order === 'as given' ? { baseline, candidate, clusters } : { baseline: candidate, candidate: baseline, clusters }
  const summary = await bootstrapPairedDifferenceInSlices(pause, ordered, { seed, confidence })
  await pause()
  const test = testRanks(differences)
  if (!summary) return { difference: null, ci: null, method: 'none: no pairs', test }
  const difference = order === 'as given' ? summary.difference : negated(summary.difference)
  const { interval } = summary
  if (!interval) return { difference, ...withoutSpread(pairs, { difference, scale, differences, confidence }), test }
  const ci: Interval = order === 'as given' ? interval : [negated(interval[1]), negated(interval[0])]
  return { difference, ci, method: summary.method, test }
}

function testRanks(differences: Float64Array): Test | null {
  const test = wilcoxonSignedRank(differences)
  if (!test) return null
  const { n, statistic, p } = test
  const isExact = test.method === 'exact'
  const method = `Wilcoxon signed-rank test, ${isExact ? 'exact' : 'normal approximation'}`
  return {
    method,
    statistic,
    p,
    minAttainableP: minTwoSidedP(n),
    testDirection: Math.sign(statistic - (n * (n + 1)) / 4),
  }
}

/** The two-sided p if all of these pairs differ in the same direction. */
function minTwoSidedP(pairs: number): number {
  return Math.min(1, 2 ** (1 - pairs))
}

/**
 * The interval if all items changed by the same amount, usually 0. The bootstrap then shows no spread although other
 * items may change. The share of items that may change is bounded by Wilson's upper limit for 0 of n, and the amount by
 * the length of the scale or, without a scale, by the greatest value.
 */
function withoutSpread(
  pairs: ValuePairs,
  {
    difference,
    scale,
    differences,
    confidence,
  }: Pick<Means, 'scale' | 'differences'> & { difference: number; confidence: number },
): Pick<PairedResult, 'ci' | 'method'> {
  const items = differences.length
  const [, share] = wilsonInterval({ successes: 0, n: items, confidence }) ?? [0, 1]
  const most = scale ? scale[1] - scale[0] : pairs.greatest()
  const reach = share * most
  const method = 'no spread: Wilson’s limit of the share of items that may differ, 95 %'
  if (items < 2 || reach === 0) return { ci: null, method }
  // A mean cannot change by more than the length of the scale. Without a scale there is no bound.
  const bound = scale ? most : Infinity
  return { ci: [Math.max(-bound, difference - reach), Math.min(bound, difference + reach)], method }
}

function sideOf({ itemIds, ...sides }: ValuePairs, side: 'baseline' | 'candidate', grouping: Grouping): Observations {
  const values = sides[side]
  if (grouping === 'each item once') return Float64Array.from(values)
  return values.map((value, index) => ({ value, cluster: itemIds[index] }))
}

function countWins(differences: Float64Array, { higherIsBetter }: MetricScale) {
  let [higher, lower] = [0, 0]
  for (let index = 0; index < differences.length; index += 1) {
    const difference = differences[index] ?? 0
    if (difference > 0) higher += 1
    else if (difference < 0) lower += 1
  }
  const ties = differences.length - higher - lower
  return higherIsBetter ? { wins: higher, ties, losses: lower } : { wins: lower, ties, losses: higher }
}

/** Avoids −0, which some serializers write with its sign. */
function negated(value: number): number {
  return value === 0 ? 0 : -value
}
