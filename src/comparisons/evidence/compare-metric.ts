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
 *
 * Differences of values near the greatest double are infinite: 1e308 − (−1e308). Such values are compared in a larger
 * unit, and the results are converted back. A result beyond the greatest double is reported as that double.
 */

import { runInSlices, yieldToEventLoop } from '../../base/event-loop.ts'
import { isBinaryScale } from '../../evaluators/evaluator.ts'
import { bootstrapPairedDifference, type Observations } from '../../statistics/bootstrap/bootstrap-mean.ts'
import type { Interval } from '../../statistics/interval.ts'
import { exactMcNemar, wilcoxonSignedRank } from '../../statistics/paired-tests.ts'
import { unseenShare } from '../../statistics/power.ts'
import { newcombePairedInterval } from '../../statistics/rate-intervals.ts'
import { ValuePairs } from '../pairing/measure-pairs.ts'
import { compareGroups } from './compare-groups.ts'
import { powerOfMeans, powerOfRates } from './comparison-power.ts'
import { type Estimate, estimateMean, type GroupOf, intervalWithoutSpread } from './estimate-mean.ts'
import type { CompareOptions, Evidence, MetricScale, Test } from './evidence.ts'

/** Compares values of any magnitude. */
export async function compareMetric(pairs: ValuePairs, options: CompareOptions): Promise<Evidence> {
  if (pairs.greatest() <= ORDINARY_MAX) return comparePairs(pairs, options)
  return fromLargerUnit(await comparePairs(...inLargerUnit(pairs, options)))
}

/** The interval of the difference alone, of values of any magnitude. */
export async function pairedInterval(pairs: ValuePairs, options: CompareOptions): Promise<Interval | null> {
  if (pairs.greatest() <= ORDINARY_MAX) return intervalOfPairs(pairs, options)
  return intervalFromLargerUnit(await intervalOfPairs(...inLargerUnit(pairs, options)))
}

async function comparePairs(pairs: ValuePairs, options: CompareOptions): Promise<Evidence> {
  const { margin, scale, groupOf } = options
  if (groupOf) return compareInGroups(pairs, { ...options, groupOf })
  const { paired, grouping, pairDifferences, differences, isBinary, isRate } = await compareItems(pairs, options)
  const items = differences.length
  const hasBinaryScale = isBinaryScale(options)
  await yieldToEventLoop()
  const baseline = await estimateMean(sideOf(pairs, 'baseline', grouping), { hasBinaryScale })
  await yieldToEventLoop()
  const candidate = await estimateMean(sideOf(pairs, 'candidate', grouping), { hasBinaryScale })
  const counts = countWins(pairDifferences, options)
  const changeMax = pairs.changeMax(scale)
  const power = isRate
    ? powerOfRates({ n: items, differing: counts.wins + counts.losses, margin })
    : powerOfMeans(differences, { margin, changeMax })
  const unseen = isRate || items === 0 ? null : { share: unseenShare(items), changeMax }
  return { n: pairs.length, items, isBinary, baseline, candidate, ...paired, ...counts, power, unseen }
}

async function intervalOfPairs(pairs: ValuePairs, options: CompareOptions): Promise<Interval | null> {
  const { groupOf } = options
  if (groupOf) return (await compareInGroups(pairs, { ...options, groupOf })).ci
  return (await compareItems(pairs, options)).paired.ci
}

async function compareInGroups(pairs: ValuePairs, options: CompareOptions & { groupOf: GroupOf }): Promise<Evidence> {
  const hasBinaryScale = isBinaryScale(options)
  const isBinary = hasBinaryScale && pairs.length > 0 && pairs.isBinary()
  const items = pairs.countItems()
  const grouped = await compareGroups(pairs, { ...options, hasBinaryScale })
  const isRate = isBinary && items === pairs.length
  const changeMax = pairs.changeMax(options.scale)
  // A whole group can be missed as easily as a single item.
  const unseen = isRate || grouped.groups === 0 ? null : { share: unseenShare(grouped.groups), changeMax }
  return { n: pairs.length, items, isBinary, ...grouped, ...countWins(pairs.differences(), options), unseen }
}

async function compareItems(pairs: ValuePairs, options: CompareOptions) {
  const grouping: Grouping = pairs.isEachItemOnce() ? 'each item once' : 'by item'
  const pairDifferences = pairs.differences()
  const differences =
    grouping === 'each item once' ? pairDifferences : Float64Array.from(pairs.differencesByItem().values())
  const isBinary = isBinaryScale(options) && pairs.length > 0 && pairs.isBinary()
  const isRate = isBinary && differences.length === pairs.length
  const paired = isRate
    ? compareRates(pairs, options)
    : await compareMeans(pairs, { ...options, differences, grouping })
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
  const counts = pairs.countRates()
  const { onlyCandidate, onlyBaseline } = counts
  const rates = newcombePairedInterval({ ...counts, confidence })
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
  pairs: ValuePairs,
  { differences, seed, order, scale, grouping, confidence = CONFIDENCE }: Means,
): Promise<PairedResult> {
  const clusters = grouping === 'by item' ? pairs.itemIds : undefined
  const { baseline, candidate } = pairs
  const ordered =
    order === 'as given' ? { baseline, candidate, clusters } : { baseline: candidate, candidate: baseline, clusters }
  const summary = await runInSlices(bootstrapPairedDifference(ordered, { seed, confidence }))
  await yieldToEventLoop()
  const test = testRanks(differences)
  if (!summary) return { difference: null, ci: null, method: 'none: no pairs', test }
  const difference = order === 'as given' ? summary.difference : negated(summary.difference)
  const { interval } = summary
  if (!interval) {
    const [n, most] = [differences.length, pairs.changeMax(scale)]
    return { difference, ...intervalWithoutSpread({ difference, scale, most, n, confidence, of: 'items' }), test }
  }
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

/** Sums of some millions of differences of smaller values are finite. A power of two, so that no digit changes. */
const ORDINARY_MAX = 2 ** 990
const UNIT = 2 ** 64

function inLargerUnit(pairs: ValuePairs, options: CompareOptions): [ValuePairs, CompareOptions] {
  const { margin, scale } = options
  const scaled = new ValuePairs()
  for (const [index, itemId] of pairs.itemIds.entries())
    scaled.add(itemId, (pairs.baseline[index] ?? NaN) / UNIT, (pairs.candidate[index] ?? NaN) / UNIT)
  return [
    scaled,
    {
      ...options,
      margin: margin === undefined ? undefined : margin / UNIT,
      scale: scale === null ? null : [scale[0] / UNIT, scale[1] / UNIT],
    },
  ]
}

function fromLargerUnit(evidence: Evidence): Evidence {
  const { baseline, candidate, difference, power, unseen } = evidence
  const { detectableDifference, casesFor } = power
  return {
    ...evidence,
    baseline: estimate(baseline),
    candidate: estimate(candidate),
    difference: amount(difference),
    ci: intervalFromLargerUnit(evidence.ci),
    power: {
      detectableDifference: amount(detectableDifference),
      casesFor: casesFor && { ...casesFor, difference: finite(casesFor.difference * UNIT) },
    },
    unseen: unseen && { ...unseen, changeMax: finite(unseen.changeMax * UNIT) },
  }
}

function intervalFromLargerUnit(ci: Interval | null): Interval | null {
  return ci && [finite(ci[0] * UNIT), finite(ci[1] * UNIT)]
}

function estimate({ mean, ci, method }: Estimate): Estimate {
  return { mean: amount(mean), ci: intervalFromLargerUnit(ci), method }
}

function amount(value: number | null): number | null {
  return value === null ? null : finite(value * UNIT)
}

function finite(value: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value))
}
