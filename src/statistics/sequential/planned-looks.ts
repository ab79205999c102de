import { normalCdf, normalDensity, normalQuantile } from '../distributions.ts'

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
    const toSpend = spendingAt(share, alpha) - spent
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

/** The sum at which this look spends exactly its share. */
function boundaryOf(density: GridDensity, step: number, toSpend: number): number {
  let [low, high] = [0, 40]
  for (let bisection = 0; bisection < 60; bisection += 1) {
    const middle = (low + high) / 2
    if (2 * probabilityAbove(density, step, middle) > toSpend) low = middle
    else high = middle
  }
  return (low + high) / 2
}

function probabilityAbove({ points, weights }: GridDensity, step: number, boundary: number): number {
  let sum = 0
  for (const [index, point] of points.entries())
    sum += (weights[index] ?? 0) * normalCdf((point - boundary) / Math.sqrt(step))
  return sum
}

/** Simpson's rule over the values that do not stop at this look. */
function continuing(
  density: GridDensity | undefined,
  { step, boundary }: { step: number; boundary: number },
): GridDensity {
  const root = Math.sqrt(step)
  const width = (2 * boundary) / (POINTS - 1)
  const points = Float64Array.from({ length: POINTS }, (_, index) => -boundary + index * width)
  const weights = points.map((point, index) => {
    const simpson = index === 0 || index === POINTS - 1 ? 1 : index % 2 === 1 ? 4 : 2
    return ((simpson * width) / 3) * densityAt(density, point, root)
  })
  return { points, weights }
}

function densityAt(density: GridDensity | undefined, point: number, root: number): number {
  if (!density) return normalDensity(point / root) / root
  let sum = 0
  for (const [index, from] of density.points.entries())
    sum += ((density.weights[index] ?? 0) * normalDensity((point - from) / root)) / root
  return sum
}
