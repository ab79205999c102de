/** The worlds in which the numbers of evaluations are checked: corrected rates and means, pass@k, kappa. */

import { cohenKappa } from '../../src/statistics/agreement/cohen-kappa.ts'
import { doubleSamplingRate } from '../../src/statistics/calibration/double-sampling-rate.ts'
import { allocateLabels } from '../../src/statistics/calibration/label-allocation.ts'
import { predictionPoweredMean } from '../../src/statistics/calibration/prediction-powered-mean.ts'
import { effectiveWeight } from '../../src/statistics/groups/effective-size.ts'
import type { Interval } from '../../src/statistics/interval.ts'
import { meanOnScale } from '../../src/statistics/mean-on-scale.ts'
import { passAtK } from '../../src/statistics/pass-at-k.ts'
import { nextBeta } from '../../src/statistics/random/random-beta.ts'
import { nextBinomial } from '../../src/statistics/random/random-binomial.ts'
import { nextRandom, type RandomState } from '../../src/statistics/random/seeded-random.ts'
import {
  discordantEValue,
  E_VALUE_MIN,
  meanEValue,
  spendingEProcess,
} from '../../src/statistics/sequential/e-values.ts'
import { runSlices } from '../../test/statistics/in-one-go.ts'
import { nextNearCeiling, type Setting } from './simulated-cell.ts'

const GOOD_JUDGE = { sensitivity: 0.85, specificity: 0.8 }
const WEAK_JUDGE = { sensitivity: 0.7, specificity: 0.65 }

const CASES = 500
const DRAWN = 60
const ANCHORS = 60
const RATING_SHARES = [0.05, 0.1, 0.15, 0.3, 0.4]
const EASE = { a: 4, b: 0.5 }
const ATTEMPTS = 5
const YES = 0.6
const ACCURACY = 0.85

export const EVALUATION_SETTINGS: Setting[] = [
  ...[
    { prevalence: 0.5, labels: 20, judge: GOOD_JUDGE },
    { prevalence: 0.5, labels: 50, judge: GOOD_JUDGE },
    { prevalence: 0.9, labels: 50, judge: GOOD_JUDGE },
    { prevalence: 0.98, labels: 50, judge: GOOD_JUDGE },
    { prevalence: 0.5, labels: 50, judge: WEAK_JUDGE },
  ].map(
    ({ prevalence, labels, judge }): Setting => ({
      name: `corrected rate: ${prevalence}, ${labels} labels${judge === WEAK_JUDGE ? ', weak judge' : ''}`,
      truth: prevalence,
      sample: (random, seed) => correctedOf(random, seed, { prevalence, judge, chooseLabels: atRandom(labels) }),
      // Fifty labels show about one bad case: 92.6 %, as the guide says.
      ...(prevalence === 0.98 && { isForInformation: true as const }),
    }),
  ),
  {
    name: 'corrected rate: 0.7, 25 passed and 25 failed',
    truth: 0.7,
    sample: (random, seed) =>
      correctedOf(random, seed, { prevalence: 0.7, judge: GOOD_JUDGE, chooseLabels: () => [25, 25] }),
  },
  {
    name: 'corrected rate: 0.9, 50 labels by Neyman',
    truth: 0.9,
    sample: (random, seed) =>
      correctedOf(random, seed, { prevalence: 0.9, judge: GOOD_JUDGE, chooseLabels: byNeyman(50) }),
  },
  {
    name: 'corrected rate of a second judge, drawn labels',
    truth: 0.7,
    sample: drawnForAnother,
    // Wider than needed: 97.4 %.
    isForInformation: true,
  },
  ...[20, 50].map(
    (labels): Setting => ({
      name: `prediction-powered: ratings 1-5, ${labels} labels`,
      truth: meanRating(),
      sample: (random) => poweredRatings(random, labels),
      // With 20 labels the weight of the judge is uncertain, too: 92 %, as the guide says.
      ...(labels === 20 && { isForInformation: true as const }),
    }),
  ),
  ...[10, 30, 100].map(
    (items): Setting => ({
      name: `mean of ${items} scores near the ceiling, 0.95`,
      truth: 0.95,
      sample: (random) =>
        meanOnScale(
          Float64Array.from({ length: items }, () => nextNearCeiling(random, 0.8)),
          [0, 1],
        )?.interval,
    }),
  ),
  ...[50, 200].map(
    (items): Setting => ({
      name: `pass@3 near 1: ${items} items, 5 attempts`,
      truth: passAt3(),
      sample: (random) => passAtKOf(random, items),
    }),
  ),
  ...[20, 30, 50].map(
    (pairs): Setting => ({
      name: `Cohen kappa: ${pairs} pairs, yes and no`,
      truth: binaryKappa(),
      sample: (random) => binaryKappaOf(random, pairs),
    }),
  ),
  {
    name: 'drift: no alarm in 25 evaluations (at least 95)',
    truth: 0,
    sample: (random) => alarmOf(random, { evaluations: 25, isDrifting: false }),
    isForInformation: true,
  },
  {
    name: 'drift: bad ones pass 40 points more, 5 evaluations',
    truth: 1,
    sample: (random) => alarmOf(random, { evaluations: 5, isDrifting: true }),
    isForInformation: true,
  },
]

type World = {
  prevalence: number
  judge: typeof GOOD_JUDGE
  /** How many labels passed and failed cases get. */
  chooseLabels: (random: RandomState, cases: readonly Case[]) => readonly [passed: number, failed: number]
}
type Case = { isGood: boolean; isPassed: boolean }

/** Cases are in random order, so that the first ones of each verdict are a random sample of it. */
function correctedOf(
  random: RandomState,
  seed: string,
  { prevalence, judge, chooseLabels }: World,
): Interval | undefined {
  const cases = Array.from({ length: CASES }, (): Case => {
    const isGood = nextRandom(random) < prevalence
    const isPassed = nextRandom(random) < (isGood ? judge.sensitivity : 1 - judge.specificity)
    return { isGood, isPassed }
  })
  const [passedLabels, failedLabels] = chooseLabels(random, cases)
  const counts = (isPassed: boolean, labels: number) => {
    const all = cases.filter((one) => one.isPassed === isPassed)
    const labeled = all.slice(0, labels)
    return { cases: all.length, labeled: labeled.length, good: labeled.filter(({ isGood }) => isGood).length }
  }
  return runSlices(
    doubleSamplingRate({ passed: counts(true, passedLabels), failed: counts(false, failedLabels), seed }),
  )?.rate.interval
}

function atRandom(labels: number): World['chooseLabels'] {
  return (_, cases) => {
    const passed = cases.slice(0, labels).filter(({ isPassed }) => isPassed).length
    return [passed, labels - passed]
  }
}

/** Ten labels of each verdict, and then ten at a time as Neyman's allocation says. */
function byNeyman(labels: number): World['chooseLabels'] {
  return (_, cases) => {
    const of = (isPassed: boolean) => cases.filter((one) => one.isPassed === isPassed)
    const [passed, failed] = [of(true), of(false)]
    const counts = (all: readonly Case[], labeled: number) => ({
      cases: all.length,
      labeled,
      good: all.slice(0, labeled).filter(({ isGood }) => isGood).length,
    })
    let chosen: [number, number] = [10, 10]
    while (chosen[0] + chosen[1] < labels) {
      const next = allocateLabels({ passed: counts(passed, chosen[0]), failed: counts(failed, chosen[1]) }, 10)
      chosen = [chosen[0] + next.passed, chosen[1] + next.failed]
    }
    return chosen
  }
}

function meanRating(): number {
  return RATING_SHARES.reduce((sum, share, index) => sum + share * (index + 1), 0)
}

/**
 * Half of the labels are drawn from what a first judge passes, although it passes two thirds. For another judge they are
 * no random sample: each label counts by the inverse of its chance.
 */
function drawnForAnother(random: RandomState, seed: string): Interval | undefined {
  const verdictOn = (isGood: boolean) =>
    nextRandom(random) < (isGood ? GOOD_JUDGE.sensitivity : 1 - GOOD_JUDGE.specificity)
  const cases = Array.from({ length: CASES }, () => {
    const isGood = nextRandom(random) < 0.7
    return { isGood, first: verdictOn(isGood), isPassed: verdictOn(isGood) }
  })
  const groups = [true, false].map((first) => cases.filter((one) => one.first === first))
  const labels = groups.flatMap((group) => {
    const weight = group.length / CASES / 0.5
    return group.slice(0, DRAWN / 2).map((one) => ({ ...one, weight }))
  })
  const counts = (isPassed: boolean) => {
    const weighted = labels.filter((one) => one.isPassed === isPassed)
    const total = weighted.reduce((sum, { weight }) => sum + weight, 0)
    const good = weighted.reduce((sum, { isGood, weight }) => sum + (isGood ? weight : 0), 0)
    const labeled = effectiveWeight(weighted.map(({ weight }) => ({ weight })))
    const all = cases.filter((one) => one.isPassed === isPassed).length
    return { cases: all, labeled, good: total === 0 ? 0 : Math.min(labeled, (labeled * good) / total) }
  }
  return runSlices(doubleSamplingRate({ passed: counts(true), failed: counts(false), seed }))?.rate.interval
}

/** People rate from 1 to 5, mostly high; the judge is off by one in four of ten cases, more often upwards. */
function poweredRatings(random: RandomState, labels: number): Interval | undefined {
  const score = () => {
    let left = nextRandom(random)
    let people = 1
    for (const share of RATING_SHARES) {
      if (left < share) break
      left -= share
      people += 1
    }
    people = Math.min(5, people)
    const error = nextRandom(random)
    return { people, judge: Math.min(5, Math.max(1, people + (error < 0.3 ? 1 : error < 0.4 ? -1 : 0))) }
  }
  return predictionPoweredMean({
    judged: Array.from({ length: 300 }, () => score().judge),
    labeled: Array.from({ length: labels }, score),
  })?.interval
}

/** 1 − E(1 − p)³ for p from Beta(a, b). */
function passAt3(): number {
  const { a, b } = EASE
  const missed = (b * (b + 1) * (b + 2)) / ((a + b) * (a + b + 1) * (a + b + 2))
  return 1 - missed
}

function passAtKOf(random: RandomState, items: number): Interval | undefined {
  const shares = Float64Array.from({ length: items }, () => {
    const c = nextBinomial(random, ATTEMPTS, nextBeta(random, EASE.a, EASE.b))
    return passAtK({ n: ATTEMPTS, c, k: 3 }) ?? NaN
  })
  return meanOnScale(shares, [0, 1])?.interval
}

/** Two raters who are each right in 85 of 100 cases. */
function binaryKappaOf(random: RandomState, n: number): Interval | undefined {
  const pairs = Array.from({ length: n }, (): [string, string] => {
    const truth = nextRandom(random) < YES
    const rate = () => `${nextRandom(random) < ACCURACY ? truth : !truth}`
    return [rate(), rate()]
  })
  return runSlices(cohenKappa(pairs)).interval
}

function binaryKappa(): number {
  const observed = ACCURACY ** 2 + (1 - ACCURACY) ** 2
  const yes = YES * ACCURACY + (1 - YES) * (1 - ACCURACY)
  const byChance = yes ** 2 + (1 - yes) ** 2
  return (observed - byChance) / (1 - byChance)
}

/**
 * [1, 1] if anchors give an alarm, else [0, 0]. Half of the anchors are good. For each of them the judge has its own
 * probability to pass, and answers again every time; a drifting judge passes more of the bad ones after the first time.
 */
function alarmOf(
  random: RandomState,
  { evaluations, isDrifting }: { evaluations: number; isDrifting: boolean },
): Interval {
  const anchors = Array.from({ length: ANCHORS }, (_, index) => {
    const isGood = index % 2 === 0
    const isClear = nextRandom(random) < 0.8
    return { isGood, chance: isClear ? (isGood ? 0.97 : 0.03) : 0.5 }
  })
  const ask = (isChanged: boolean) =>
    anchors.map(({ isGood, chance }) => nextRandom(random) < (isChanged && !isGood ? chance + 0.4 : chance))
  const first = ask(false)
  const values: number[] = []
  for (let evaluation = 0; evaluation < evaluations; evaluation++) {
    const now = ask(isDrifting)
    const count = (isCounted: (index: number) => boolean) => anchors.filter((_, index) => isCounted(index)).length
    const isRight = (verdicts: readonly boolean[], index: number) => verdicts[index] === anchors[index]?.isGood
    const flips = {
      gained: count((index) => now[index] === true && first[index] === false),
      lost: count((index) => now[index] === false && first[index] === true),
    }
    const errors = {
      gained: count((index) => isRight(now, index) && !isRight(first, index)),
      lost: count((index) => !isRight(now, index) && isRight(first, index)),
    }
    values.push(meanEValue([discordantEValue(flips), discordantEValue(errors)]))
    if (spendingEProcess(values) >= E_VALUE_MIN) return [1, 1]
  }
  return [0, 0]
}
