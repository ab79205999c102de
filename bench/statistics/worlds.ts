/** Known worlds of scores and ratios, from which the samples of two runs are drawn. Scores lie between 0 and 1. */

import { ItemValues } from '../../src/comparisons/pairing/item-values.ts'
import { nextBeta } from '../../src/statistics/random/random-beta.ts'
import { nextRandom, type RandomState } from '../../src/statistics/random/seeded-random.ts'
import { type Kind, outcomeOf, type Sample } from './compare-sample.ts'
import { type Cell, nextNearCeiling, nextNormal } from './simulated-cell.ts'

export type World = {
  readonly name: string
  readonly kind: Kind
  readonly unit: 'items' | 'groups'
  readonly sizes: readonly number[]
  /** The true gain of the candidate: of ratios, that of the logarithm. */
  readonly truth: number
  readonly sample: (random: RandomState, n: number) => Sample
  /** More samples than others, for figures that are close to their bar. Default: 1. */
  readonly effort?: number
}

export function cellsOf({ name, kind, unit, sizes, truth, sample, effort = 1 }: World): Cell[] {
  return sizes.map((n) => ({
    world: name,
    n,
    unit,
    effort,
    once: (random) => outcomeOf(sample(random, n), kind, { truth, units: n }),
  }))
}

type Drawing = { sizes?: readonly number[]; truth: number; draw: (random: RandomState) => number }

const SIZES = [10, 30, 100, 300]
export const CLOSE_EFFORT = 8

/** `draw` returns the change of one item. */
function scores(name: string, { sizes = SIZES, truth, draw }: Drawing): World {
  return { name: `scores: ${name}`, kind: 'scores', unit: 'items', sizes, truth, sample: changesOf(draw) }
}

function changesOf(draw: Drawing['draw']) {
  return (random: RandomState, n: number): Sample => {
    const values = new ItemValues()
    for (let item = 0; item < n; item += 1) {
      const change = Math.max(-1, Math.min(1, draw(random)))
      values.add(String(item), 0, change)
    }
    return { values }
  }
}

const normal = (mean: number, deviation: number) => (random: RandomState) => mean + deviation * nextNormal(random)

/** Most items gain a little, a few break, and the mean does not change. */
const breakage = (share: number) => (random: RandomState) => {
  const loss = 0.95
  const noise = 0.01 * (nextRandom(random) - 0.5)
  return nextRandom(random) < share ? -loss : (share * loss) / (1 - share) + noise
}

const exponential = (random: RandomState) => -Math.log(1 - nextRandom(random))

const SCORES: World[] = [
  scores('normal, sd 0.2', { truth: 0, draw: normal(0, 0.2) }),
  scores('grades, 80 % equal', { truth: 0, draw: (random) => nextGrade(random, 0.1) }),
  scores('grades, 80 % equal, more fall', { truth: -0.0375, draw: (random) => nextGrade(random, 0.05) }),
  scores('5 % of items lose 0.8', { truth: -0.04, draw: (random) => (nextRandom(random) < 0.05 ? -0.8 : 0) }),
  scores('ceiling, 0.95 to 0.90', {
    truth: -0.05,
    draw: (random) => nextNearCeiling(random, 0.6) - nextNearCeiling(random, 0.8),
  }),
  scores('ceiling, 0.95 twice', {
    truth: 0,
    draw: (random) => nextNearCeiling(random, 0.8) - nextNearCeiling(random, 0.8),
  }),
  scores('5 % lose 0.8, 10 % gain 0.4', {
    sizes: [30, 50, 100],
    truth: 0,
    draw: (random) => nextLossOrGain(random, 0.05),
  }),
  scores('2 % lose 0.8, 4 % gain 0.4', {
    sizes: [50, 100, 200],
    truth: 0,
    draw: (random) => nextLossOrGain(random, 0.02),
  }),
  scores('5 % break, mean 0', { truth: 0, draw: breakage(0.05) }),
  scores('2 % break, mean 0', { truth: 0, draw: breakage(0.02) }),
  scores('10 % break, mean 0', { truth: 0, draw: breakage(0.1) }),
  scores('exponential gains of 0.1', { truth: 0.1, draw: (random) => 0.1 * exponential(random) }),
  scores('exponential around 0', { truth: 0, draw: (random) => 0.1 * (exponential(random) - 1) }),
  scores('exponential losses of 0.1', { truth: -0.1, draw: (random) => -0.1 * exponential(random) }),
  scores('loss 0.05, sd 0.1', { sizes: [10, 20, 30, 50, 100], truth: -0.05, draw: normal(-0.05, 0.1) }),
  scores('gain 0.05, sd 0.1', { sizes: [10, 20, 30, 50, 100], truth: 0.05, draw: normal(0.05, 0.1) }),
  scores('gain 0.1, sd 0.3', { sizes: [30, 50, 100], truth: 0.1, draw: normal(0.1, 0.3) }),
  scores('loss 0.05 and nothing else', { sizes: [10, 30, 100], truth: -0.05, draw: () => -0.05 }),
  {
    name: 'scores: ten repetitions of 40 % of the items',
    kind: 'scores',
    unit: 'items',
    sizes: [30, 100, 300],
    truth: 0,
    sample: changesOf(nextRepeated),
  },
]

/** Two steps of a quarter or one, up with the probability `up` and down with 0.2 − up. */
function nextGrade(random: RandomState, up: number): number {
  const number = nextRandom(random)
  if (number >= 0.2) return 0
  const size = nextRandom(random) < 0.5 ? 0.25 : 0.5
  return number < up ? size : -size
}

/** Few items differ, and losses are twice as large as gains. */
function nextLossOrGain(random: RandomState, share: number): number {
  const number = nextRandom(random)
  return number < share ? -0.8 : number < 3 * share ? 0.4 : 0
}

/** Items with ten repetitions gain 0.3, those with one lose 0.2: weighted by traces, this is a gain of 0.23. */
function nextRepeated(random: RandomState): number {
  const isRepeated = nextRandom(random) < 0.4
  const repetitions = isRepeated ? 10 : 1
  let sum = 0
  for (let repetition = 0; repetition < repetitions; repetition += 1) sum += 0.1 * nextNormal(random)
  return (isRepeated ? 0.3 : -0.2) + sum / repetitions
}

/** `draw` returns the logarithm of the ratio of one item. Items differ in size by a lognormal factor. */
function ratios(name: string, { sizes = SIZES, truth, draw }: Drawing, itemDeviation = 0.5): World {
  return {
    name: `ratios: ${name}`,
    kind: 'ratios',
    unit: 'items',
    sizes,
    truth: truth === 0 ? 0 : -truth,
    sample: (random, n) => {
      const values = new ItemValues()
      for (let item = 0; item < n; item += 1) {
        const before = 1_000 * Math.exp(itemDeviation * nextNormal(random))
        const change = draw(random)
        values.add(String(item), before, change === 0 ? before : before * Math.exp(change))
      }
      return { values }
    },
  }
}

const chance = (share: number, ratio: number, deviation: number) => (random: RandomState) =>
  (nextRandom(random) < share ? Math.log(ratio) : 0) + (deviation === 0 ? 0 : deviation * nextNormal(random))

const RATIOS: World[] = [
  ratios('sd 0.3', { truth: 0, draw: normal(0, 0.3) }),
  ratios('sd 1', { truth: 0, draw: normal(0, 1) }),
  ratios('unrelated costs, sd 1.5 each', { truth: 0, draw: normal(0, 1.5 * Math.SQRT2) }),
  ratios('10 % of items doubled', { truth: 0.1 * Math.LN2, draw: chance(0.1, 2, 0) }),
  ratios('3 % of items × 20, sd 0.3', { truth: 0.03 * Math.log(20), draw: chance(0.03, 20, 0.3) }),
  ratios('3 % of items × 20, sd 0.1', { truth: 0.03 * Math.log(20), draw: chance(0.03, 20, 0.1) }),
  ratios('× 1.2, sd 0.3', { sizes: [10, 30, 100], truth: Math.log(1.2), draw: normal(Math.log(1.2), 0.3) }),
  ratios(
    'latency × 1.2, items from 1 to 100',
    { sizes: [50, 100, 200], truth: Math.log(1.2), draw: normal(Math.log(1.2), 0.3) },
    1.5,
  ),
  {
    name: 'ratios: 20 % free, the others × 1.25',
    kind: 'ratios',
    unit: 'items',
    effort: CLOSE_EFFORT,
    sizes: SIZES,
    truth: 0,
    sample: (random, n) => {
      const values = new ItemValues()
      for (let item = 0; item < n; item += 1) {
        const before = 1_000 * Math.exp(0.5 * nextNormal(random))
        const isFree = nextRandom(random) < 0.2
        // The mean of the lognormal factor is 1.
        const factor = Math.exp(0.3 * nextNormal(random) - 0.3 ** 2 / 2)
        values.add(String(item), before, isFree ? 0 : 1.25 * before * factor)
      }
      return { values }
    },
  },
]

const GROUP_SIZES = [10, 20, 50]
const ITEMS_PER_GROUP = 5
const CORRELATION = 0.3

type Grouped = { kind: 'yes/no' | 'scores'; truth: number; sizes?: readonly number[]; isUnequal?: boolean }
/** Draws the two values of the items of one group. */
type DrawGroup = (random: RandomState) => () => readonly [baseline: number, candidate: number]

function grouped(
  name: string,
  { kind, truth, sizes = GROUP_SIZES, isUnequal = false }: Grouped,
  drawGroup: DrawGroup,
): World {
  return {
    name: `groups: ${name}`,
    kind,
    unit: 'groups',
    sizes,
    truth,
    sample: (random, groupCount) => {
      const values = new ItemValues()
      const groups: string[] = []
      for (let group = 0; group < groupCount; group += 1) {
        const draw = drawGroup(random)
        const size = isUnequal ? 1 + Math.floor(nextRandom(random) * (2 * ITEMS_PER_GROUP - 1)) : ITEMS_PER_GROUP
        for (let item = 0; item < size; item += 1) {
          values.add(`${group}:${item}`, ...draw())
          groups.push(String(group))
        }
      }
      return { values, groups }
    },
  }
}

/** Each document has its own ease in each run: Beta with the rate as mean and the correlation of two of its items. */
const rates =
  (before: number, after: number): DrawGroup =>
  (random) => {
    const strength = (1 - CORRELATION) / CORRELATION
    const [first, second] = [before, after].map((rate) => nextBeta(random, strength * rate, strength * (1 - rate)))
    return () => [Number(nextRandom(random) < (first ?? 0)), Number(nextRandom(random) < (second ?? 0))]
  }

const shiftedScores =
  (mean: number): DrawGroup =>
  (random) => {
    const ofGroup = mean + 0.2 * Math.sqrt(CORRELATION) * nextNormal(random)
    return () => [0, ofGroup + 0.2 * Math.sqrt(1 - CORRELATION) * nextNormal(random)]
  }

/** A question with its copies, which have the same values. */
const copies: DrawGroup = (random) => {
  const change = nextRandom(random) < 0.3 ? (nextRandom(random) < 0.5 ? 1 : 0) : undefined
  const [before, after] = change === undefined ? [1, 1] : [1 - change, change]
  return () => [before, after]
}

const GROUPS: World[] = [
  { ...grouped('rate 0.7', { kind: 'yes/no', truth: 0 }, rates(0.7, 0.7)), effort: CLOSE_EFFORT },
  grouped('rate 0.9', { kind: 'yes/no', truth: 0 }, rates(0.9, 0.9)),
  grouped('rate 0.7, of 1 to 9 items', { kind: 'yes/no', truth: 0, isUnequal: true }, rates(0.7, 0.7)),
  grouped('rate 0.8 to 0.7', { kind: 'yes/no', truth: -0.1, sizes: [10, 20, 30, 50] }, rates(0.8, 0.7)),
  { ...grouped('scores', { kind: 'scores', truth: 0 }, shiftedScores(0)), effort: CLOSE_EFFORT },
  grouped('scores, of 1 to 9 items', { kind: 'scores', truth: 0, isUnequal: true }, shiftedScores(0)),
  grouped('scores, loss 0.1', { kind: 'scores', truth: -0.1, sizes: [10, 20, 30, 50] }, shiftedScores(-0.1)),
  grouped('questions with 5 copies', { kind: 'yes/no', truth: 0 }, copies),
]

export const WORLDS: World[] = [...SCORES, ...RATIOS, ...GROUPS]
