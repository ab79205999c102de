/** Agreement of raters in known worlds: how often the intervals of κ and α contain the true value. */

import { cohenKappa } from '../../src/statistics/agreement/cohen-kappa.ts'
import { krippendorffAlpha } from '../../src/statistics/agreement/krippendorff-alpha.ts'
import type { Interval } from '../../src/statistics/interval.ts'
import { nextRandom, type RandomState } from '../../src/statistics/random/seeded-random.ts'
import { runSlices } from '../../test/statistics/in-one-go.ts'
import type { Cell } from './simulated-cell.ts'

type World = {
  name: string
  /** How often each rating is given, lowest first. */
  shares: readonly number[]
  agreements: readonly number[]
  sizes: readonly number[]
  method: 'kappa' | 'weighted kappa' | 'alpha'
  raters?: number
}

const WORLDS: World[] = [
  ...[0.5, 0.8, 0.9, 0.95].map(
    (yes): World => ({
      name: `κ: yes/no, ${Math.round(100 * yes)} % yes`,
      shares: [yes, 1 - yes],
      agreements: [0, 0.4, 0.7, 0.9],
      sizes: [10, 20, 50, 100],
      method: 'kappa',
    }),
  ),
  { name: 'κ: 90, 5, 5 %', shares: [0.9, 0.05, 0.05], agreements: [0, 0.7], sizes: [20, 100], method: 'kappa' },
  {
    name: 'weighted κ: five equal grades',
    shares: [0.2, 0.2, 0.2, 0.2, 0.2],
    agreements: [0, 0.7],
    sizes: [20, 100],
    method: 'weighted kappa',
  },
  {
    name: 'weighted κ: grades 2, 3, 5, 20, 70 %',
    shares: [0.02, 0.03, 0.05, 0.2, 0.7],
    agreements: [0, 0.4, 0.9],
    sizes: [20, 100],
    method: 'weighted kappa',
  },
  ...[0.5, 0.95].map(
    (yes): World => ({
      name: `α: three raters, ${Math.round(100 * yes)} % yes`,
      shares: [yes, 1 - yes],
      agreements: [0, 0.4, 0.9],
      sizes: [20, 100],
      method: 'alpha',
      raters: 3,
    }),
  ),
]

export const AGREEMENT: Cell[] = WORLDS.flatMap((world) =>
  world.agreements.flatMap((truth) =>
    world.sizes.map(
      (n): Cell => ({
        world: `${world.name}, true ${truth}`,
        n,
        unit: 'items',
        effort: 0.25,
        once: (random, seed) => {
          const [low, high] = intervalOf(world, { truth, n, random, seed })
          return { coverage: low <= truth && truth <= high }
        },
      }),
    ),
  ),
)

type Sample = { truth: number; n: number; random: RandomState; seed: string }

/** Of a sample that has a coefficient: if all ratings are equal, another one is drawn. */
function intervalOf({ shares, method, raters = 2 }: World, { truth, n, random, seed }: Sample): Interval {
  const nextRating = () => {
    const place = nextRandom(random)
    let below = 0
    for (const [grade, share] of shares.entries()) {
      below += share
      if (place < below) return `${grade}`
    }
    return `${shares.length - 1}`
  }
  for (;;) {
    // Two raters who follow the same rating, each with the probability √a, and rate by chance else have the agreement a.
    const units = Array.from({ length: n }, () => {
      const followed = nextRating()
      return Array.from({ length: raters }, () => (nextRandom(random) < Math.sqrt(truth) ? followed : nextRating()))
    })
    const pairs = units.map(([first = '', second = '']) => [first, second] as const)
    const { interval } =
      method === 'alpha'
        ? runSlices(krippendorffAlpha(units, { seed }))
        : runSlices(cohenKappa(pairs, method === 'kappa' ? {} : { order: shares.map((_, grade) => `${grade}`) }))
    if (interval) return interval
  }
}
