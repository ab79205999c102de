/** The worlds in which items come in groups: 40 documents with 5 questions each, correlated within a document. */
import { compareMetric } from '../../src/comparisons/evidence/compare-metric.ts'
import { estimateGroupedMean } from '../../src/comparisons/evidence/estimate-mean.ts'
import { ValuePairs } from '../../src/comparisons/pairing/measure-pairs.ts'
import { decide } from '../../src/comparisons/verdicts/verdict.ts'
import type { Interval } from '../../src/statistics/interval.ts'
import { nextBeta } from '../../src/statistics/random/random-beta.ts'
import { nextRandom, type RandomState, seededRandom } from '../../src/statistics/random/seeded-random.ts'
import type { Line } from '../harness/line.ts'

type Setting = {
  name: string
  truth: number
  sample: (random: RandomState, seed: string) => Interval | undefined
  isForInformation?: true
}

type World = {
  groups: number
  /** The correlation of two items of a group. */
  correlation: number
  rate: number
  /** The sizes of the groups: all the same, or from 1 to 9 with the same mean. */
  sizes?: 'equal' | 'unequal'
}

const ITEMS_PER_GROUP = 5

const RATES: (World & { name: string; isForInformation?: true })[] = [
  { name: 'rate: 40 x 5, correlation 0.3', groups: 40, correlation: 0.3, rate: 0.7 },
  { name: 'rate: 40 x 5, correlation 0.5', groups: 40, correlation: 0.5, rate: 0.7 },
  { name: 'rate of 0.9: 40 x 5, correlation 0.3', groups: 40, correlation: 0.3, rate: 0.9 },
  { name: 'rate: 40 x 1 to 9, correlation 0.5', groups: 40, correlation: 0.5, rate: 0.7, sizes: 'unequal' },
  { name: 'rate: 10 x 5, correlation 0.3', groups: 10, correlation: 0.3, rate: 0.7 },
  { name: 'rate: 6 x 5, correlation 0.3', groups: 6, correlation: 0.3, rate: 0.7 },
]

export const GROUP_SETTINGS: Setting[] = [
  ...RATES.map(({ name, isForInformation, ...world }) => ({
    name: `grouped ${name}`,
    truth: world.rate,
    sample: (random: RandomState) => rateOf(random, world),
    ...(isForInformation ? { isForInformation } : {}),
  })),
  ...RATES.map(({ name, isForInformation, ...world }) => ({
    name: `grouped score, as ${name}`,
    truth: world.rate,
    sample: (random: RandomState) => scoreOf(random, world),
    ...(isForInformation ? { isForInformation } : {}),
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

/** The ease of the document with an error: a score between 0 and 1 on average. */
function scoreOf(random: RandomState, world: World): Interval | undefined {
  return estimate(groupsOf(random, world), ({ ease }) => ease + 0.5 * (nextRandom(random) - 0.5))
}

function estimate(groups: readonly Group[], draw: (group: Group) => number): Interval | undefined {
  const items = groups.flatMap((group) => Array.from({ length: group.size }, () => group))
  const values = { values: Float64Array.from(items, draw), groups: items.map(({ name }) => name) }
  return estimateGroupedMean(values, { hasBinaryScale: true, scale: null }).ci ?? undefined
}

export async function* measureGroups(simulations: number): AsyncGenerator<Line> {
  for (const world of COMPARED) {
    let [verdicts, covered] = [0, 0]
    for (let simulation = 0; simulation < simulations; simulation++) {
      const random = seededRandom(`${world.name} ${simulation}`)
      const { ci, isChanged } = await compareOnce(random, world)
      if (isChanged) verdicts += 1
      if (ci && ci[0] <= 0 && ci[1] >= 0) covered += 1
    }
    yield* linesOf(world, { verdicts: verdicts / simulations, coverage: covered / simulations, simulations })
  }
}

type ComparedWorld = World & { name: string; kind: 'rate' | 'score'; isForInformation?: true }

const COMPARED: ComparedWorld[] = [
  { name: '40 x 5, correlation 0.3', kind: 'rate', groups: 40, correlation: 0.3, rate: 0.7 },
  { name: '40 x 5, correlation 0.5', kind: 'rate', groups: 40, correlation: 0.5, rate: 0.7 },
  { name: '40 x 1 to 9, correlation 0.5', kind: 'rate', groups: 40, correlation: 0.5, rate: 0.7, sizes: 'unequal' },
  // Wider than needed: few items differ, and few groups make the design effect uncertain.
  { name: '10 x 5, correlation 0.5', kind: 'rate', groups: 10, correlation: 0.5, rate: 0.7, isForInformation: true },
  { name: '40 x 5 scores, correlation 0.3', kind: 'score', groups: 40, correlation: 0.3, rate: 0.7 },
  { name: '40 x 5 scores, correlation 0.5', kind: 'score', groups: 40, correlation: 0.5, rate: 0.7 },
  { name: '10 x 5 scores, correlation 0.5', kind: 'score', groups: 10, correlation: 0.5, rate: 0.7 },
]

/** Two versions that are equally good on average, each with its own easy and hard documents. */
async function compareOnce(
  random: RandomState,
  world: ComparedWorld,
): Promise<{ ci: Interval | null; isChanged: boolean }> {
  const before = groupsOf(random, world)
  const after = groupsOf(random, { ...world, sizes: 'equal' })
  const pairs = new ValuePairs()
  const groupOfItem = new Map<string, string>()
  const draw = (ease: number) => {
    if (world.kind === 'rate') return nextRandom(random) < ease ? 1 : 0
    return ease + 0.5 * (nextRandom(random) - 0.5)
  }
  for (const [index, { name, size, ease }] of before.entries()) {
    for (let item = 0; item < size; item++) {
      const itemId = `${String(index).padStart(3, '0')}:${item}`
      groupOfItem.set(itemId, name)
      pairs.add(itemId, draw(ease), draw(after[index]?.ease ?? 0))
    }
  }
  const scale = world.kind === 'rate' ? ([0, 1] as const) : null
  const groupOf = (itemId: string) => groupOfItem.get(itemId) ?? itemId
  const kind = world.kind === 'rate' ? ('binary' as const) : ('numeric' as const)
  const options = { kind, higherIsBetter: true, scale, groupOf, seed: 'any', order: 'as given' as const }
  const evidence = await compareMetric(pairs, options)
  const { verdict } = decide(
    { ...evidence, higherIsBetter: true, scale, missingItems: { incomplete: 0, ci: null } },
    { pAdjusted: evidence.test?.p ?? null, testDirection: evidence.test?.testDirection ?? 0 },
  )
  return { ci: evidence.ci, isChanged: verdict === 'improved' || verdict === 'regressed' }
}

const SIMULATIONS_FULL = 2_000

function* linesOf(
  { name, isForInformation }: ComparedWorld,
  { verdicts, coverage, simulations }: { verdicts: number; coverage: number; simulations: number },
): Generator<Line> {
  const slack = simulations < SIMULATIONS_FULL ? 2 * Math.sqrt((0.95 * 0.05) / simulations) : 0
  const detail = `${simulations} samples of two equal versions`
  const [min, max, most] = [0.93 - slack, Math.min(1, 0.97 + slack), 0.06 + slack]
  const range = { bar: `${percent(min)}-${percent(max)} %`, isMet: coverage >= min && coverage <= max }
  yield {
    name: `grouped difference: ${name}`,
    value: `${percent(coverage, 1)} %`,
    ...(isForInformation ? {} : range),
    detail,
  }
  const limit = { bar: `<= ${percent(most)} %`, isMet: verdicts <= most }
  yield { name: `false verdicts: ${name}`, value: `${percent(verdicts, 1)} %`, ...limit, detail }
}

function percent(share: number, digits = 0): string {
  return (100 * share).toFixed(digits)
}
