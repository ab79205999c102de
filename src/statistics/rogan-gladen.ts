import { lowerQuantile, upperQuantile } from './bca-interval.ts'
import type { Interval } from './interval.ts'
import { nextBeta } from './random-beta.ts'
import { type RandomState, seededRandom } from './seeded-random.ts'

/** Counts may be fractions if cases are clustered and count less. */
export type JudgedAndLabeled = {
  /** The number of n cases that the judge passed. */
  readonly positives: number
  readonly n: number
  /** The number of labeled positive cases that the judge passed. */
  readonly truePositives: number
  readonly positivesLabeled: number
  /** The number of labeled negative cases that the judge failed. */
  readonly trueNegatives: number
  readonly negativesLabeled: number
  /** Same seed and same counts give the same interval. */
  readonly seed: string
  readonly confidence?: number
}

export type CorrectedRate = { readonly rate: number; readonly interval: Interval }

/**
 * The rate that raters would have found, from the rate of an imperfect judge and its error rates; clipped to [0, 1].
 * Undefined without cases, without labels of both kinds, and if sensitivity + specificity ≤ 1 because such a judge
 * carries no information.
 *
 * Rogan, W. J. & Gladen, B. (1978), Estimating prevalence from the results of a screening test, American Journal of
 * Epidemiology 107, 71–76: (rate + specificity − 1) / (sensitivity + specificity − 1).
 *
 * The interval is a parametric bootstrap over both samples, the judged cases and the labeled ones: the three rates are
 * drawn 5,000 times, and the 2.5 % and 97.5 % points of the corrected rates are its ends. A rate of x in n is drawn
 * from Beta(x + ½, n − x + ½), as in Jeffreys' interval (Brown, Cai & DasGupta 2001) and not as x'/n with binomial x':
 * 20 of 20 correct labels would then be 20 of 20 in every resample, and the errors of the judge would be ignored.
 */
export function correctedRate(counts: JudgedAndLabeled): CorrectedRate | undefined {
  check(counts)
  const { positives, n, truePositives, positivesLabeled, trueNegatives, negativesLabeled } = counts
  if (n === 0 || positivesLabeled === 0 || negativesLabeled === 0) return undefined
  const corrected = correct(positives / n, truePositives / positivesLabeled, trueNegatives / negativesLabeled)
  if (corrected === undefined) return undefined
  const rate = clip(corrected)
  const [low, high] = bootstrapInterval(counts)
  return { rate, interval: [Math.min(rate, clip(low)), Math.max(rate, clip(high))] }
}

const resamples = 5_000

function bootstrapInterval(counts: JudgedAndLabeled): Interval {
  const { positives, n, truePositives, positivesLabeled, trueNegatives, negativesLabeled } = counts
  const { seed, confidence = 0.95 } = counts
  const random = seededRandom(seed)
  const lows = new Float64Array(resamples)
  const highs = new Float64Array(resamples)
  for (let resample = 0; resample < resamples; resample++) {
    const drawn = correct(
      drawnRate(random, positives, n),
      drawnRate(random, truePositives, positivesLabeled),
      drawnRate(random, trueNegatives, negativesLabeled),
    )
    // A drawn judge without information leaves the whole range open and counts towards both ends.
    lows[resample] = drawn ?? 0
    highs[resample] = drawn ?? 1
  }
  const tail = (1 - confidence) / 2
  return [lowerQuantile(lows.sort(), tail), upperQuantile(highs.sort(), 1 - tail)]
}

function drawnRate(random: RandomState, successes: number, n: number): number {
  return nextBeta(random, successes + 0.5, n - successes + 0.5)
}

function correct(rate: number, sensitivity: number, specificity: number): number | undefined {
  const informativeness = sensitivity + specificity - 1
  return informativeness > 1e-12 ? (rate + specificity - 1) / informativeness : undefined
}

function clip(rate: number): number {
  return Math.min(1, Math.max(0, rate))
}

function check(counts: JudgedAndLabeled): void {
  const { positives, n, truePositives, positivesLabeled, trueNegatives, negativesLabeled, confidence = 0.95 } = counts
  const rates = [
    [positives, n],
    [truePositives, positivesLabeled],
    [trueNegatives, negativesLabeled],
  ] as const
  for (const [successes, of] of rates) {
    if (!(successes >= 0 && successes <= of && Number.isFinite(of))) {
      throw new RangeError(`A rate needs 0 ≤ successes ≤ n, not ${successes} of ${of}.`)
    }
  }
  if (!(confidence > 0 && confidence < 1)) {
    throw new RangeError(`A confidence lies between 0 and 1, not at ${confidence}.`)
  }
}
