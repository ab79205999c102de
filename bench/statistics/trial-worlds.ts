/** Trials: looks at a growing family of candidates, the best of several on new items, and candidates that are not worse. */

import { infer } from '../../src/comparisons/evidence/infer.ts'
import { notWorseFamily } from '../../src/comparisons/ranking/not-worse-family.ts'
import { nextRandom, type RandomState } from '../../src/statistics/random/seeded-random.ts'
import { ASSUMED_SPREAD, detectableByRepetitions } from '../../src/statistics/repetitions.ts'
import { type CandidateLooks, familyLooks } from '../../src/statistics/sequential/family-looks.ts'
import { lookSizes } from '../../src/statistics/sequential/look-order.ts'
import { shownBest } from '../../src/statistics/sequential/shown-best.ts'
import { unplannedLooks } from '../../src/statistics/sequential/unplanned-looks.ts'
import { expectedOnNewItems } from '../../src/statistics/split-selection.ts'
import { sumOf } from '../../src/statistics/sums.ts'
import { runSlices } from '../../test/statistics/in-one-go.ts'
import { SCALE } from './compare-sample.ts'
import { type Cell, nextChange, nextNormal } from './simulated-cell.ts'

type Kind = 'yes/no' | 'scores'

/** The values of the baseline, and of candidates with these gains, in the same items. They share the noise of the baseline. */
function drawVariants(random: RandomState, gains: readonly number[], { items, kind }: { items: number; kind: Kind }) {
  return [0, ...gains].map((gain) =>
    Float64Array.from({ length: items }, () => {
      if (kind === 'yes/no') return Number(nextRandom(random) < 0.7 + gain)
      // In sixteenths: a look reads all distinct scores each time, and their differences are exact.
      return Math.max(0, Math.min(16, Math.round(16 * (0.5 + gain + 0.15 * nextNormal(random))))) / 16
    }),
  )
}

function differencesOf([baseline = new Float64Array(), ...candidates]: readonly Float64Array[]): Float64Array[] {
  return candidates.map((values) => values.map((value, item) => value - (baseline[item] ?? 0)))
}

function allLooks(differences: readonly Float64Array[], { seed, margin }: { seed: string; margin?: number }) {
  const sizes = lookSizes(differences[0]?.length ?? 0)
  const changes = differences.map((values) => ({ values, atWorst: values }))
  return runSlices(familyLooks(changes, { sizes, available: sizes.length, margin, seed }))
}

const isDecided = ({ verdict }: CandidateLooks) => verdict !== 'undecided'
const equal = (candidates: number, gain = 0) => new Array<number>(candidates).fill(gain)

type NewItems = { name: string; gains: readonly number[]; items: number; kind: Kind }

const SPREAD = [-0.1, -0.08, -0.05, -0.03, 0, 0.02, 0.04, 0.06, 0.08, 0.1]
const NEW_ITEMS: NewItems[] = [
  { name: 'five equal, yes/no', gains: equal(5), items: 200, kind: 'yes/no' },
  { name: 'ten equal, yes/no', gains: equal(10), items: 50, kind: 'yes/no' },
  { name: 'ten equal, yes/no', gains: equal(10), items: 200, kind: 'yes/no' },
  { name: 'ten equal, scores', gains: equal(10), items: 50, kind: 'scores' },
  { name: '49 equal, yes/no', gains: equal(49), items: 100, kind: 'yes/no' },
  { name: 'one of ten better by 0.1, yes/no', gains: [0.1, ...equal(9)], items: 100, kind: 'yes/no' },
  { name: 'ten from -0.1 to 0.1, yes/no', gains: SPREAD, items: 100, kind: 'yes/no' },
]

export const TRIALS: Cell[] = [
  ...(['yes/no', 'scores'] as const).flatMap((kind) => [1, 3, 10].map((candidates) => noDifference(candidates, kind))),
  ...[1, 3].map((candidates) =>
    decided('25 % gain, 5 % lose', { candidates, items: 200, up: 0.25, down: 0.05, earlyMin: 50 }),
  ),
  decided('15 % gain, 5 % lose', { candidates: 1, items: 200, up: 0.15, down: 0.05 }),
  decided('13 % gain, 6 % lose', { candidates: 1, items: 500, up: 0.13, down: 0.06 }),
  decided('13 % lose, 6 % gain', { candidates: 1, items: 500, up: 0.06, down: 0.13 }),
  ...[0, 0.1].map((gain) => bestOfEqual(gain)),
  loseTheMargin(1),
  loseTheMargin(10),
  ...[1, 10].map(loseTheMarginAtOnce),
  ...[1, 3].flatMap((repetitions) => [1, 10].map((candidates) => promised(candidates, repetitions))),
  ...NEW_ITEMS.map(onNewItems),
]

/** Any decision on any candidate is wrong. */
function noDifference(candidates: number, kind: Kind): Cell {
  return {
    world: `trial of ${candidates} without a difference: ${kind}`,
    n: 200,
    unit: 'items',
    once: (random, seed) => {
      const found = allLooks(differencesOf(drawVariants(random, equal(candidates), { items: 200, kind })), { seed })
      return { falseVerdicts: found.some(isDecided) }
    },
  }
}

type Changing = { candidates: number; items: number; up: number; down: number; earlyMin?: number }

/** One candidate changed, the others are equal to the baseline. Without stops for futility, more would be decided. */
function decided(name: string, { candidates, items, up, down, earlyMin }: Changing): Cell {
  const expected = up > down ? 'improved' : 'regressed'
  return {
    world: `trial of ${candidates}: ${name}`,
    n: items,
    unit: 'items',
    effort: 0.5,
    earlyMin,
    once: (random, seed) => {
      const changed = Float64Array.from({ length: items }, () => nextChange(random, up, down))
      const others = equal(candidates - 1).map(() => Float64Array.from(changed, () => nextChange(random, 0.1, 0.1)))
      const [found] = allLooks([changed, ...others], { seed })
      const isFutile = found?.endedBy === 'futile'
      const later = lookSizes(items).filter((size) => size > (found?.looks.at(-1)?.items ?? 0))
      const threshold = found?.looks.at(-1)?.threshold ?? Infinity
      return {
        power: found?.verdict === expected,
        early: found?.verdict === expected && (found.looks.at(-1)?.items ?? Infinity) <= 0.4 * items,
        futile: isFutile,
        futileLoss: isFutile && later.some((size) => unplannedLooks(changed.subarray(0, size)).eValue(0) >= threshold),
      }
    },
  }
}

/** Ten equal candidates, as good as the baseline or all better: none of them is the best. */
function bestOfEqual(gain: number): Cell {
  return {
    world: `best of ten equal candidates, ${gain === 0 ? 'equal to the baseline' : 'all better by 0.1'}`,
    n: 200,
    unit: 'items',
    once: (random) => {
      const [baseline = new Float64Array(), ...candidates] = drawVariants(random, equal(10, gain), {
        items: 200,
        kind: 'yes/no',
      })
      const isClaimed = lookSizes(200).some((size) => {
        return shownBest([baseline, ...candidates].map((values) => values.subarray(0, size)))?.isShown
      })
      return { falseVerdicts: isClaimed }
    },
  }
}

/** All candidates lose as much as the margin: any that keeps it is wrong. */
function loseTheMargin(candidates: number): Cell {
  return {
    world: `trial of ${candidates} with loss = margin`,
    n: 400,
    unit: 'items',
    effort: candidates === 1 ? 1 : 0.5,
    once: (random, seed) => {
      const differences = drawLosing(random, candidates)
      return { gate: allLooks(differences, { seed, margin: 0.05 }).some(({ margin }) => margin?.isKept) }
    },
  }
}

function drawLosing(random: RandomState, candidates: number): Float64Array[] {
  const baseline = Float64Array.from({ length: 400 }, () => Number(nextRandom(random) < 0.9))
  return equal(candidates).map(() => {
    // 0.9 · 0.0611 − 0.1 · 0.05 = 0.05
    return baseline.map((value) =>
      value === 1 ? -Number(nextRandom(random) < 0.0611) : Number(nextRandom(random) < 0.05),
    )
  })
}

/** The same in a comparison of all items at once, by the margin of a gate and Holm's correction. */
function loseTheMarginAtOnce(candidates: number): Cell {
  return {
    world: `comparison of ${candidates} with loss = margin`,
    n: 400,
    unit: 'items',
    effort: candidates === 1 ? 1 : 0.5,
    once: (random) => {
      const compared = drawLosing(random, candidates).map((values) => ({
        items: 400,
        inference: infer({ values }, { kind: 'yes/no' }),
        totalRatio: null,
        higherIsBetter: true,
        scale: SCALE,
        isRatio: false,
      }))
      return { gate: notWorseFamily(compared, 0.05).some(({ isNotWorse }) => isNotWorse) }
    },
  }
}

/** The difference that a dry run promises to find in 80 of 100 trials with early stop. */
function promised(candidates: number, repetitions: number): Cell {
  const items = 200
  const planned = { items, candidates, looks: 'unplanned' as const, repetitions: [repetitions] }
  const [row] = detectableByRepetitions(ASSUMED_SPREAD, planned)
  const gain = row?.difference ?? NaN
  return {
    world: `promised power of a trial of ${candidates}, ${repetitions === 1 ? 'once' : `${repetitions} times`}`,
    n: items,
    unit: 'items',
    effort: candidates === 1 ? 0.5 : 0.25,
    once: (random, seed) => {
      const spread = Math.sqrt(ASSUMED_SPREAD.between + ASSUMED_SPREAD.within / repetitions)
      const draw = (shift: number) =>
        Float64Array.from({ length: items }, () => Math.max(-1, Math.min(1, shift + spread * nextNormal(random))))
      const [found] = allLooks([draw(gain), ...equal(candidates - 1).map(() => draw(0))], { seed })
      return { detected: found?.verdict === 'improved' }
    },
  }
}

/** The best of several is chosen by its mean. What is expected of it is compared with its true gain. */
function onNewItems({ name, gains, items, kind }: NewItems): Cell {
  return {
    world: `expected on new items: ${name}`,
    n: items,
    unit: 'items',
    effort: gains.length > 10 ? 0.1 : 0.5,
    once: (random, seed) => {
      const differences = differencesOf(drawVariants(random, gains, { items, kind }))
      const means = differences.map((values) => sumOf(values) / items)
      const best = means.indexOf(Math.max(...means))
      const truth = gains[best] ?? NaN
      const expected = runSlices(expectedOnNewItems(differences, { seed }))
      const [low, high] = expected?.interval ?? [NaN, NaN]
      return {
        coverage: low <= truth && truth <= high,
        bias: (expected?.difference ?? NaN) - truth,
        plainBias: (means[best] ?? NaN) - truth,
      }
    },
  }
}
