/**
 * What the pairs of one metric tell: the difference with its interval, a test, who won how often, and what could have been seen.
 *
 * Two ways. Where every item has one value on each side and all of them are 0 or 1, the exact McNemar test and Newcombe's
 * interval of paired rates. Otherwise the interval by resampling items, repetitions of an item always together, and Wilcoxon's
 * signed-rank test on the means of the items, because it takes its values for independent, which repetitions are not.
 *
 * Everything is said of candidate − baseline. Exchanging the two turns signs around and changes nothing else, to the last digit.
 */

import { type EvaluatorInfo, isBinaryScale } from '../scores/evaluator-info.ts'
import type { Observations } from '../statistics/bootstrap-mean.ts'
import { bootstrapPairedDifferenceInSlices } from '../statistics/bootstrap-paired.ts'
import type { Interval } from '../statistics/interval.ts'
import { exactMcNemar } from '../statistics/mcnemar.ts'
import { newcombePairedInterval } from '../statistics/paired-difference.ts'
import { wilcoxonSignedRank } from '../statistics/wilcoxon-signed-rank.ts'
import { wilsonInterval } from '../statistics/wilson-interval.ts'
import { type Power, powerOfMeans, powerOfRates } from './comparison-power.ts'
import { type Estimate, estimateMean } from './estimate-mean.ts'
import type { ValuePairs } from './value-pairs.ts'

export type MetricScale = { readonly higherIsBetter: boolean; readonly scale: readonly [number, number] | null }

export type Evidence = {
  /** Pairs of values; with repetitions more than there are items. */
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
}

/** `testDirection`: which way the test sees the candidate, 1 for higher and −1 for lower values; 0 for neither. */
type Test = {
  readonly method: string
  readonly statistic: number
  readonly p: number
  /** The least that p could have been, however the pairs that differ had fallen; 0 where nobody knows. */
  readonly minAttainableP: number
  readonly testDirection: number
}

export type CompareOptions = MetricScale & {
  /** Null where nobody has told. */
  readonly kind: EvaluatorInfo['kind']
  readonly margin?: number | undefined
  /** The same for both orders of the two runs. */
  readonly seed: string
  /** Which of the runs is taken first when drawing at random: then the interval of B − A is exactly that of A − B, mirrored. */
  readonly order: 'as given' | 'reversed'
}

export async function compareMetric(
  pause: () => Promise<void>,
  pairs: ValuePairs,
  options: CompareOptions,
): Promise<Evidence> {
  const { seed, margin } = options
  const grouping = pairs.isEachItemOnce() ? 'each item once' : 'by item'
  const pairDifferences = pairs.differences()
  const differences = grouping === 'each item once' ? pairDifferences : itemDifferences(pairs, pairDifferences)
  const items = differences.length
  const hasBinaryScale = isBinaryScale(options)
  const isBinary = hasBinaryScale && pairs.length > 0 && pairs.isBinary()
  const isRate = isBinary && items === pairs.length
  const paired = isRate ? compareRates(pairs) : await compareMeans(pause, pairs, { ...options, differences, grouping })
  await pause()
  const baseline = await estimateMean(pause, sideOf(pairs, 'baseline', grouping), { seed, hasBinaryScale })
  await pause()
  const candidate = await estimateMean(pause, sideOf(pairs, 'candidate', grouping), { seed, hasBinaryScale })
  const counts = countWins(pairDifferences, options)
  const power = isRate
    ? powerOfRates({ n: items, differing: counts.wins + counts.losses, margin })
    : powerOfMeans(differences, margin)
  return { n: pairs.length, items, isBinary, baseline, candidate, ...paired, ...counts, power }
}

/** Repetitions are drawn together. Where there are none, nothing need be looked up: with very many items that is what takes long. */
type Grouping = 'each item once' | 'by item'

type PairedResult = Pick<Evidence, 'difference' | 'ci' | 'method' | 'test'>

function compareRates(pairs: ValuePairs): PairedResult {
  let [both, onlyCandidate, onlyBaseline, neither] = [0, 0, 0, 0]
  for (let index = 0; index < pairs.length; index += 1) {
    const [before, after] = [pairs.baseline[index] === 1, pairs.candidate[index] === 1]
    if (before && after) both += 1
    else if (after) onlyCandidate += 1
    else if (before) onlyBaseline += 1
    else neither += 1
  }
  const rates = newcombePairedInterval({ both, onlyCandidate, onlyBaseline, neither })
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

type Means = CompareOptions & { differences: Float64Array; grouping: Grouping }

async function compareMeans(
  pause: () => Promise<void>,
  pairs: ValuePairs,
  { differences, seed, order, scale, grouping }: Means,
): Promise<PairedResult> {
  const clusters = grouping === 'by item' ? pairs.itemIds : undefined
  const { baseline, candidate } = pairs
  const ordered =
    order === 'as given' ? { baseline, candidate, clusters } : { baseline: candidate, candidate: baseline, clusters }
  const summary = await bootstrapPairedDifferenceInSlices(pause, ordered, { seed })
  await pause()
  const test = testRanks(differences)
  if (!summary) return { difference: null, ci: null, method: 'none: no pairs', test }
  const difference = order === 'as given' ? summary.difference : negated(summary.difference)
  const { interval } = summary
  if (!interval) return { difference, ...withoutSpread(pairs, { difference, scale, differences }), test }
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
    minAttainableP: isExact ? minTwoSidedP(n) : 0,
    testDirection: Math.sign(statistic - (n * (n + 1)) / 4),
  }
}

/** The two-sided p of so many pairs that differ and all in the same direction. */
function minTwoSidedP(pairs: number): number {
  return Math.min(1, 2 ** (1 - pairs))
}

/**
 * All items changed by the same amount, most often by none: resampling shows no spread, and yet others may change otherwise. How many
 * of a hundred could, if none of these did, is Wilson's upper limit of 0 of n; and by how much, the length of the scale or, where there
 * is none, the greatest value seen.
 */
function withoutSpread(
  pairs: ValuePairs,
  { difference, scale, differences }: Pick<Means, 'scale' | 'differences'> & { difference: number },
): Pick<PairedResult, 'ci' | 'method'> {
  const items = differences.length
  const [, share] = wilsonInterval({ successes: 0, n: items }) ?? [0, 1]
  const most = scale ? scale[1] - scale[0] : pairs.greatest()
  const reach = share * most
  const method = 'no spread: Wilson’s limit of the share of items that may differ, 95 %'
  if (items < 2 || reach === 0) return { ci: null, method }
  // No mean can move by more than the whole scale; without one, nobody knows how far.
  const bound = scale ? most : Infinity
  return { ci: [Math.max(-bound, difference - reach), Math.min(bound, difference + reach)], method }
}

/** The mean difference of each item. */
function itemDifferences({ itemIds }: ValuePairs, pairDifferences: Float64Array): Float64Array {
  const sums = new Map<string, { sum: number; count: number }>()
  for (const [index, difference] of pairDifferences.entries()) {
    const itemId = itemIds[index] ?? ''
    const known = sums.get(itemId)
    if (!known) sums.set(itemId, { sum: difference, count: 1 })
    else {
      known.sum += difference
      known.count += 1
    }
  }
  return Float64Array.from(sums.values(), ({ sum, count }) => sum / count)
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

/** Never −0, which some would write with its sign. */
function negated(value: number): number {
  return value === 0 ? 0 : -value
}
