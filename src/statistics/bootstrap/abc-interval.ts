import { normalCdf, normalQuantile } from '../distributions/normal-distribution.ts'
import type { Interval } from '../interval.ts'
import { maxMagnitude, overflowSafeScale } from '../overflow-scale.ts'

export type ClusteredSample = {
  /** Per cluster: (sum of its values) − (its size) × mean of all values. They add up to zero, and are not all zero. */
  readonly deviations: Float64Array
  /** Undefined if each cluster has one value. */
  readonly sizes: Float64Array | undefined
  /** The critical value of the confidence: 1.96 for 95 %. */
  readonly z: number
}

/**
 * The ends of the BCa interval of a mean, as distances from the mean, without resampling.
 *
 * DiCiccio, T. & Efron, B. (1992), More accurate confidence intervals in exponential families, Biometrika 79, 231–245;
 * the nonparametric ABC interval of Efron, B. & Tibshirani, R. J. (1993), An Introduction to the Bootstrap, sections
 * 14.4 and 22.6. It replaces the resamples with the first two derivatives of the mean in the weights of the clusters,
 * and has the same second-order accuracy as BCa.
 *
 * Their program computes the derivatives numerically. Here the statistic is known, T(P) = ΣPᵢsᵢ / ΣPᵢmᵢ with sᵢ the sum
 * and mᵢ the size of cluster i, and so are the derivatives: with dᵢ = sᵢ − T·mᵢ and M the mean size, Ṫᵢ = dᵢ/M and T̈ᵢ
 * = −2dᵢ(mᵢ − M)/M².
 */
export function abcInterval({ deviations, sizes, z }: ClusteredSample): Interval {
  const k = deviations.length
  const meanSize = sizes ? sizes.reduce((sum, size) => sum + size, 0) / k : 1
  const scale = overflowSafeScale(maxMagnitude(deviations))
  let squares = 0
  let cubes = 0
  let withSizes = 0
  for (let cluster = 0; cluster < k; cluster++) {
    const slope = (scale * (deviations[cluster] ?? 0)) / meanSize
    squares += slope * slope
    cubes += slope * slope * slope
    if (sizes) withSizes += slope * ((sizes[cluster] ?? meanSize) / meanSize - 1)
  }
  const deviationOfMean = Math.sqrt(squares) / k
  const acceleration = cubes / (6 * squares ** 1.5)
  const bias = -withSizes / k ** 2
  // The relative change of the mean size along the least favorable direction: the curvature is its negative.
  const sizeChange = withSizes / (k ** 2 * deviationOfMean)
  const curvature = -sizeChange
  const correction = normalQuantile(2 * normalCdf(acceleration) * normalCdf(curvature - bias / deviationOfMean))

  const end = (level: number): number => {
    const step = stepAlong(correction + level, acceleration)
    const stretch = 1 + step * sizeChange
    return stretch > 0 ? (step * deviationOfMean) / stretch / scale : Math.sign(level) * Infinity
  }
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
