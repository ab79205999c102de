/**
 * How often comparisons are wrong, in worlds that are known: false verdicts and gates at most 5 % (tolerance 1 point),
 * intervals that cover 93 to 97 %, and the power that is promised.
 */

import { compareMetric, pairedInterval } from '../../src/comparisons/evidence/compare-metric.ts'
import type { CompareOptions } from '../../src/comparisons/evidence/evidence.ts'
import { ValuePairs } from '../../src/comparisons/pairing/measure-pairs.ts'
import { boundedInterval } from '../../src/comparisons/pairing/missing-items.ts'
import { decide, isNotWorse } from '../../src/comparisons/verdicts/verdict.ts'
import { pairedPredictionPowered } from '../../src/statistics/calibration/paired-prediction-powered.ts'
import { exactMcNemar, holmAdjusted } from '../../src/statistics/paired-tests.ts'
import { nextRandom, type RandomState, seededRandom } from '../../src/statistics/random/seeded-random.ts'
import { newcombePairedInterval } from '../../src/statistics/rate-intervals.ts'
import { bettingMean } from '../../src/statistics/sequential/betting-mean.ts'
import { signEValue } from '../../src/statistics/sequential/e-values.ts'
import { runSlices } from '../../src/statistics/slices.ts'
import { expectedGainOfBest } from '../../src/statistics/split-selection.ts'
import type { Line } from '../harness/line.ts'

type RateSetting = {
  name: string
  /** The range of the rate, in percent. */
  bar: readonly [number, number]
  /** A share of the simulations of the other settings, for slow ones. */
  effort?: number
  /** True counts for the rate. */
  happens: (random: RandomState, seed: string) => boolean | Promise<boolean>
}

/** False verdicts: 5 % with a tolerance of one point. */
const FALSE_BAR = [0, 6] as const
const COVERAGE_BAR = [93, 97] as const
/** Intervals that must cover at least so often, by construction. */
const AT_LEAST_BAR = [94, 100] as const
const SIMULATIONS = 1_000

export async function* measureComparisonRates(share: number): AsyncGenerator<Line> {
  for (const { name, bar, effort = 1, happens } of SETTINGS) {
    const simulations = Math.max(50, Math.round(SIMULATIONS * share * effort))
    let count = 0
    for (let simulation = 0; simulation < simulations; simulation += 1) {
      const seed = `${name} ${simulation}`
      if (await happens(seededRandom(seed), seed)) count += 1
    }
    const rate = (100 * count) / simulations
    // With fewer samples the result varies more: allow two standard errors of the nearer end of the bar.
    const slack = simulations < SIMULATIONS ? 200 * Math.sqrt((0.05 * 0.95) / simulations) : 0
    yield {
      name,
      value: `${rate.toFixed(1)} %`,
      bar: `${bar[0]}-${bar[1]} %`,
      isMet: rate >= bar[0] - slack && rate <= bar[1] + slack,
      detail: `${simulations} samples`,
    }
  }
}

const NUMERIC: Omit<CompareOptions, 'seed'> = {
  kind: 'numeric',
  scale: [0, 1],
  higherIsBetter: true,
  order: 'as given',
}
const NONE_MISSING = { incomplete: 0, ci: null }

const SETTINGS: RateSetting[] = [
  ...[20, 30, 50, 100].map((n) => rareBreakage(n, 0.05)),
  rareBreakage(50, 0.02),
  rareBreakage(30, 0.1),
  {
    name: 'false verdict: 30 items, grades 1 to 5, ties',
    bar: FALSE_BAR,
    happens: async (random, seed) => {
      const differences = draw(30, () => Math.round(3 * (nextRandom(random) - 0.5)) / 4)
      return (await verdictOf(differences, seed)) !== 'none'
    },
  },
  ...[30, 50, 100].map(lossPassesGate),
  missingItems('coverage'),
  missingItems('improved'),
  power('normal', 100, normal),
  power('uniform', 100, (random) => (nextRandom(random) - 0.5) * Math.sqrt(12)),
  mildJudge('improved', 200),
  mildJudge('improved', 500),
  mildJudge('coverage', 200),
  ...[5, 10, 20].map(bestOf),
  ...[5, 10].map(chosenInterval),
  {
    name: 'false verdict in 25 looks: e-value and bets',
    bar: FALSE_BAR,
    effort: 0.5,
    happens: (random) => {
      const changes = draw(500, () => change(random, 0.1, 0.1))
      return looks(25, 500).some((n) => isSequentiallyDifferent(changes.slice(0, n)))
    },
  },
  {
    name: 'sequential coverage at all of 25 looks',
    bar: AT_LEAST_BAR,
    effort: 0.5,
    happens: (random) => {
      const changes = draw(500, () => change(random, 0.15, 0.06))
      return looks(25, 500).every((n) =>
        covers(runSlices(bettingMean(changes.slice(0, n), { bound: 1 }))?.interval, 0.09),
      )
    },
  },
  {
    name: 'sequential power: 0.09 at 500 items',
    bar: [80, 100],
    effort: 0.5,
    happens: (random) => isSequentiallyDifferent(draw(500, () => change(random, 0.15, 0.06))),
  },
]

/** Most items gain a little, a few break, and the mean does not change. */
function rareBreakage(n: number, share: number): RateSetting {
  const loss = 0.95
  const gain = (share * loss) / (1 - share)
  return {
    name: `false improvement: ${100 * share} % break, ${n} items`,
    bar: FALSE_BAR,
    happens: async (random, seed) => {
      const noise = () => 0.01 * (nextRandom(random) - 0.5)
      const differences = draw(n, () => (nextRandom(random) < share ? -loss : gain + noise()))
      return (await verdictOf(differences, seed)) === 'improved'
    },
  }
}

/** Two equal versions with a rate of 0.7 and 200 items; the candidate does not answer 20 of those that it would fail. */
function missingItems(what: 'coverage' | 'improved'): RateSetting {
  return {
    name: `missing items: ${what === 'coverage' ? 'the interval covers' : 'false improvement'}, 20 of 200 unanswered`,
    bar: what === 'coverage' ? AT_LEAST_BAR : FALSE_BAR,
    happens: async (random, seed) => {
      const pairs = new ValuePairs()
      const incomplete: { itemId: string; baseline: number; candidate: undefined }[] = []
      for (let item = 0; item < 200; item += 1) {
        const [before, after] = [nextRandom(random) < 0.7 ? 1 : 0, nextRandom(random) < 0.7 ? 1 : 0]
        const isUnanswered = after === 0 && incomplete.length < 20
        if (isUnanswered) incomplete.push({ itemId: itemName(item), baseline: before, candidate: undefined })
        else pairs.add(itemName(item), before, after)
      }
      const options = { ...NUMERIC, kind: 'binary' as const, seed }
      const intervalOf = (filled: ValuePairs) => pairedInterval(filled, options)
      const ci = await boundedInterval({ scale: [0, 1], values: pairs, incomplete }, intervalOf)
      if (what === 'coverage') return covers(ci ?? undefined, 0)
      const evidence = await compareMetric(pairs, options)
      const missing = { incomplete: incomplete.length, ci }
      const tested = { pAdjusted: evidence.test?.p ?? null, testDirection: evidence.test?.testDirection ?? 0 }
      return decide({ ...evidence, ...options, missingItems: missing }, tested).verdict === 'improved'
    },
  }
}

/** A rate of 0.8 falls by 10 points; the gate has the default margin. */
function lossPassesGate(n: number): RateSetting {
  return {
    name: `gate without a margin passes −10 points, ${n} items`,
    bar: FALSE_BAR,
    happens: async (random, seed) => {
      const pairs = new ValuePairs()
      for (let item = 0; item < n; item += 1) {
        const before = nextRandom(random) < 0.8 ? 1 : 0
        const after = before === 1 ? (nextRandom(random) < 0.85 ? 1 : 0) : nextRandom(random) < 0.1 ? 1 : 0
        pairs.add(itemName(item), before, after)
      }
      const options = { ...NUMERIC, kind: 'binary' as const, seed }
      const evidence = await compareMetric(pairs, options)
      return isNotWorse({ ...evidence, ...options, missingItems: NONE_MISSING }, 0.05)
    },
  }
}

/** The smallest difference that is promised to show in 80 of 100 comparisons. */
function power(shape: string, n: number, standard: (random: RandomState) => number): RateSetting {
  const deviation = 0.3
  return {
    name: `power of means: ${shape}, ${n} items`,
    bar: [77, 86],
    happens: async (random, seed) => {
      const detectable = ((1.959964 + 0.841621) * 1.08 * deviation) / Math.sqrt(n)
      const differences = draw(n, () => detectable + deviation * standard(random))
      return (await verdictOf(differences, seed, [-1, 1])) === 'improved'
    },
  }
}

/** People see no difference, and the judge is milder to the candidate: 80 items are rated in both runs. */
function mildJudge(what: 'improved' | 'coverage', n: number): RateSetting {
  const judge = (random: RandomState, isGood: boolean, specificity: number) =>
    nextRandom(random) < (isGood ? 0.9 : 1 - specificity) ? 1 : 0
  return {
    name: `corrected ${what}: milder judge, ${n} items, 80 rated`,
    bar: what === 'improved' ? FALSE_BAR : COVERAGE_BAR,
    happens: (random) => {
      const items = Array.from({ length: n }, () => {
        const [before, after] = [nextRandom(random) < 0.7, nextRandom(random) < 0.7]
        return {
          people: Number(after) - Number(before),
          judge: judge(random, after, 0.65) - judge(random, before, 0.8),
        }
      })
      const judged = items.slice(80).map((item) => item.judge)
      const interval = pairedPredictionPowered({ labeled: items.slice(0, 80), judged })?.interval
      return what === 'improved' ? (interval?.[0] ?? 0) > 0 : covers(interval, 0)
    },
  }
}

/** The best of equal prompts, with one test each and Holm's correction over all of them. */
function bestOf(candidates: number): RateSetting {
  return {
    name: `false improvement: best of ${candidates} equal prompts`,
    bar: FALSE_BAR,
    happens: (random) => {
      const counts = equalCandidates(random, candidates).map((changes) => ({
        gained: changes.filter((one) => one > 0).length,
        lost: changes.filter((one) => one < 0).length,
      }))
      const adjusted = holmAdjusted(counts.map((count) => exactMcNemar(count).p))
      return adjusted.some((p, index) => p < 0.05 && (counts[index]?.gained ?? 0) > (counts[index]?.lost ?? 0))
    },
  }
}

/** The interval of the best of equal prompts, whose true difference is 0; and its expected gain on other items. */
function chosenInterval(candidates: number): RateSetting {
  return {
    name: `interval of the best of ${candidates} covers`,
    bar: AT_LEAST_BAR,
    happens: (random, seed) => {
      const gains = equalCandidates(random, candidates)
      const sums = gains.map((changes) => changes.reduce((sum, one) => sum + one, 0))
      const best = gains[sums.indexOf(Math.max(...sums))] ?? []
      const count = (value: number) => best.filter((one) => one === value).length
      const changes = gains.map((one) => Float64Array.from(one))
      const expected = runSlices(expectedGainOfBest(changes, { seed, splits: 20 }))
      if (expected === undefined) return false
      const unchanged = count(0)
      const interval = newcombePairedInterval({
        both: Math.round(0.7 * unchanged),
        neither: unchanged - Math.round(0.7 * unchanged),
        onlyCandidate: count(1),
        onlyBaseline: count(-1),
        confidence: 1 - 0.05 / candidates,
      })?.interval
      return covers(interval, 0)
    },
  }
}

function equalCandidates(random: RandomState, candidates: number): number[][] {
  return Array.from({ length: candidates }, () => draw(100, () => change(random, 0.12, 0.12)))
}

async function verdictOf(
  differences: readonly number[],
  seed: string,
  scale: readonly [number, number] = [0, 1],
): Promise<'improved' | 'regressed' | 'none'> {
  const pairs = new ValuePairs()
  for (const [item, difference] of differences.entries()) pairs.add(itemName(item), 0, difference)
  const options = { ...NUMERIC, scale, seed }
  const evidence = await compareMetric(pairs, options)
  const { verdict } = decide(
    { ...evidence, ...options, missingItems: NONE_MISSING },
    { pAdjusted: evidence.test?.p ?? null, testDirection: evidence.test?.testDirection ?? 0 },
  )
  return verdict === 'improved' || verdict === 'regressed' ? verdict : 'none'
}

/** As a comparison decides with sequential=true: the e-value and the interval must agree. */
function isSequentiallyDifferent(changes: readonly number[]): boolean {
  const gained = changes.filter((one) => one > 0).length
  const lost = changes.filter((one) => one < 0).length
  return signEValue({ gained, lost }) >= 20 && !covers(runSlices(bettingMean(changes, { bound: 1 }))?.interval, 0)
}

function covers(interval: readonly [number, number] | undefined, truth: number): boolean {
  return interval !== undefined && interval[0] <= truth && truth <= interval[1]
}

function looks(count: number, n: number): number[] {
  return Array.from({ length: count }, (_, look) => Math.round(((look + 1) * n) / count))
}

function change(random: RandomState, up: number, down: number): number {
  const number = nextRandom(random)
  return number < up ? 1 : number < up + down ? -1 : 0
}

function draw(n: number, next: () => number): number[] {
  return Array.from({ length: n }, next)
}

function normal(random: RandomState): number {
  return Math.sqrt(-2 * Math.log(1 - nextRandom(random))) * Math.cos(2 * Math.PI * nextRandom(random))
}

function itemName(item: number): string {
  return `item ${String(item).padStart(6, '0')}`
}
