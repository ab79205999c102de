/** Worlds in which several decisions are made: looks at growing samples, planned or not, and the best of several candidates. */

import { ItemValues } from '../../src/comparisons/pairing/item-values.ts'
import { pValue } from '../../src/statistics/paired/p-function.ts'
import { nextRandom, type RandomState } from '../../src/statistics/random/seeded-random.ts'
import { plannedLookLevels } from '../../src/statistics/sequential/planned-looks.ts'
import { unplannedLooks } from '../../src/statistics/sequential/unplanned-looks.ts'
import { compareSample, type Kind, type Sample } from './compare-sample.ts'
import { type Cell, nextChange, nextNormal, type Outcome } from './simulated-cell.ts'

type Growing = { name: string; kind: Kind; truth: number; draw: (random: RandomState) => number }

const rates = (name: string, up: number, down: number): Growing => ({
  name,
  kind: 'yes/no',
  truth: up - down,
  draw: (random) => nextChange(random, up, down),
})

const EQUAL: Growing[] = [
  rates('yes/no, 20 % differ', 0.1, 0.1),
  // In steps, because a look after every item reads all distinct scores each time.
  { name: 'scores, sd 0.2', kind: 'scores', truth: 0, draw: (random) => 0.05 * Math.round(4 * nextNormal(random)) },
]
const BREAKAGE: Growing = {
  name: 'scores, 5 % break, mean 0',
  kind: 'scores',
  truth: 0,
  draw: (random) => (nextRandom(random) < 0.05 ? -0.95 : 0.05 + 0.01 * (nextRandom(random) - 0.5)),
}
/** One look finds them in 71, 96 and 96 of 100 series of 500 items. */
const BETTER: Growing[] = [
  rates('gain 0.05, 20 % differ', 0.125, 0.075),
  rates('gain 0.06, 13 % differ', 0.095, 0.035),
  rates('gain 0.09, 29 % differ', 0.19, 0.1),
]
const WORSE: Growing = rates('loss 0.05, 13 % differ', 0.04, 0.09)

const FIVE = [0.2, 0.4, 0.6, 0.8, 1]
const IRREGULAR = [0.15, 0.25, 0.6, 0.7, 1]
const ITEMS_MIN = 10
const FAMILY_ITEMS = 100
const FAMILY_GROUPS = Array.from({ length: FAMILY_ITEMS }, (_, item) => String(Math.floor(item / 5)))

export const REPEATED: Cell[] = [
  ...[100, 500].flatMap((n) => [...EQUAL, BREAKAGE].map((world) => planned(world, n, FIVE))),
  ...EQUAL.map((world) => planned({ ...world, name: `${world.name}, irregular` }, 100, IRREGULAR)),
  ...BETTER.map((world) => planned(world, 500, FIVE)),
  ...[...EQUAL, BREAKAGE, WORSE].map((world) => afterEveryItem(world, 200)),
  ...BETTER.map((world) => unplanned(world, 500, FIVE)),
  ...[5, 10].flatMap((candidates) => [
    bestOf(candidates, 'yes/no'),
    bestOf(candidates, 'scores'),
    bestOf(candidates, 'groups'),
  ]),
]

function planned(world: Growing, n: number, shares: readonly number[]): Cell {
  const levels = plannedLookLevels(shares)
  return {
    world: `five planned looks: ${world.name}`,
    n,
    unit: 'items',
    // Those without a difference are near their bar: 1,000 samples measured up to 6.2 %.
    effort: world.truth === 0 && world !== BREAKAGE ? 4 : 0.5,
    once: (random) => {
      const changes = drawChanges(world, random, n)
      const looks = levels.map((level, look) => {
        const size = Math.round((shares[look] ?? 1) * n)
        const { shown, verdict } = compareSample(sampleOf(changes.subarray(0, size)), world.kind, level)
        return { verdict, isCovered: pValue(shown, world.truth) >= level, oneLook: pValue(shown) < 0.05 }
      })
      const found = looks.map(({ verdict }) => verdict).find((one) => one === 'improved' || one === 'regressed')
      return {
        coverage: looks.every(({ isCovered }) => isCovered),
        ...foundIn(world.truth, found, { simply: looks.at(-1)?.oneLook === true }),
      }
    },
  }
}

function foundIn(truth: number, verdict: string | undefined, { simply }: { simply: boolean }): Outcome {
  if (truth === 0) return { falseVerdicts: verdict !== undefined }
  return { power: verdict === (truth > 0 ? 'improved' : 'regressed'), simplePower: simply }
}

/** A look after each item: the interval holds at all of them, and a gate that is asked each time does not pass the loss. */
function afterEveryItem(world: Growing, n: number): Cell {
  return {
    world: `a look after every item: ${world.name}`,
    n,
    unit: 'items',
    effort: 0.25,
    once: (random) => {
      const changes = drawChanges(world, random, n)
      let [isCovered, isDecided, isPassed, sum] = [true, false, false, 0]
      for (let size = 1; size <= n; size += 1) {
        sum += changes[size - 1] ?? 0
        if (size < ITEMS_MIN) continue
        const looks = unplannedLooks(changes.subarray(0, size))
        const isExcluded = looks.eValue(world.truth) >= 1 / 0.05
        if (isExcluded) isCovered = false
        if (isExcluded && sum / size > world.truth) isPassed = true
        if (world.truth === 0 && isExcluded) isDecided = true
      }
      return {
        coverage: isCovered,
        ...(world.truth === 0 && { falseVerdicts: isDecided }),
        ...(world.truth <= 0 && { gate: isPassed }),
      }
    },
  }
}

function unplanned(world: Growing, n: number, shares: readonly number[]): Cell {
  return {
    world: `five unplanned looks: ${world.name}`,
    n,
    unit: 'items',
    effort: 0.5,
    once: (random) => {
      const changes = drawChanges(world, random, n)
      const isFound = shares.some(
        (share) => unplannedLooks(changes.subarray(0, Math.round(share * n))).eValue(0) >= 1 / 0.05,
      )
      const { shown } = compareSample(sampleOf(changes), world.kind)
      return { power: isFound, simplePower: pValue(shown) < 0.05 }
    },
  }
}

function drawChanges({ draw }: Growing, random: RandomState, n: number): Float64Array {
  return Float64Array.from({ length: n }, () => Math.max(-1, Math.min(1, draw(random))))
}

function sampleOf(changes: Float64Array, groups?: readonly string[]): Sample {
  const values = new ItemValues()
  for (const [item, change] of changes.entries()) values.add(String(item), 0, change)
  return { values, groups }
}

/** Equal candidates, of which one looks best: each has a level of 0.05 / candidates. All share the noise of the baseline. */
function bestOf(candidates: number, kind: 'yes/no' | 'scores' | 'groups'): Cell {
  const alpha = 0.05 / candidates
  return {
    world: `best of ${candidates}: ${kind}`,
    n: FAMILY_ITEMS,
    unit: 'items',
    effort: 0.5,
    once: (random) => {
      const baseline = drawRun(random, kind)
      const compared = Array.from({ length: candidates }, () => {
        const run = drawRun(random, kind)
        const changes = run.map((value, item) => value - (baseline[item] ?? 0))
        const groups = kind === 'groups' ? FAMILY_GROUPS : undefined
        return compareSample(sampleOf(changes, groups), kind === 'yes/no' ? 'yes/no' : 'scores', alpha)
      })
      const chosen = compared.reduce((best, one) => (one.shown.estimate > best.shown.estimate ? one : best))
      return {
        coverage: pValue(chosen.shown) >= alpha,
        falseVerdicts: compared.some(({ verdict }) => verdict === 'improved' || verdict === 'regressed'),
      }
    },
  }
}

function drawRun(random: RandomState, kind: 'yes/no' | 'scores' | 'groups'): Float64Array {
  let ofGroup = 0
  return Float64Array.from({ length: FAMILY_ITEMS }, (_, item) => {
    if (kind === 'yes/no') return Number(nextRandom(random) < 0.8)
    if (kind === 'scores') return 0.15 * nextNormal(random)
    if (item % 5 === 0) ofGroup = 0.08 * nextNormal(random)
    return ofGroup + 0.12 * nextNormal(random)
  })
}
