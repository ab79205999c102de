import { normalQuantile } from '../distributions.ts'
import type { Interval } from '../interval.ts'

/**
 * Everything that is known about one number, as one-sided p-values for each value that it could have. Interval and test
 * are both read from it, so that "the interval excludes 0" and "p is below 0.05" are the same statement.
 *
 * Birnbaum, A. (1961), Confidence curves: an omnibus technique for estimation and testing statistical hypotheses, JASA
 * 56, 246–249.
 */
export type PFunction = {
  readonly estimate: number
  /** The p-value against "at most x". It grows with x. */
  readonly below: (x: number) => number
  /** The p-value against "at least x". It falls with x. */
  readonly above: (x: number) => number
  /** The values that are possible; infinite where nothing bounds them. */
  readonly bounds: Interval
  /** Roughly a standard error: where the search for the ends of the interval begins. */
  readonly spread: number
}

/** The two-sided p-value against x. Never 0: smaller values are rounded up to the smallest positive double. */
export function pValue({ below, above }: PFunction, x = 0): number {
  return Math.max(Number.MIN_VALUE, Math.min(1, 2 * Math.min(below(x), above(x))))
}

/** All values whose one-sided p-values are both at least half of `alpha`. */
export function intervalOf(p: PFunction, alpha = 0.05): Interval {
  return [lowerEnd(p, alpha), upperEnd(p, alpha)]
}

export function lowerEnd({ estimate, below, bounds, spread }: PFunction, alpha = 0.05): number {
  return endOf(estimate, below, { bound: bounds[0], level: alpha / 2, step: -spread })
}

function upperEnd({ estimate, above, bounds, spread }: PFunction, alpha = 0.05): number {
  return endOf(estimate, above, { bound: bounds[1], level: alpha / 2, step: spread })
}

/** The same with the opposite sign. */
export function mirrored({ estimate, below, above, bounds, spread }: PFunction): PFunction {
  return {
    estimate: estimate === 0 ? 0 : -estimate,
    below: (x) => above(-x),
    above: (x) => below(-x),
    bounds: [-bounds[1], -bounds[0]],
    spread,
  }
}

type End = { bound: number; level: number; step: number }

/** The last value between the estimate and the bound whose p-value reaches the level. */
function endOf(estimate: number, p: (x: number) => number, { bound, level, step }: End): number {
  const isPlausible = (x: number) => p(x) >= level
  const isBeyond = (x: number) => (step < 0 ? x <= bound : x >= bound)
  let inside = estimate
  let outside = estimate
  for (let reach = step || Math.sign(bound) * Number.MIN_VALUE; ; reach *= 2) {
    outside = estimate + 2 * reach
    if (isBeyond(outside)) {
      if (isPlausible(bound)) return bound
      outside = bound
      break
    }
    if (!Number.isFinite(outside)) return Math.sign(reach) * Number.MAX_VALUE
    if (!isPlausible(outside)) break
    inside = outside
  }
  // Zero is tested itself, because a verdict depends on its side.
  if (inside * outside < 0) {
    if (isPlausible(0)) inside = 0
    else outside = 0
  }
  return lastPlausible(p, { inside, outside, level })
}

const STEPS_MAX = 200
const PRECISION = 1e-12

/**
 * Regula falsi on the normal quantiles of the p-values, which are nearly a straight line: the Illinois variant of Dowell,
 * M. & Jarratt, P. (1971), BIT 11, 168–174, which halves the weight of an end that stays. Returns a plausible value.
 */
function lastPlausible(
  p: (x: number) => number,
  { inside, outside, level }: { inside: number; outside: number; level: number },
): number {
  const goal = normalQuantile(level)
  const distance = (x: number) => normalQuantile(Math.max(TAIL_MIN, Math.min(TAIL_MAX, p(x)))) - goal
  const precision = PRECISION * Math.max(Math.abs(outside - inside), Math.abs(inside), Math.abs(outside))
  let [atInside, atOutside] = [distance(inside), distance(outside)]
  let moved = 0
  for (let step = 0; step < STEPS_MAX && Math.abs(outside - inside) > precision; step += 1) {
    // Never onto an end: rounding would hide on which side the last value lies.
    const share = Math.max(1e-6, Math.min(1 - 1e-6, atInside / (atInside - atOutside)))
    const x = inside + share * (outside - inside)
    if (x === inside || x === outside) break
    const here = distance(x)
    if (here >= 0) {
      ;[inside, atInside] = [x, here]
      if (moved === 1) atOutside /= 2
      moved = 1
    } else {
      ;[outside, atOutside] = [x, here]
      if (moved === -1) atInside /= 2
      moved = -1
    }
  }
  return inside
}

const TAIL_MIN = 1e-300
const TAIL_MAX = 1 - 1e-16
