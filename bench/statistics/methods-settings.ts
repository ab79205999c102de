/** Methods that are used alone: rates, means without a scale, agreement, F1. */

import { cohenKappa } from '../../src/statistics/agreement/cohen-kappa.ts'
import { krippendorffAlpha } from '../../src/statistics/agreement/krippendorff-alpha.ts'
import { bootstrapMean } from '../../src/statistics/bootstrap/bootstrap-mean.ts'
import { predictionPoweredMean } from '../../src/statistics/calibration/prediction-powered-mean.ts'
import { macroF1 } from '../../src/statistics/classification.ts'
import type { Interval } from '../../src/statistics/interval.ts'
import { nextBinomial } from '../../src/statistics/random/random-binomial.ts'
import { nextRandom, type RandomState } from '../../src/statistics/random/seeded-random.ts'
import { wilsonInterval } from '../../src/statistics/rate-intervals.ts'
import { runSlices } from '../../test/statistics/in-one-go.ts'
import type { Setting } from './simulated-cell.ts'

const LABELS = ['bad', 'fair', 'good']
const LABEL_SHARES = [0.2, 0.3, 0.5]
const RATER_ACCURACY = 0.8

export const METHOD_SETTINGS: Setting[] = [
  { name: 'Wilson: 170 of 200 expected', truth: 0.85, sample: (random) => wilsonOf(random, 200, 0.85) },
  { name: 'Wilson: 285 of 300 expected', truth: 0.95, sample: (random) => wilsonOf(random, 300, 0.95) },
  { name: 'BCa mean: 200 skewed scores', truth: 0.75, sample: (random, seed) => meanOf(random, seed, 200) },
  {
    name: 'BCa mean: 20 skewed scores',
    truth: 0.75,
    sample: (random, seed) => meanOf(random, seed, 20),
    isForInformation: true,
  },
  { name: 'Cohen kappa: 200 items, 3 labels', truth: trueAgreement(), sample: (random) => kappaOf(random, 200) },
  {
    name: 'Krippendorff alpha: 100 units, gaps',
    truth: trueAgreement(),
    sample: (random, seed) => alphaOf(random, seed),
  },
  { name: 'prediction-powered: 300 and 100 labels', truth: 0.6, sample: poweredOf },
  { name: 'macro F1: 200 cases, 3 labels', truth: trueMacroF1(), sample: f1Of },
]

function wilsonOf(random: RandomState, n: number, rate: number): Interval | undefined {
  return wilsonInterval({ successes: nextBinomial(random, n, rate), n })
}

/** Scores between 0 and 1, most of them near 1: the cube root of a uniform number, with mean ¾. */
function meanOf(random: RandomState, seed: string, n: number): Interval | undefined {
  const scores = Float64Array.from({ length: n }, () => Math.cbrt(nextRandom(random)))
  return runSlices(bootstrapMean(scores, { seed }))?.interval
}

function kappaOf(random: RandomState, n: number): Interval | undefined {
  const pairs = Array.from({ length: n }, (): [string, string] => {
    const truth = drawLabel(random)
    return [rate(random, truth), rate(random, truth)]
  })
  return runSlices(cohenKappa(pairs)).interval
}

/** Three raters, each of whom skips a fifth of the units. */
function alphaOf(random: RandomState, seed: string): Interval | undefined {
  const units = Array.from({ length: 100 }, () => {
    const truth = drawLabel(random)
    return [1, 2, 3].filter(() => nextRandom(random) < 0.8).map(() => rate(random, truth))
  })
  return runSlices(krippendorffAlpha(units, { seed })).interval
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
