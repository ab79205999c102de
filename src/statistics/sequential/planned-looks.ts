import { normalCdf, normalDensity, normalQuantile, twoSidedCriticalValue } from '../distributions.ts'

/**
 * The two-sided levels of planned looks at growing data, in the order of the looks: a test at the level of each look has a
 * false positive in at most `alpha` of all series. `shares` are the shares of the planned items that the looks have, which
 * rise and are at most 1; the looks need not be equally spaced.
 *
 * The spending function of O'Brien and Fleming's type, which keeps nearly all for the last look: Lan, K. K. G. & DeMets, D.
 * L. (1983), Discrete sequential boundaries for clinical trials, Biometrika 70, 659–663. Boundaries by the recursive
 * integration of Armitage, P., McPherson, C. K. & Rowe, B. C. (1969), Journal of the Royal Statistical Society A 132,
 * 235–244.
 */
export function plannedLookLevels(shares: readonly number[], alpha = 0.05): number[] {
  const levels: number[] = []
  let density: GridDensity | undefined
  let spent = 0
  let previous = 0
  for (const share of shares) {
    if (!(share > previous && share <= 1)) throw new RangeError(`Shares rise up to 1, not ${shares.join(', ')}.`)
    const toSpend = Math.max(LEVEL_MIN, spendingAt(share, alpha) - spent)
    const step = share - previous
    const boundary =
      density === undefined ? firstBoundary(toSpend) * Math.sqrt(share) : boundaryOf(density, step, toSpend)
    levels.push(2 * normalCdf(-boundary / Math.sqrt(share)))
    density = continuing(density, { step, boundary })
    spent += toSpend
    previous = share
  }
  return levels
}

const POWER = 0.8
const NEWTON_STEPS = 5
/** By the number of looks, of which few are in use: each needs some milliseconds. */
const inflations = new Map([[1, 1]])

/**
 * How many times as many items equally spaced looks need as a single one, to find a difference in 80 of 100 series: the
 * inflation factor of Jennison, C. & Turnbull, B. W. (2000), Group Sequential Methods, section 2.4. 1.03 for five looks.
 */
export function plannedLooksInflation(looks: number): number {
  const known = inflations.get(looks)
  if (known !== undefined) return known
  const shares = Array.from({ length: looks }, (_, look) => (look + 1) / looks)
  const boundaries = plannedLookLevels(shares).map((level, look) => firstBoundary(level) * Math.sqrt(shares[look] ?? 1))
  const single = twoSidedCriticalValue(0.95) + normalQuantile(POWER)
  let drift = single
  for (let step = 0; step < NEWTON_STEPS; step += 1) {
    // The power of a single look has this slope in the drift, and that of several ones nearly the same.
    drift += (POWER - powerAt(drift, boundaries)) / normalDensity(normalQuantile(POWER))
  }
  const inflation = (drift / single) ** 2
  inflations.set(looks, inflation)
  return inflation
}

/** The probability that a sum with this mean at the last look crosses one of the upper boundaries. */
function powerAt(drift: number, boundaries: readonly number[]): number {
  const step = 1 / boundaries.length
  let density: GridDensity | undefined
  let power = 0
  for (const boundary of boundaries) {
    const above = boundary - drift * step
    power += density === undefined ? normalCdf(-above / Math.sqrt(step)) : probabilityAbove(density, step, above)
    density = continuing(density, { step, boundary, drift: drift * step })
  }
  return power
}

/**
 * Each look spends at least this, which the later ones have less: very early looks would have levels such as 1e-200, at
 * which no interval is finite.
 */
export const LEVEL_MIN = 1e-6

/** The share of alpha that may be spent until this share of the items. */
function spendingAt(share: number, alpha: number): number {
  return 4 * normalCdf(normalQuantile(alpha / 4) / Math.sqrt(share))
}

function firstBoundary(toSpend: number): number {
  return -normalQuantile(toSpend / 2)
}

/** The density of the sum of the series that have not stopped, at equally spaced points. */
type GridDensity = { readonly points: Float64Array; readonly weights: Float64Array }

const POINTS = 161
/** Beyond so many standard deviations there is nothing that counts. */
const FAR = 8

/** The sum at which this look spends exactly its share. */
function boundaryOf(density: GridDensity, step: number, toSpend: number): number {
  let [low, high] = [0, 8]
  for (let bisection = 0; bisection < 40; bisection += 1) {
    const middle = (low + high) / 2
    if (2 * probabilityAbove(density, step, middle) > toSpend) low = middle
    else high = middle
  }
  return (low + high) / 2
}

function probabilityAbove({ points, weights }: GridDensity, step: number, boundary: number): number {
  const root = Math.sqrt(step)
  let sum = 0
  for (let index = 0; index < POINTS; index += 1) {
    const z = ((points[index] ?? 0) - boundary) / root
    if (z > -FAR) sum += (weights[index] ?? 0) * normalCdf(z)
  }
  return sum
}

/** Simpson's rule over the values that do not stop at this look. */
function continuing(
  density: GridDensity | undefined,
  { step, boundary, drift = 0 }: { step: number; boundary: number; drift?: number },
): GridDensity {
  const root = Math.sqrt(step)
  const width = (2 * boundary) / (POINTS - 1)
  const points = Float64Array.from({ length: POINTS }, (_, index) => -boundary + index * width)
  const weights = points.map((point, index) => {
    const simpson = index === 0 || index === POINTS - 1 ? 1 : index % 2 === 1 ? 4 : 2
    return ((simpson * width) / 3) * densityAt(density, point - drift, root)
  })
  return { points, weights }
}

function densityAt(density: GridDensity | undefined, point: number, root: number): number {
  if (!density) return normalDensity(point / root) / root
  const { points, weights } = density
  let sum = 0
  for (let index = 0; index < POINTS; index += 1) {
    const z = (point - (points[index] ?? 0)) / root
    if (z < FAR && z > -FAR) sum += ((weights[index] ?? 0) * normalDensity(z)) / root
  }
  return sum
}
