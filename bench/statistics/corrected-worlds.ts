/** Differences that are corrected by the ratings of people, items without an answer, and the power that is promised. */

import { correctDifference } from '../../src/comparisons/evidence/correct-difference.ts'
import { infer } from '../../src/comparisons/evidence/infer.ts'
import { type Metric, plainColumn } from '../../src/comparisons/pairing/compared-metrics.ts'
import { ItemValues } from '../../src/comparisons/pairing/item-values.ts'
import { nextRandom, type RandomState } from '../../src/statistics/random/seeded-random.ts'
import { SCALE } from './compare-sample.ts'
import { type Cell, nextNormal } from './simulated-cell.ts'
import { CLOSE_EFFORT } from './worlds.ts'

const LABELS = [30, 50, 100]
const RATED_ITEMS = 300

export const CORRECTED: Cell[] = [
  ...LABELS.map((labels) => corrected('a milder judge of the candidate', { labels, truth: 0, draw: nextMildlyJudged })),
  ...LABELS.map((labels) => corrected('5 % break', { labels, truth: -0.05, draw: nextBroken })),
  ...LABELS.map((labels) => corrected('10 % lose, 5 % gain', { labels, truth: -0.05, draw: nextMixed })),
]

const JUDGED: Metric = {
  name: 'helpful',
  kind: null,
  scale: SCALE,
  higherIsBetter: true,
  isRatio: false,
  role: 'quality',
  isFromTraces: false,
  evaluations: null,
  hasFailed: false,
  isSampled: false,
  isJudged: true,
  measuredAs: null,
  warning: null,
  baseline: plainColumn(() => undefined),
  candidate: plainColumn(() => undefined),
}

/** The differences of one item: as people see it and as the judge does. */
type Judged = { people: number; judge: number }

function corrected(
  name: string,
  { labels, truth, draw }: { labels: number; truth: number; draw: (random: RandomState) => Judged },
): Cell {
  return {
    world: `corrected by labels: ${name}`,
    n: labels,
    unit: 'labels',
    effort: truth === 0 ? CLOSE_EFFORT : 1,
    once: (random) => {
      const values = new ItemValues()
      const differences = new Map<string, number>()
      for (let item = 0; item < RATED_ITEMS; item += 1) {
        const { people, judge } = draw(random)
        values.add(String(item), 0, judge)
        if (item < labels) differences.set(String(item), people)
      }
      const drawn = new Set(differences.keys())
      const found = correctDifference(JUDGED, values, { differences, drawn, scale: SCALE })
      const ci = found?.ci ?? null
      return {
        coverage: ci !== null && ci[0] <= truth && truth <= ci[1],
        gate: found?.marginCi != null && found.marginCi[0] > truth,
        ...(truth === 0 && { falseVerdicts: found?.verdict === 'improved' || found?.verdict === 'regressed' }),
      }
    },
  }
}

/** Two equal runs with a rate of 0.7; the judge passes 20 % of the bad answers of the baseline and 35 % of the candidate. */
function nextMildlyJudged(random: RandomState): Judged {
  const [before, after] = [nextRandom(random) < 0.7, nextRandom(random) < 0.7]
  const judge = (isGood: boolean, specificity: number) => Number(nextRandom(random) < (isGood ? 0.9 : 1 - specificity))
  return { people: Number(after) - Number(before), judge: judge(after, 0.65) - judge(before, 0.8) }
}

/** The judge sees four of five breakages, and finds one in fifty good answers broken. */
function nextBroken(random: RandomState): Judged {
  const isBroken = nextRandom(random) < 0.05
  return { people: isBroken ? -1 : 0, judge: nextRandom(random) < (isBroken ? 0.8 : 0.02) ? -1 : 0 }
}

function nextMixed(random: RandomState): Judged {
  const number = nextRandom(random)
  const people = number < 0.1 ? -1 : number < 0.15 ? 1 : 0
  return { people, judge: nextRandom(random) < 0.85 ? people : 0 }
}

/** Two equal runs with a rate of 0.7; the candidate does not answer up to a tenth of the items, all of which it would fail. */
export const MISSING: Cell[] = [100, 200].map((n) => ({
  world: 'missing: a tenth, which would fail',
  n,
  unit: 'items',
  once: (random) => {
    const gains: number[] = []
    const ofMissing: number[] = []
    for (let item = 0; item < n; item += 1) {
      const [before, after] = [Number(nextRandom(random) < 0.7), Number(nextRandom(random) < 0.7)]
      const isMissing = after === 0 && ofMissing.length < n / 10
      if (isMissing) ofMissing.push(-before)
      else gains.push(after - before)
    }
    const atWorst = { values: Float64Array.from([...gains, ...ofMissing]) }
    const { p, gain } = infer({ values: Float64Array.from(gains), atWorst }, { kind: 'yes/no' })
    return { coverage: p >= 0.05, falseVerdicts: p < 0.05 && gain > 0 }
  },
}))

/** A first sample promises which difference is found in 80 of 100; a second one has that difference. */
export const DETECTABLE: Cell[] = [
  ...[30, 100].map((n) => detectable('scores, sd 0.3', { n, draw: (random) => 0.3 * nextNormal(random) })),
  ...[30, 100].map((n) => detectable('scores, uniform', { n, draw: (random) => 0.6 * (nextRandom(random) - 0.5) })),
  ...[30, 100].map((n) =>
    detectable('scores, 60 % equal', {
      n,
      draw: (random) => (nextRandom(random) < 0.4 ? 0.5 * (nextRandom(random) - 0.5) : 0),
    }),
  ),
]

function detectable(name: string, { n, draw }: { n: number; draw: (random: RandomState) => number }): Cell {
  const kind = { kind: 'scores', range: 1, isRate: false } as const
  const sample = (random: RandomState, shift: number) => ({
    values: Float64Array.from({ length: n }, () => draw(random) - shift),
  })
  return {
    world: `promised power: ${name}`,
    n,
    unit: 'items',
    effort: 0.5,
    once: (random) => {
      const shift = infer(sample(random, 0), kind).detectable ?? 0
      return { detected: infer(sample(random, shift), kind).p < 0.05 }
    },
  }
}
