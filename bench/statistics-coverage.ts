import { cohenKappa } from '../src/statistics/agreement/cohen-kappa.ts'
import { krippendorffAlpha } from '../src/statistics/agreement/krippendorff-alpha.ts'
import { bootstrapMean, bootstrapPairedDifference } from '../src/statistics/bootstrap/bootstrap-mean.ts'
import { predictionPoweredMean } from '../src/statistics/calibration/prediction-powered-mean.ts'
import { macroF1 } from '../src/statistics/classification.ts'
import type { Interval } from '../src/statistics/interval.ts'
import { nextBinomial } from '../src/statistics/random/random-binomial.ts'
import { nextRandom, type RandomState, seededRandom } from '../src/statistics/random/seeded-random.ts'
import { newcombePairedInterval, wilsonInterval } from '../src/statistics/rate-intervals.ts'
import { runSlices } from '../src/statistics/slices.ts'
import type { Effort } from './harness/compare.ts'
import type { Line } from './harness/line.ts'
import { measureComparisonRates } from './statistics/comparison-settings.ts'
import { EVALUATION_SETTINGS } from './statistics/evaluations-settings.ts'
import { GROUP_SETTINGS, measureGroups } from './statistics/groups-settings.ts'

const SIMULATIONS = 2_000
const COVERAGE_MIN = 0.93
const COVERAGE_MAX = 0.97

type Setting = {
  name: string
  /** The true value in the population from which the samples are drawn. */
  truth: number
  sample: (random: RandomState, seed: string) => Interval | undefined
  /** Printed without a bar: the sample is known to be too small for the method. */
  isForInformation?: true
}

/**
 * Measures how many 95 % intervals contain the true value, for samples of the size and kind of evaluations. The
 * samples are seeded: if the numbers change, the code has changed.
 */
export async function* measureStatisticsCoverage(_servers: unknown, { share }: Effort): AsyncGenerator<Line> {
  const simulations = Math.round(SIMULATIONS * share)
  for (const setting of SETTINGS) {
    let covered = 0
    let without = 0
    for (let simulation = 0; simulation < simulations; simulation++) {
      const seed = `${setting.name} ${simulation}`
      const interval = setting.sample(seededRandom(seed), seed)
      if (!interval) without += 1
      else if (interval[0] <= setting.truth && setting.truth <= interval[1]) covered += 1
    }
    yield coverageLine(setting, { covered, without, simulations })
  }
  yield* measureGroups(simulations)
  yield* measureComparisonRates(share)
}

function coverageLine(
  { name, truth, isForInformation }: Setting,
  { covered, without, simulations }: { covered: number; without: number; simulations: number },
): Line {
  const coverage = covered / simulations
  // With fewer samples the result varies more: allow two standard errors.
  const slack = simulations < SIMULATIONS ? 2 * Math.sqrt((0.95 * 0.05) / simulations) : 0
  const [min, max] = [COVERAGE_MIN - slack, Math.min(1, COVERAGE_MAX + slack)]
  const bar = `${(100 * min).toFixed(0)}-${(100 * max).toFixed(0)} %`
  return {
    name,
    value: `${(100 * coverage).toFixed(1)} %`,
    ...(isForInformation ? {} : { bar, isMet: coverage >= min && coverage <= max }),
    detail: `${simulations} samples, true value ${truth.toFixed(3)}${without > 0 ? `, ${without} without an interval` : ''}`,
  }
}

const LABELS = ['bad', 'fair', 'good']
const LABEL_SHARES = [0.2, 0.3, 0.5]
const RATER_ACCURACY = 0.8

const SETTINGS: Setting[] = [
  { name: 'Wilson: 170 of 200 expected', truth: 0.85, sample: (random) => wilsonOf(random, 200, 0.85) },
  { name: 'Wilson: 285 of 300 expected', truth: 0.95, sample: (random) => wilsonOf(random, 300, 0.95) },
  { name: 'BCa mean: 200 skewed scores', truth: 0.75, sample: (random, seed) => meanOf(random, seed, 200) },
  {
    name: 'BCa mean: 20 skewed scores',
    truth: 0.75,
    sample: (random, seed) => meanOf(random, seed, 20),
    isForInformation: true,
  },
  { name: 'BCa paired: 100 items 3 times', truth: 0.05, sample: (random, seed) => pairedOf(random, seed, 100) },
  { name: 'ABC paired: 301 items 3 times', truth: 0.05, sample: (random, seed) => pairedOf(random, seed, 301) },
  { name: 'Newcombe paired: 200 items', truth: 0.06, sample: (random) => newcombeOf(random, 200) },
  { name: 'Cohen kappa: 200 items, 3 labels', truth: trueAgreement(), sample: (random) => kappaOf(random, 200) },
  {
    name: 'Krippendorff alpha: 100 units, gaps',
    truth: trueAgreement(),
    sample: (random, seed) => alphaOf(random, seed),
  },
  { name: 'prediction-powered: 300 and 100 labels', truth: 0.6, sample: poweredOf },
  { name: 'macro F1: 200 cases, 3 labels', truth: trueMacroF1(), sample: f1Of },
  ...EVALUATION_SETTINGS,
  ...GROUP_SETTINGS,
]

function wilsonOf(random: RandomState, n: number, rate: number): Interval | undefined {
  return wilsonInterval({ successes: nextBinomial(random, n, rate), n })
}

/** Scores between 0 and 1, most of them near 1: the cube root of a uniform number, with mean ¾. */
function meanOf(random: RandomState, seed: string, n: number): Interval | undefined {
  const scores = Array.from({ length: n }, () => ({ value: Math.cbrt(nextRandom(random)) }))
  return runSlices(bootstrapMean(scores, { seed }))?.interval
}

/** Every item has its own gain, with mean 0.05, and each of its three repetitions has an error around it. */
function pairedOf(random: RandomState, seed: string, items: number): Interval | undefined {
  const scores = { baseline: [] as number[], candidate: [] as number[], clusters: [] as string[] }
  for (let item = 0; item < items; item += 1) {
    const baseline = nextRandom(random)
    const gain = 0.4 * nextRandom(random) ** 3 - 0.05
    for (let repetition = 0; repetition < 3; repetition += 1) {
      scores.baseline.push(baseline)
      scores.candidate.push(baseline + gain + 0.2 * (nextRandom(random) - 0.5))
      scores.clusters.push(`${item}`)
    }
  }
  return runSlices(bootstrapPairedDifference(scores, { seed }))?.interval
}

function newcombeOf(random: RandomState, n: number): Interval | undefined {
  const both = nextBinomial(random, n, 0.7)
  const onlyCandidate = nextBinomial(random, n - both, 0.12 / 0.3)
  const onlyBaseline = nextBinomial(random, n - both - onlyCandidate, 0.06 / 0.18)
  const neither = n - both - onlyCandidate - onlyBaseline
  return newcombePairedInterval({ both, onlyCandidate, onlyBaseline, neither })?.interval
}

function kappaOf(random: RandomState, n: number): Interval | undefined {
  const pairs = Array.from({ length: n }, (): [string, string] => {
    const truth = drawLabel(random)
    return [rate(random, truth), rate(random, truth)]
  })
  return cohenKappa(pairs).interval
}

/** Three raters, each of whom skips a fifth of the units. */
function alphaOf(random: RandomState, seed: string): Interval | undefined {
  const units = Array.from({ length: 100 }, () => {
    const truth = drawLabel(random)
    return [1, 2, 3].filter(() => nextRandom(random) < 0.8).map(() => rate(random, truth))
  })
  return runSlices(krippendorffAlpha(units, { level: 'nominal', seed })).interval
}

/** Ratings by people have the mean 0.6; the judge follows them with a positive bias and errors. */
function poweredOf(random: RandomState): Interval | undefined {
  const score = () => {
    const people = nextRandom(random) ** (2 / 3)
    return { people, judge: 0.2 + 0.7 * people + 0.3 * (nextRandom(random) - 0.5) }
  }
  return predictionPoweredMean({
    judged: Array.from({ length: 300 }, () => score().judge),
    labeled: Array.from({ length: 100 }, score),
  })?.interval
}

function f1Of(random: RandomState, seed: string): Interval | undefined {
  const cases = Array.from({ length: 200 }, () => {
    const expected = drawLabel(random)
    return { expected, predicted: rate(random, expected) }
  })
  return runSlices(macroF1(cases, { seed }))?.interval
}

function drawLabel(random: RandomState): string {
  const number = nextRandom(random)
  return LABELS[number < 0.2 ? 0 : number < 0.5 ? 1 : 2] ?? ''
}

/** Right in four of five cases, else one of the other two. */
function rate(random: RandomState, truth: string): string {
  if (nextRandom(random) < RATER_ACCURACY) return truth
  const others = LABELS.filter((label) => label !== truth)
  return others[nextRandom(random) < 0.5 ? 0 : 1] ?? truth
}

function chanceOf(rating: number, truth: number): number {
  return rating === truth ? RATER_ACCURACY : (1 - RATER_ACCURACY) / 2
}

/** In the population, κ and α of two raters with the same error rates are equal. */
function trueAgreement(): number {
  let observed = 0
  let byChance = 0
  for (const rating of LABELS.keys()) {
    const shares = LABEL_SHARES.map((share, truth) => ({ share, chance: chanceOf(rating, truth) }))
    observed += shares.reduce((sum, { share, chance }) => sum + share * chance ** 2, 0)
    byChance += shares.reduce((sum, { share, chance }) => sum + share * chance, 0) ** 2
  }
  return (observed - byChance) / (1 - byChance)
}

function trueMacroF1(): number {
  const scores = LABEL_SHARES.map((expected, label) => {
    const predicted = LABEL_SHARES.reduce((sum, share, truth) => sum + share * chanceOf(label, truth), 0)
    return (2 * expected * RATER_ACCURACY) / (expected + predicted)
  })
  return scores.reduce((sum, score) => sum + score, 0) / scores.length
}
