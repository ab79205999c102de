/**
 * The evidence for one metric if the dataset names groups: items of one group, such as questions about one document,
 * are not independent. Each item counts once, as the mean of its repetitions.
 *
 * The methods are those of `compare-metric.ts`, made robust: Newcombe's interval for the effective number of items or
 * the cluster-robust interval of the mean difference, and a signed-rank test that permutes the signs of whole groups.
 */
import { clusterRobustInterval, clusterRobustMean } from '../../statistics/groups/cluster-robust-mean.ts'
import { scoreUnits } from '../../statistics/groups/clustered-rate.ts'
import { clusteredSignedRank } from '../../statistics/groups/clustered-signed-rank.ts'
import type { Interval } from '../../statistics/interval.ts'
import { newcombePairedInterval } from '../../statistics/intervals/paired-difference.ts'
import { wilsonInterval } from '../../statistics/intervals/wilson-interval.ts'
import { ValuePairs } from '../pairing/value-pairs.ts'
import { type Power, powerOfMeans, powerOfRates } from './comparison-power.ts'
import { estimateGroupedMean, type GroupOf, MEAN_METHOD } from './estimate-grouped-mean.ts'
import type { Estimate } from './estimate-mean.ts'
import { inflatePower } from './group-power.ts'

type GroupOptions = {
  readonly groupOf: GroupOf
  readonly hasBinaryScale: boolean
  readonly scale: readonly [number, number] | null
  readonly margin?: number | undefined
}

export type GroupedEvidence = {
  readonly groups: number
  readonly designEffect: number | null
  readonly baseline: Estimate
  readonly candidate: Estimate
  readonly difference: number | null
  readonly ci: Interval | null
  readonly method: string
  readonly test: {
    readonly method: string
    readonly statistic: number
    readonly p: number
    readonly minAttainableP: number
    readonly testDirection: number
  } | null
  readonly power: Power
}

export async function compareGroups(
  pause: () => Promise<void>,
  pairs: ValuePairs,
  { groupOf, hasBinaryScale, scale, margin }: GroupOptions,
): Promise<GroupedEvidence> {
  const items = onePairPerItem(pairs)
  const groups = items.itemIds.map(groupOf)
  const differences = { values: items.differences(), groups }
  const side = (values: readonly number[]) => {
    const { mean, ci, method } = estimateGroupedMean(
      { values: Float64Array.from(values), groups },
      { hasBinaryScale, scale },
    )
    return { mean, ci, method }
  }
  const baseline = side(items.baseline)
  await pause()
  const sides = { baseline, candidate: side(items.candidate) }
  await pause()
  const result = clusterRobustMean(differences)
  if (!result) return { ...sides, ...NOTHING }
  const isRate = hasBinaryScale && items.isBinary()
  const interval = isRate ? rateInterval(items, scoreUnits(result)) : clusterRobustInterval(result)
  await pause()
  const paired = interval
    ? { ci: boundedBy(interval, scale), method: isRate ? RATE_METHOD : MEAN_METHOD }
    : withoutSpread(items, { difference: result.mean, scale, units: result.effectiveGroups })
  const power = isRate
    ? powerOfRates({ n: items.length, differing: differences.values.filter((one) => one !== 0).length, margin })
    : powerOfMeans(differences.values, { margin, changeMax: scale ? scale[1] - scale[0] : items.greatest() })
  await pause()
  return {
    groups: result.groups,
    designEffect: result.designEffect ?? null,
    ...sides,
    difference: result.mean,
    ...paired,
    test: testOf(clusteredSignedRank(differences)),
    power: inflatePower(power, { factor: items.length / scoreUnits(result), margin, most: isRate ? 1 : Infinity }),
  }
}

const RATE_METHOD = 'Newcombe’s paired score interval with design effect and t, by group, 95 % (Newcombe 1998)'

const NOTHING = {
  groups: 0,
  designEffect: null,
  difference: null,
  ci: null,
  method: 'none: no pairs',
  test: null,
  power: { detectableDifference: null, casesFor: null },
}

/** Requires pairs that are ordered by item. Each item gets the mean of its repetitions. */
function onePairPerItem(pairs: ValuePairs): ValuePairs {
  if (pairs.isEachItemOnce()) return pairs
  const items = new ValuePairs()
  for (let start = 0; start < pairs.length; ) {
    const itemId = pairs.itemIds[start] ?? ''
    let [end, before, after] = [start, 0, 0]
    for (; end < pairs.length && pairs.itemIds[end] === itemId; end += 1) {
      before += pairs.baseline[end] ?? 0
      after += pairs.candidate[end] ?? 0
    }
    items.add(itemId, before / (end - start), after / (end - start))
    start = end
  }
  return items
}

function rateInterval(items: ValuePairs, units: number): Interval | undefined {
  let [both, onlyCandidate, onlyBaseline, neither] = [0, 0, 0, 0]
  for (let index = 0; index < items.length; index += 1) {
    const [before, after] = [items.baseline[index] === 1, items.candidate[index] === 1]
    if (before && after) both += 1
    else if (after) onlyCandidate += 1
    else if (before) onlyBaseline += 1
    else neither += 1
  }
  return newcombePairedInterval({ both, onlyCandidate, onlyBaseline, neither, units })?.interval
}

/**
 * The interval if no group differs from the mean: as in `compare-metric.ts`, the share of items that may change is
 * bounded by Wilson's upper limit, and each group counts as one item.
 */
function withoutSpread(
  items: ValuePairs,
  { difference, scale, units }: { difference: number; scale: readonly [number, number] | null; units: number },
): Pick<GroupedEvidence, 'ci' | 'method'> {
  const [, share] = wilsonInterval({ successes: 0, n: items.length, units }) ?? [0, 1]
  const reach = share * (scale ? scale[1] - scale[0] : items.greatest())
  const method = 'no spread: Wilson’s limit of the share of groups that may differ, 95 %'
  if (units < 2 || reach === 0) return { ci: null, method }
  return { ci: boundedBy([difference - reach, difference + reach], scale), method }
}

/** A mean cannot change by more than the length of the scale. */
function boundedBy([low, high]: Interval, scale: readonly [number, number] | null): Interval {
  const most = scale ? scale[1] - scale[0] : Infinity
  return [Math.max(-most, low), Math.min(most, high)]
}

function testOf(test: ReturnType<typeof clusteredSignedRank>): GroupedEvidence['test'] {
  if (!test) return null
  const { statistic, p, minAttainableP } = test
  const method = `signed-rank test with signs permuted by group, ${test.method === 'exact' ? 'exact' : 'normal approximation'}`
  return { method, statistic, p, minAttainableP, testDirection: Math.sign(statistic) }
}
