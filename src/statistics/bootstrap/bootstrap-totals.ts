import { twoSidedCriticalValue } from '../distributions.ts'
import type { Interval } from '../interval.ts'
import { resampleCounts } from '../random/random-binomial.ts'
import { nextRandom, type RandomState, seededRandom } from '../random/seeded-random.ts'
import type { Slices } from '../slices.ts'
import { bcaInterval, jackknifeAcceleration } from './bca-interval.ts'

/**
 * A kind of identical units: their number, and what one unit adds to each of the totals, as [index of the total,
 * amount].
 */
export type Kind = { readonly count: number; readonly adds: readonly (readonly [total: number, amount: number])[] }

export type StatisticOfTotals = {
  readonly kinds: readonly Kind[]
  readonly totals: number
  /** The statistic; undefined if it is not defined, for example if all ratings are equal. */
  readonly evaluate: (totals: Float64Array) => number | undefined
  readonly seed: string
  readonly confidence?: number
}

/**
 * The BCa interval (see `bcaInterval`) of a statistic that depends on sums over the resampled units, such as the counts
 * in a table. Units of one kind are drawn together, so that 100,000 cases of two labels cost as much as ten; the
 * jackknife subtracts one unit from the totals.
 *
 * Undefined if resampling shows no spread: fewer than two units, a statistic that is the same in every resample, or one
 * that is undefined in most of them. Resamples with an undefined statistic are excluded.
 */
export function* totalsInterval(options: StatisticOfTotals): Slices<Interval | undefined> {
  const { evaluate, seed, confidence = 0.95 } = options
  const bag = prepare(options)
  const observed = evaluate(bag.all)
  if (observed === undefined || bag.n < 2) return undefined

  const resamples = Math.round(Math.min(resamplesMax, Math.max(resamplesMin, stepsMax / bag.steps)))
  const random = seededRandom(seed)
  const replicates = new Float64Array(resamples)
  const perSlice = Math.ceil(stepsPerSlice / bag.steps)
  let defined = 0
  for (let done = 0; done < resamples; done++) {
    if (done > 0 && done % perSlice === 0) yield
    const replicate = evaluate(resampledTotals(bag, random))
    if (replicate !== undefined) replicates[defined++] = replicate
  }
  if (defined < resamples / 2) return undefined
  const sorted = replicates.subarray(0, defined).sort()
  const spread = (sorted.at(-1) ?? 0) - (sorted.at(0) ?? 0)
  if (!(spread > rounding)) return undefined

  const acceleration = yield* accelerationOf(bag, evaluate, observed)
  const z = twoSidedCriticalValue(confidence)
  const [low, high] = bcaInterval({ sorted, estimate: observed, tie: rounding, acceleration, z })
  // With a handful of units, nearly all resamples may lie on one side of a biased statistic, and both ends with them.
  return [Math.min(low, observed), Math.max(high, observed)]
}

/** The totals over all units. */
export function sumKinds(kinds: readonly Kind[], totals: number): Float64Array {
  const sums = new Float64Array(totals)
  for (const { count, adds } of kinds) {
    for (const [total, amount] of adds) sums[total] = at(sums, total) + count * amount
  }
  return sums
}

/** The statistics are of the order of 1; smaller differences are rounding errors. */
const rounding = 1e-12

const resamplesMin = 1_000
const resamplesMax = 5_000
const stepsMax = 20_000_000
const stepsPerSlice = 300_000

/** With more units per kind it is faster to draw the count of a kind than to draw units one by one. */
const drawnOneByOneMax = 8

type Bag = {
  readonly n: number
  readonly counts: Float64Array
  /** The kind of each unit, if units are drawn one by one. */
  readonly kindOfEach: Uint32Array | undefined
  /** What kind k adds: entries from starts[k] to starts[k + 1] of `places` and `amounts`. */
  readonly starts: Uint32Array
  readonly indexes: Uint32Array
  readonly amounts: Float64Array
  readonly all: Float64Array
  readonly drawn: Float64Array
  readonly sums: Float64Array
  /** The approximate cost of one resample. */
  readonly steps: number
}

function prepare({ kinds, totals }: StatisticOfTotals): Bag {
  const counts = Float64Array.from(kinds, ({ count }) => count)
  const n = counts.reduce((sum, count) => sum + count, 0)
  const starts = new Uint32Array(kinds.length + 1)
  for (const [kind, { adds }] of kinds.entries()) starts[kind + 1] = at(starts, kind) + adds.length
  const entries = kinds.flatMap(({ adds }) => adds)
  const isDrawnOneByOne = n <= drawnOneByOneMax * kinds.length
  return {
    n,
    counts,
    kindOfEach: isDrawnOneByOne ? expandKinds(counts, n) : undefined,
    starts,
    indexes: Uint32Array.from(entries, ([index]) => index),
    amounts: Float64Array.from(entries, ([, amount]) => amount),
    all: sumKinds(kinds, totals),
    drawn: new Float64Array(kinds.length),
    sums: new Float64Array(totals),
    steps: (isDrawnOneByOne ? n : drawnOneByOneMax * kinds.length) + entries.length + totals,
  }
}

function expandKinds(counts: Float64Array, n: number): Uint32Array {
  const kindOfEach = new Uint32Array(n)
  let thing = 0
  for (const [kind, count] of counts.entries()) {
    kindOfEach.fill(kind, thing, thing + count)
    thing += count
  }
  return kindOfEach
}

function resampledTotals(bag: Bag, random: RandomState): Float64Array {
  const { n, counts, kindOfEach, drawn, sums } = bag
  if (kindOfEach) {
    drawn.fill(0)
    for (let draw = 0; draw < n; draw++) {
      const kind = at(kindOfEach, Math.floor(nextRandom(random) * n))
      drawn[kind] = at(drawn, kind) + 1
    }
  } else {
    resampleCounts(random, counts, drawn)
  }
  addUp(bag, drawn, sums)
  return sums
}

function addUp({ starts, indexes, amounts }: Bag, counts: Float64Array, sums: Float64Array): void {
  sums.fill(0)
  for (let kind = 0; kind < counts.length; kind++) {
    const count = at(counts, kind)
    if (count === 0) continue
    for (let entry = at(starts, kind); entry < at(starts, kind + 1); entry++) {
      const index = at(indexes, entry)
      sums[index] = at(sums, index) + count * at(amounts, entry)
    }
  }
}

function* accelerationOf(
  { counts, starts, indexes, amounts, all, sums }: Bag,
  evaluate: StatisticOfTotals['evaluate'],
  observed: number,
): Slices<number> {
  const withoutOne = new Float64Array(counts.length)
  const perSlice = Math.ceil(stepsPerSlice / (all.length + 1))
  for (let kind = 0; kind < counts.length; kind++) {
    if (kind > 0 && kind % perSlice === 0) yield
    sums.set(all)
    for (let entry = at(starts, kind); entry < at(starts, kind + 1); entry++) {
      const index = at(indexes, entry)
      sums[index] = at(sums, index) - at(amounts, entry)
    }
    withoutOne[kind] = evaluate(sums) ?? observed
  }
  return jackknifeAcceleration(withoutOne, counts)
}

function at(values: Float64Array | Uint32Array, index: number): number {
  return values[index] ?? 0
}
