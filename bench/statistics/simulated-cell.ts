/** One cell of the table of simulations: a world with a number of items, and how often a comparison is right in it. */

import type { Interval } from '../../src/statistics/interval.ts'
import { nextRandom, type RandomState, seededRandom } from '../../src/statistics/random/seeded-random.ts'

/**
 * - `coverage`: the shown interval contains the true difference.
 * - `falseVerdicts`: improved or regressed, although nothing changed on average.
 * - `gate`: passed, although the loss is as large as the margin.
 * - `power`: the verdict is right; `simplePower`: the best simple test finds the same on the same samples.
 * - `simpleFalse`: false positives of that simple test.
 * - `detected`: the difference that `power` of a comparison promises to find in 80 of 100.
 * - `early`: the verdict is right with two fifths of the items.
 * - `futile`: a candidate that differs ended as futile; `futileLoss`: and would have been decided.
 * - `bias`: what is expected of the best candidate on new items, less its true gain, in points; `plainBias`: its gain in the
 *   items that it was chosen by, less its true one.
 */
export const FIGURES = [
  'coverage',
  'falseVerdicts',
  'simpleFalse',
  'gate',
  'power',
  'simplePower',
  'detected',
  'early',
  'futile',
  'futileLoss',
  'bias',
  'plainBias',
] as const

export type Figure = (typeof FIGURES)[number]

/** What happened in one sample; of a bias, how large it is. */
export type Outcome = Partial<Record<Figure, boolean | number>>

/** Shares of samples, or means, in percent. */
export type Figures = Partial<Record<Figure, number>>

type CellName = {
  readonly world: string
  /** Null if the name of the world has the size. */
  readonly n: number | null
  readonly unit: 'items' | 'groups' | 'labels'
  /** Wider intervals than needed are a fault, too. */
  readonly coverageMax?: number | undefined
  /** The least share of samples that must be right with two fifths of the items. */
  readonly earlyMin?: number | undefined
  /** Printed without a bar: the sample is known to be too small for the method. */
  readonly isForInformation?: true | undefined
}

export type Cell = CellName &
  (
    | {
        readonly once: (random: RandomState, seed: string) => Outcome | Promise<Outcome>
        /** The samples relative to the others: fewer for slow ones, more for figures that are close to their bar. */
        readonly effort?: number
      }
    | { readonly exact: () => Figures }
  )

export type MeasuredCell = CellName & {
  /** Null if all samples were enumerated. */
  readonly samples: number | null
  readonly figures: Figures
}

const SAMPLES = 2_000

export async function measureCell(cell: Cell, share: number): Promise<MeasuredCell> {
  const { world, n, unit, coverageMax, earlyMin, isForInformation } = cell
  const name = { world, n, unit, coverageMax, earlyMin, isForInformation }
  if ('exact' in cell) return { ...name, samples: null, figures: cell.exact() }
  const samples = Math.round(SAMPLES * share * (cell.effort ?? 1))
  const counts: Partial<Record<Figure, number>> = {}
  for (let sample = 0; sample < samples; sample += 1) {
    const seed = `${world} ${n}: ${sample}`
    const outcome = await cell.once(seededRandom(seed), seed)
    for (const figure of FIGURES)
      if (outcome[figure] !== undefined) counts[figure] = (counts[figure] ?? 0) + Number(outcome[figure])
  }
  const figures: Figures = {}
  for (const figure of FIGURES) {
    const count = counts[figure]
    if (count !== undefined) figures[figure] = (100 * count) / samples
  }
  return { ...name, samples, figures }
}

/** An interval of one number, and its true value. */
export type Setting = {
  readonly name: string
  readonly truth: number
  readonly sample: (random: RandomState, seed: string) => Interval | undefined
  readonly isForInformation?: true
}

const COVERAGE_MAX = 97

export function settingCell({ name, truth, sample, isForInformation }: Setting): Cell {
  return {
    world: name,
    n: null,
    unit: 'items',
    coverageMax: COVERAGE_MAX,
    isForInformation,
    once: (random, seed) => {
      const interval = sample(random, seed)
      return { coverage: interval !== undefined && interval[0] <= truth && truth <= interval[1] }
    },
  }
}

/** A standard normal number: Box, G. E. P. & Muller, M. E. (1958), Annals of Mathematical Statistics 29, 610–611. */
export function nextNormal(random: RandomState): number {
  return Math.sqrt(-2 * Math.log(1 - nextRandom(random))) * Math.cos(2 * Math.PI * nextRandom(random))
}

/** 1 with the probability `up`, −1 with the probability `down`, else 0. */
export function nextChange(random: RandomState, up: number, down: number): number {
  const number = nextRandom(random)
  return number < up ? 1 : number < up + down ? -1 : 0
}

/** A score near the end of the scale: 1 in `top` of all cases, else between 0.5 and 1. The mean is 0.75 + 0.25 · top. */
export function nextNearCeiling(random: RandomState, top: number): number {
  return nextRandom(random) < top ? 1 : 0.5 + 0.5 * nextRandom(random)
}
