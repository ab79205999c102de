import { normalCdf, normalQuantile } from '../distributions.ts'
import type { Interval } from '../interval.ts'
import { maxMagnitude, overflowSafeScale } from '../sums.ts'

type Replicates = {
  /** The statistic of every resample, sorted. */
  readonly sorted: Float64Array
  readonly estimate: number
  /** Replicates within this distance of the estimate count as equal to it. */
  readonly tie: number
  /** â of Efron & Tibshirani (14.15); see `jackknifeAcceleration`. */
  readonly acceleration: number
  /** The critical value of the confidence: 1.96 for 95 %. */
  readonly z: number
}

/**
 * The bias-corrected and accelerated interval of a bootstrap.
 *
 * Efron, B. (1987), Better bootstrap confidence intervals, JASA 82, 171–185; computed as in Efron, B. & Tibshirani, R. J.
 * (1993), An Introduction to the Bootstrap, section 14.3.
 */
export function bcaInterval({ sorted, estimate, tie, acceleration, z }: Replicates): Interval {
  const bias = biasCorrection(sorted, estimate, tie)
  return [
    lowerQuantile(sorted, adjustedLevel(-z, bias, acceleration)),
    upperQuantile(sorted, adjustedLevel(z, bias, acceleration)),
  ]
}

/**
 * â of Efron & Tibshirani (14.15), from the jackknife that excludes one unit at a time: (the mean of all the statistics
 * without one unit) − (the statistic without this unit), cubed and squared. `times` counts identical units.
 */
export function jackknifeAcceleration(withoutOne: Float64Array, times?: Float64Array): number {
  const weight = (index: number) => times?.[index] ?? 1
  let n = 0
  let sum = 0
  for (const [index, value] of withoutOne.entries()) {
    n += weight(index)
    sum += weight(index) * value
  }
  const influences = withoutOne.map((value) => sum / n - value)
  const scale = overflowSafeScale(maxMagnitude(influences))
  let squares = 0
  let cubes = 0
  for (const [index, unscaled] of influences.entries()) {
    const influence = scale * unscaled
    squares += weight(index) * influence ** 2
    cubes += weight(index) * influence ** 3
  }
  return squares === 0 ? 0 : cubes / (6 * squares ** 1.5)
}

/**
 * z₀ of Efron & Tibshirani (14.14): the normal quantile of the share of replicates below the estimate. Replicates that
 * equal it count half: scores have few distinct values, so ties are common, and ignoring them would shift the interval.
 */
function biasCorrection(sorted: Float64Array, estimate: number, tie: number): number {
  let below = 0
  for (const replicate of sorted) {
    if (replicate < estimate - tie) below += 1
    else if (replicate <= estimate + tie) below += 0.5
  }
  // A statistic that every resample lowers would have an infinite bias and an interval of NaN.
  const half = 0.5 / sorted.length
  return normalQuantile(Math.min(1 - half, Math.max(half, below / sorted.length)))
}

/**
 * α₁ and α₂ of Efron & Tibshirani (14.10): the levels of the interval in the replicates. The formula has a pole at
 * acceleration × (bias + z) = 1, far out in the tail; beyond that the outermost level is used.
 */
function adjustedLevel(z: number, bias: number, acceleration: number): number {
  const shifted = bias + z
  const stretch = 1 - acceleration * shifted
  if (stretch <= 0) return shifted > 0 ? 1 : 0
  return normalCdf(bias + shifted / stretch)
}

/** The k-th smallest with k = ⌊(B + 1)α⌋, Efron & Tibshirani (1993), section 12.5; the smallest if α is below them all. */
export function lowerQuantile(sorted: Float64Array, level: number): number {
  return nthSmallest(sorted, Math.floor((sorted.length + 1) * level))
}

/** The k-th largest with k = ⌊(B + 1)(1 − α)⌋; the largest if α is above them all. */
export function upperQuantile(sorted: Float64Array, level: number): number {
  return nthSmallest(sorted, sorted.length + 1 - Math.floor((sorted.length + 1) * (1 - level)))
}

function nthSmallest(sorted: Float64Array, n: number): number {
  return sorted[Math.min(Math.max(n, 1), sorted.length) - 1] ?? NaN
}

/**
 * The ends of the BCa interval of a mean, as distances from the mean, without resampling. `deviations` are those of the
 * values from their mean: they add up to zero, and are not all zero. `z` is the critical value: 1.96 for 95 %.
 *
 * DiCiccio, T. & Efron, B. (1992), More accurate confidence intervals in exponential families, Biometrika 79, 231–245;
 * the nonparametric ABC interval of Efron, B. & Tibshirani, R. J. (1993), An Introduction to the Bootstrap, sections
 * 14.4 and 22.6. It replaces the resamples with the first two derivatives of the mean in the weights of the values, of
 * which the second is 0, and has the same second-order accuracy as BCa.
 */
export function abcInterval(deviations: Float64Array, z: number): Interval {
  const n = deviations.length
  const scale = overflowSafeScale(maxMagnitude(deviations))
  let squares = 0
  let cubes = 0
  for (const deviation of deviations) {
    const slope = scale * deviation
    squares += slope * slope
    cubes += slope * slope * slope
  }
  const acceleration = cubes / (6 * squares ** 1.5)
  const end = (level: number): number =>
    (stepAlong(acceleration + level, acceleration) * Math.sqrt(squares)) / n / scale
  return [end(-z), end(z)]
}

/**
 * λ = w / (1 − aw)² of Efron & Tibshirani (1993), section 22.6. At |aw| = 1, far out in the tail, the formula has a
 * pole on one side and reverses on the other: beyond that the outermost end is used.
 */
function stepAlong(w: number, acceleration: number): number {
  const product = acceleration * w
  if (product >= 1) return Math.sign(w) * Infinity
  if (product <= -1) return Math.sign(w) / (4 * Math.abs(acceleration))
  return w / (1 - product) ** 2
}
