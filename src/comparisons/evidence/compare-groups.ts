/**
 * The evidence for one metric if the dataset names groups: items of one group, such as questions about one document,
 * are not independent. Each item counts once, as the mean of its repetitions.
 *
 * The methods are those of `compare-metric.ts`, made robust: Newcombe's interval for the effective number of items or
 * the cluster-robust interval of the mean difference, and a signed-rank test that permutes the signs of whole groups.
 */
import { yieldToEventLoop } from '../../base/event-loop.ts'
import { clusterRobustInterval, clusterRobustMean, scoreUnits } from '../../statistics/groups/cluster-robust-mean.ts'
import { clusteredSignedRank } from '../../statistics/groups/clustered-signed-rank.ts'
import { newcombePairedInterval } from '../../statistics/rate-intervals.ts'
import { ValuePairs } from '../pairing/measure-pairs.ts'
import { inflatePower, powerOfMeans, powerOfRates } from './comparison-power.ts'
import {
  boundedDifference,
  estimateGroupedMean,
  type GroupOf,
  intervalWithoutSpread,
  MEAN_METHOD,
} from './estimate-mean.ts'
import type { Evidence } from './evidence.ts'

type GroupOptions = {
  readonly groupOf: GroupOf
  readonly hasBinaryScale: boolean
  readonly scale: readonly [number, number] | null
  readonly margin?: number | undefined
}

type GroupedEvidence = { groups: number } & Pick<
  Evidence,
  'designEffect' | 'baseline' | 'candidate' | 'difference' | 'ci' | 'method' | 'test' | 'power'
>

export async function compareGroups(
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
  await yieldToEventLoop()
  const sides = { baseline, candidate: side(items.candidate) }
  await yieldToEventLoop()
  const result = clusterRobustMean(differences)
  if (!result) return { ...sides, ...NOTHING }
  const isRate = hasBinaryScale && items.isBinary()
  const interval = isRate
    ? newcombePairedInterval({ ...items.countRates(), units: scoreUnits(result) })?.interval
    : clusterRobustInterval(result)
  await yieldToEventLoop()
  const paired = interval
    ? { ci: boundedDifference(interval, scale), method: isRate ? RATE_METHOD : MEAN_METHOD }
    : // Each group counts as one item.
      intervalWithoutSpread({
        difference: result.mean,
        scale,
        most: items.changeMax(scale),
        n: items.length,
        units: result.effectiveGroups,
        of: 'groups',
      })
  const power = isRate
    ? powerOfRates({ n: items.length, differing: differences.values.filter((one) => one !== 0).length, margin })
    : powerOfMeans(differences.values, { margin, changeMax: items.changeMax(scale) })
  await yieldToEventLoop()
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

function testOf(test: ReturnType<typeof clusteredSignedRank>): GroupedEvidence['test'] {
  if (!test) return null
  const { statistic, p, minAttainableP } = test
  const method = `signed-rank test with signs permuted by group, ${test.method === 'exact' ? 'exact' : 'normal approximation'}`
  return { method, statistic, p, minAttainableP, testDirection: Math.sign(statistic) }
}
