/** Means of one run whose items come in groups: 40 documents with 5 questions each, correlated within a document. */
import { estimateGroupedMean } from '../../src/comparisons/evidence/estimate-mean.ts'
import type { Interval } from '../../src/statistics/interval.ts'
import { nextBeta } from '../../src/statistics/random/random-beta.ts'
import { nextRandom, type RandomState } from '../../src/statistics/random/seeded-random.ts'
import type { Setting } from './simulated-cell.ts'

type World = {
  groups: number
  /** The correlation of two items of a group. */
  correlation: number
  rate: number
  /** The sizes of the groups: all the same, or from 1 to 9 with the same mean. */
  sizes?: 'equal' | 'unequal'
}

const ITEMS_PER_GROUP = 5

const RATES: (World & { name: string })[] = [
  { name: 'rate: 40 x 5, correlation 0.3', groups: 40, correlation: 0.3, rate: 0.7 },
  { name: 'rate: 40 x 5, correlation 0.5', groups: 40, correlation: 0.5, rate: 0.7 },
  { name: 'rate of 0.9: 40 x 5, correlation 0.3', groups: 40, correlation: 0.3, rate: 0.9 },
  { name: 'rate: 40 x 1 to 9, correlation 0.5', groups: 40, correlation: 0.5, rate: 0.7, sizes: 'unequal' },
  { name: 'rate: 10 x 5, correlation 0.3', groups: 10, correlation: 0.3, rate: 0.7 },
  { name: 'rate: 6 x 5, correlation 0.3', groups: 6, correlation: 0.3, rate: 0.7 },
]
const FEW_GROUPS = { name: 'rate of 0.9: 10 x 5, correlation 0.3', groups: 10, correlation: 0.3, rate: 0.9 }

/** Nine of ten scores are at the end of the scale, by group. */
const NEAR_TOP = [6, 10, 20, 40].map((groups) => ({ groups, correlation: 0.3, rate: 0.9 }))

export const GROUP_SETTINGS: Setting[] = [
  ...[...RATES, FEW_GROUPS].map(({ name, ...world }) => ({
    name: `grouped ${name}`,
    truth: world.rate,
    sample: (random: RandomState) => rateOf(random, world),
  })),
  ...RATES.map(({ name, ...world }) => ({
    name: `grouped score, as ${name}`,
    truth: world.rate,
    sample: (random: RandomState) => scoreOf(random, world),
  })),
  ...NEAR_TOP.map((world) => ({
    name: `grouped score near the top: ${world.groups} x 5, correlation ${world.correlation}`,
    truth: world.rate + (1 - world.rate) / 2,
    sample: (random: RandomState) => estimate(groupsOf(random, world), ({ ease }) => nearTop(random, ease)),
  })),
]

type Group = { name: string; size: number; ease: number }

/** Each document has its own ease: Beta with the rate as mean, so that its variance is correlation · rate · (1 − rate). */
function groupsOf(random: RandomState, { groups, correlation, rate, sizes = 'equal' }: World): Group[] {
  const strength = (1 - correlation) / correlation
  return Array.from({ length: groups }, (_, index) => ({
    name: `${index}`,
    size: sizes === 'equal' ? ITEMS_PER_GROUP : 1 + Math.floor(nextRandom(random) * (2 * ITEMS_PER_GROUP - 1)),
    ease: nextBeta(random, strength * rate, strength * (1 - rate)),
  }))
}

function rateOf(random: RandomState, world: World): Interval | undefined {
  return estimate(groupsOf(random, world), ({ ease }) => (nextRandom(random) < ease ? 1 : 0))
}

/** The ease of the document with an error: a score that is between 0 and 1 on average, and nothing bounds it. */
function scoreOf(random: RandomState, world: World): Interval | undefined {
  return estimate(groupsOf(random, world), ({ ease }) => ease + 0.5 * (nextRandom(random) - 0.5), null)
}

function nearTop(random: RandomState, share: number): number {
  return nextRandom(random) < share ? 1 : nextRandom(random)
}

function estimate(
  groups: readonly Group[],
  draw: (group: Group) => number,
  scale: readonly [number, number] | null = [0, 1],
): Interval | undefined {
  const items = groups.flatMap((group) => Array.from({ length: group.size }, () => group))
  const values = { values: Float64Array.from(items, draw), groups: items.map(({ name }) => name) }
  return estimateGroupedMean(values, { hasBinaryScale: true, scale }).ci ?? undefined
}
