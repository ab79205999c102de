/**
 * Which of several candidates is the best, what to expect of it on new items, and which is the cheapest that is not worse.
 * All is computed from the items that the baseline and all candidates have.
 */
import { runInSlices } from '../../base/event-loop.ts'
import { isBinaryScale } from '../../evaluators/evaluator.ts'
import type { Interval } from '../../statistics/interval.ts'
import { shownBest } from '../../statistics/sequential/shown-best.ts'
import { expectedOnNewItems } from '../../statistics/split-selection.ts'
import { meanOf } from '../../statistics/sums.ts'
import {
  commonItems,
  firstShared,
  gainsOn,
  isShared,
  type MeasuredFamily,
  type MetricValues,
} from '../compare-family.ts'
import type { MeasuredRuns } from '../compare-runs.ts'
import { estimateGroupedMean, estimateMean, type GroupOf } from '../evidence/estimate-mean.ts'
import type { Metric } from '../pairing/compared-metrics.ts'
import { formatItems, marginOn } from '../verdicts/verdict.ts'
import { formatInterval, formatNumber } from '../verdicts/verdict-summary.ts'
import { cheapestNotWorse, frontOf, type Variant } from './cheapest-not-worse.ts'
import { notWorseFamily } from './not-worse-family.ts'

type RankedSide = { readonly name: string; readonly latencyMs: number | null }

type RankOptions = {
  readonly baseline: RankedSide
  /** In the order of the family. Names are different. */
  readonly candidates: readonly RankedSide[]
  /** That of the gate. Another one is used if a variant lacks it. */
  readonly metric: string | undefined
  /** Of `metric` only. */
  readonly margin: number | undefined
  readonly seed: string
}

export type FamilyRanking = {
  /** The name of the candidate with the greatest gain. */
  readonly best: string
  readonly metric: string
  readonly higherIsBetter: boolean
  readonly summary: string
  /** Null with fewer than ten items, or groups if the dataset names them. The interval is null if all have the same gain. */
  readonly expectedOnNew: { readonly difference: number; readonly ci: Interval | null } | null
  /** Null without a margin of the metric. */
  readonly cheapest: { readonly name: string | null; readonly summary: string } | null
  readonly front: readonly Variant[]
  /** All of them with their quality on the same items, the baseline first. */
  readonly variants: readonly Variant[]
  /** The number of these items. */
  readonly items: number
}

/** Null if there is no quality metric that all candidates have in the same items. */
export async function rankFamily(family: MeasuredFamily, options: RankOptions): Promise<FamilyRanking | null> {
  const { metric: wanted, margin } = options
  const name = wanted !== undefined && isShared(family.values, wanted) ? wanted : firstShared(family.values)
  const ofMetric = family.values.flatMap((all) => all.filter(({ metric }) => metric.name === name))
  const [first] = ofMetric
  if (!first) return null
  const items = commonItems(ofMetric)
  if (items.length === 0) return null
  const groupOf = family.runs[0]?.groupOf
  const gains = gainsOn(items, ofMetric).map((one) => (groupOf ? meansOfGroups(one, items, groupOf) : one))
  const { metric } = first
  const best = await rankBest({ metric, gains, items: items.length, isGrouped: groupOf !== undefined }, options)
  const variants = await describeVariants(family, { ofMetric, items, options })
  return {
    ...best,
    metric: metric.name,
    higherIsBetter: metric.higherIsBetter,
    variants,
    items: items.length,
    ...cheapestOf(family, { variants, metric, margin: name === wanted ? margin : undefined, items: items.length }),
  }
}

type Gains = { metric: Metric; gains: readonly Float64Array[]; items: number; isGrouped: boolean }

async function rankBest({ metric, gains, items, isGrouped }: Gains, { baseline, candidates, seed }: RankOptions) {
  const means = gains.map((one) => meanOf([...one]) ?? 0)
  const index = means.indexOf(Math.max(...means))
  const best = candidates[index]?.name ?? ''
  const direction = metric.higherIsBetter ? 1 : -1
  const expected = await runInSlices(expectedOnNewItems(gains, { seed }))
  const inUnit = ([low, high]: Interval): Interval => (direction > 0 ? [low, high] : [-high, -low])
  const expectedOnNew = expected
    ? { difference: direction * expected.difference, ci: expected.interval ? inUnit(expected.interval) : null }
    : null
  const amount = (value: number) => formatNumber(Number(value.toPrecision(2)))
  const subject =
    candidates.length === 1
      ? `${best} is the only candidate`
      : `${best} has the best ${metric.name} of ${candidates.length} candidates`
  const counted = formatItems({ items, groups: isGrouped ? gains[0]?.length : undefined })
  const range = expectedOnNew?.ci ? `, 95 % CI on new items: ${formatInterval(expectedOnNew.ci, metric.scale)}` : ''
  const expects = expectedOnNew
    ? `expect ${amount(expectedOnNew.difference)} on new items`
    : `too few ${isGrouped ? 'groups' : 'items'} to say what to expect on new items`
  const difference = `the difference of ${metric.name} from ${baseline.name} on the same items is ${amount(direction * (means[index] ?? 0))}`
  const shown = leaderText({ metric, gains }, [baseline.name, ...candidates.map(({ name }) => name)])
  return { best, summary: `${subject}: ${difference}; ${expects} (${counted}${range}).${shown}`, expectedOnNew }
}

/** With one candidate, its comparison says which is better. Evidence needs bounds of the values. */
function leaderText({ metric, gains }: Pick<Gains, 'metric' | 'gains'>, names: readonly string[]): string {
  const { scale } = metric
  if (gains.length < 2 || scale === null) return ''
  const shares = gains.map((one) => one.map((gain) => gain / (scale[1] - scale[0])))
  // Only their differences count, so the baseline may be 0.
  const leader = shownBest([new Float64Array(gains[0]?.length ?? 0), ...shares])
  if (!leader?.isShown) return ' No variant is shown to be better than each of the others.'
  return ` ${names[leader.index]} is shown to be better than each of the others.`
}

/** The mean of each group, which counts once, because its items are not independent. */
function meansOfGroups(gains: Float64Array, items: readonly string[], groupOf: GroupOf): Float64Array {
  const groups = Map.groupBy(gains.keys(), (index) => groupOf(items[index] ?? ''))
  return Float64Array.from(groups.values(), (places) => meanOf(places.map((index) => gains[index] ?? 0)) ?? 0)
}

type Described = { ofMetric: readonly MetricValues[]; items: readonly string[]; options: RankOptions }

/** The baseline first. */
async function describeVariants({ runs }: MeasuredFamily, described: Described): Promise<Variant[]> {
  const { ofMetric, items, options } = described
  const variants: Variant[] = []
  for (const [index, { metric, values }] of ofMetric.entries()) {
    const run = runs[index]
    const side = options.candidates[index]
    if (!run || !side) continue
    const places = new Map(values.itemIds.map((item, place) => [item, place]))
    const of = (column: readonly number[]) => Float64Array.from(items, (item) => column[places.get(item) ?? -1] ?? NaN)
    const quality = (column: readonly number[]) => qualityOf(metric, of(column), run.groupOf && items.map(run.groupOf))
    if (index === 0) {
      const costUsd = costOfItem(run, 'baseline', items)
      variants.push({ ...options.baseline, quality: await quality(values.baseline), costUsd })
    }
    variants.push({
      ...side,
      quality: await quality(values.candidate),
      costUsd: costOfItem(run, 'candidate', items),
    })
  }
  return variants
}

async function qualityOf(
  metric: Metric,
  values: Float64Array,
  groups: readonly string[] | undefined,
): Promise<Variant['quality']> {
  const options = { ...metric, hasBinaryScale: isBinaryScale(metric) }
  const { mean, ci } = groups ? estimateGroupedMean({ values, groups }, options) : await estimateMean(values, options)
  return { mean: mean ?? NaN, ci }
}

/** Calls that have failed have no cost, and a model may have no price: the mean of a few other items is not the cost. */
const KNOWN_COSTS_MIN = 0.9

function costOfItem({ paired }: MeasuredRuns, side: 'baseline' | 'candidate', items: readonly string[]): number | null {
  const wanted = new Set(items)
  const costs = paired.items
    .filter(({ itemId }) => wanted.has(itemId))
    .map((item) => meanOf(item[side].flatMap(({ trace }) => trace?.costUsd ?? [])))
    .filter((cost) => cost !== null)
  return costs.length < KNOWN_COSTS_MIN * items.length ? null : meanOf(costs)
}

type Question = { variants: readonly Variant[]; metric: Metric; margin: number | undefined; items: number }

function cheapestOf({ runs }: MeasuredFamily, { variants, metric, margin, items }: Question) {
  const [baseline, ...candidates] = variants
  const inUnit = marginOn(metric, margin)
  if (!baseline || margin === undefined || inUnit === undefined)
    return { cheapest: null, front: frontOf(variants, { metric }) }
  const evidence = runs.flatMap(({ measuredMetrics, rule }) => {
    const found = measuredMetrics.find((one) => one.metric.name === metric.name)
    return found ? [{ ...found.metric, ...found.evidence, levelFor: rule.levelFor }] : []
  })
  const shown = notWorseFamily(evidence, inUnit)
  const judged = candidates.map((one, index) => ({ ...one, isNotWorse: shown[index]?.isNotWorse ?? false }))
  const { cheapest, front, summary } = cheapestNotWorse(baseline, judged, { metric, margin, items })
  return { cheapest: { name: cheapest, summary }, front }
}
