import { lowerQuantile, upperQuantile } from '../bootstrap/bca-interval.ts'
import type { Interval } from '../interval.ts'
import { nextBeta } from '../random/random-beta.ts'
import { type RandomState, seededRandom } from '../random/seeded-random.ts'
import type { Slices } from '../slices.ts'

/** The cases with one verdict of the judge. Counts may be fractions if cases are clustered or weighted. */
export type VerdictCounts = {
  /** The number of cases with this verdict, labeled or not. */
  readonly cases: number
  readonly labeled: number
  /** The number of labeled cases that people find good. */
  readonly good: number
}

export type DoubleSample = {
  readonly passed: VerdictCounts
  readonly failed: VerdictCounts
  /** Same seed and same counts give the same intervals. */
  readonly seed: string
  readonly confidence?: number
}

type RateEstimate = { readonly value: number; readonly interval: Interval }

export type DoubleSamplingRate = {
  /** The share of all cases that people would find good. */
  readonly rate: RateEstimate
  readonly sensitivity: RateEstimate
  readonly specificity: RateEstimate
  /** Of the cases that the judge passes, the share that people find good. */
  readonly ppv: RateEstimate
  /** Of the cases that the judge fails, the share that people find bad. */
  readonly npv: RateEstimate
}

/**
 * The rate that raters would find in all cases, from the verdicts of a judge on all of them and labels of some:
 * P(pass) · PPV + P(fail) · (1 − NPV), the maximum likelihood estimate. It holds for labels that were drawn at random,
 * and also for labels that were chosen by the verdict of the judge. Undefined without cases.
 *
 * Tenenbein, A. (1970), A double sampling scheme for estimating from binomial data with misclassifications, JASA 65,
 * 1350–1361. Sensitivity and specificity follow from the same three rates: Begg, C. B. & Greenes, R. A. (1983),
 * Assessment of diagnostic tests when disease verification is subject to selection bias, Biometrics 39, 207–215.
 *
 * For the intervals the three rates are drawn 10,000 times; the 2.5 % and 97.5 % points of what follows from them are
 * the ends. A rate of x in n is drawn from Beta(x + ½, n − x + ½), as in Jeffreys' interval (Brown, Cai & DasGupta
 * 2001). The ends of another seed differ by about one percent of the width. A verdict without labels has the estimate ½
 * and an interval from almost 0 to almost 1: the labels say nothing about it.
 */
export function* doubleSamplingRate(sample: DoubleSample): Slices<DoubleSamplingRate | undefined> {
  const { passed, failed, seed, confidence = 0.95 } = sample
  check(passed)
  check(failed)
  const n = passed.cases + failed.cases
  if (n === 0) return undefined
  const random = seededRandom(seed)
  const draws = FIGURES.map(() => new Float64Array(DRAWS))
  for (let draw = 0; draw < DRAWS; draw++) {
    if (draw > 0 && draw % DRAWS_PER_SLICE === 0) yield
    const rates = {
      pass: nextBeta(random, passed.cases + 0.5, failed.cases + 0.5),
      goodOfPassed: drawnShare(random, passed),
      goodOfFailed: drawnShare(random, failed),
    }
    for (const [index, figure] of FIGURES.entries()) {
      const column = draws[index]
      if (column) column[draw] = figure(rates)
    }
  }
  yield
  const observed = { pass: passed.cases / n, goodOfPassed: shareOf(passed), goodOfFailed: shareOf(failed) }
  const tail = (1 - confidence) / 2
  const [rate, sensitivity, specificity, ppv, npv] = FIGURES.map((figure, index): RateEstimate => {
    const sorted = (draws[index] ?? new Float64Array()).sort()
    const value = figure(observed)
    const [low, high] = [lowerQuantile(sorted, tail), upperQuantile(sorted, 1 - tail)]
    // The median of the draws is not the estimate: with all of few labels equal, the estimate lies outside of them.
    return { value, interval: [Math.min(value, low), Math.max(value, high)] }
  })
  return rate && sensitivity && specificity && ppv && npv && { rate, sensitivity, specificity, ppv, npv }
}

const DRAWS = 10_000
const DRAWS_PER_SLICE = 1_000

/** The three rates that determine all others. */
type Rates = { pass: number; goodOfPassed: number; goodOfFailed: number }

/** The rate, sensitivity, specificity, PPV and NPV. */
const FIGURES: readonly ((rates: Rates) => number)[] = [
  rateOf,
  (rates) => shareOfSum(rates.pass * rates.goodOfPassed, (1 - rates.pass) * rates.goodOfFailed),
  (rates) => shareOfSum((1 - rates.pass) * (1 - rates.goodOfFailed), rates.pass * (1 - rates.goodOfPassed)),
  ({ goodOfPassed }) => goodOfPassed,
  ({ goodOfFailed }) => 1 - goodOfFailed,
]

function rateOf({ pass, goodOfPassed, goodOfFailed }: Rates): number {
  return pass * goodOfPassed + (1 - pass) * goodOfFailed
}

/** ½ if both are 0: nothing is known. */
function shareOfSum(part: number, rest: number): number {
  return part + rest > 0 ? part / (part + rest) : 0.5
}

function shareOf({ labeled, good }: VerdictCounts): number {
  return labeled > 0 ? good / labeled : 0.5
}

function drawnShare(random: RandomState, { labeled, good }: VerdictCounts): number {
  return nextBeta(random, good + 0.5, labeled - good + 0.5)
}

function check({ cases, labeled, good }: VerdictCounts): void {
  if (good >= 0 && good <= labeled && labeled <= cases * (1 + 1e-9) && Number.isFinite(cases)) return
  throw new RangeError(`Counts need 0 ≤ good ≤ labeled ≤ cases, not ${good}, ${labeled} and ${cases}.`)
}
