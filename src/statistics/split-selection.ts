import { nextRandom, type RandomState, seededRandom } from './random/seeded-random.ts'
import type { Slices } from './slices.ts'
import { sumOf } from './sums.ts'

/** By candidate: its gain in each item. All candidates have the same items in the same order. */
export type CandidateGains = readonly Float64Array[]

type SplitOptions = { readonly seed: string; readonly splits?: number }

/**
 * The gain to expect of the best candidate on new items. Its mean gain on the items that it was chosen by is too high,
 * because the best of several is partly the luckiest. The items are split in two halves at random: the best candidate of
 * one half is measured in the other, both ways, and this is averaged over the splits. Undefined with fewer than two
 * items or without candidates.
 *
 * Repeated two-fold cross-validation of the choice: Stone, M. (1974), Cross-validatory choice and assessment of
 * statistical predictions, Journal of the Royal Statistical Society B 36, 111–147. Half of the items choose, so that the
 * result is slightly low where the candidates differ.
 */
export function* expectedGainOfBest(
  gains: CandidateGains,
  { seed, splits = splitsDefault }: SplitOptions,
): Slices<number | undefined> {
  const items = gains[0]?.length ?? 0
  if (gains.some((ofCandidate) => ofCandidate.length !== items))
    throw new RangeError('All candidates need a gain in every item.')
  if (items < 2) return undefined
  const totals = gains.map(sumOf)
  const random = seededRandom(seed)
  const order = Uint32Array.from({ length: items }, (_, index) => index)
  const half = Math.floor(items / 2)
  let [sum, additions] = [0, 0]
  for (let split = 0; split < splits; split += 1) {
    drawFirst(random, order, half)
    const first = gains.map((ofCandidate) => sumOfFirst(ofCandidate, order, half))
    const second = totals.map((total, candidate) => total - (first[candidate] ?? 0))
    sum += at(second, indexOfGreatest(first)) / (items - half) + at(first, indexOfGreatest(second)) / half
    additions += half * gains.length
    if (additions > additionsPerSlice) {
      additions = 0
      yield
    }
  }
  return sum / (2 * splits)
}

const splitsDefault = 200
const additionsPerSlice = 2_000_000

/** Moves `count` random items to the front: the start of a Fisher–Yates shuffle. */
function drawFirst(random: RandomState, order: Uint32Array, count: number): void {
  for (let index = 0; index < count; index += 1) {
    const drawn = index + Math.floor(nextRandom(random) * (order.length - index))
    const item = order[drawn] ?? 0
    order[drawn] = order[index] ?? 0
    order[index] = item
  }
}

function sumOfFirst(gains: Float64Array, order: Uint32Array, count: number): number {
  let sum = 0
  for (let index = 0; index < count; index += 1) sum += gains[order[index] ?? 0] ?? 0
  return sum
}

/** The first of equal ones. */
function indexOfGreatest(values: readonly number[]): number {
  let best = 0
  for (let index = 1; index < values.length; index += 1) if (at(values, index) > at(values, best)) best = index
  return best
}

function at(values: readonly number[], index: number): number {
  return values[index] ?? Number.NaN
}
