import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nextRandom, seededRandom } from '../../src/statistics/random/seeded-random.ts'
import {
  ASSUMED_SPREAD,
  detectableByRepetitions,
  spreadOfPairs,
  spreadOfRun,
  varianceComponents,
} from '../../src/statistics/repetitions.ts'

/** Yields of six batches of dyestuff: Davies, O. L. & Goldsmith, P. L. (1972), Statistical Methods in Research and Production, section 6.4. */
const DYESTUFF = [
  [1545, 1440, 1440, 1520, 1580],
  [1540, 1555, 1490, 1560, 1495],
  [1595, 1550, 1605, 1510, 1560],
  [1445, 1440, 1595, 1465, 1545],
  [1595, 1630, 1515, 1635, 1625],
  [1520, 1455, 1450, 1480, 1445],
]

describe('varianceComponents', () => {
  test('of the batches of dyestuff are 1,764 between and 2,451 within', () => {
    const found = varianceComponents(DYESTUFF)
    expect(found?.between).toBeCloseTo(1764.05, 2)
    expect(found?.within).toBeCloseTo(2451.25, 2)
  })

  test('do not depend on the position of the values, and groups without values change nothing', () => {
    const moved = [[], ...DYESTUFF.map((batch) => batch.map((value) => value - 1500)), []]
    expect(varianceComponents(moved)?.between).toBeCloseTo(1764.05, 6)
  })

  test.each([[[[1, 2]]], [[[1], [2], [3]]], [[]]])('of %j are not known', (groups) => {
    expect(varianceComponents(groups)).toBeUndefined()
  })
})

/** Rates of items that differ, and variants that change them by 0.2 up or down. */
function drawRuns(items: number, repetitions: number) {
  const random = seededRandom('repetitions')
  const run = (rate: number) => Array.from({ length: repetitions }, () => Number(nextRandom(random) < rate))
  const drawn = Array.from({ length: items }, () => {
    const rate = 0.3 + 0.4 * nextRandom(random)
    return { baseline: run(rate), candidate: run(rate + (nextRandom(random) < 0.5 ? 0.2 : -0.2)) }
  })
  return { baseline: drawn.map((one) => one.baseline), candidate: drawn.map((one) => one.candidate) }
}

describe('spreadOfPairs', () => {
  test('separates what repetitions remove from what they leave', () => {
    const { baseline, candidate } = drawRuns(4_000, 3)
    const found = spreadOfPairs(baseline, candidate)
    // Differences of ±0.2 between the items; within: E p(1 − p) of both, 0.2367 + 0.2367 − 0.04.
    expect(Math.abs((found?.between ?? 0) - 0.04)).toBeLessThan(0.006)
    expect(Math.abs((found?.within ?? 0) - 0.4333)).toBeLessThan(0.012)
  })

  test('of single repetitions, or of few items, is not known', () => {
    const once = drawRuns(50, 1)
    expect(spreadOfPairs(once.baseline, once.candidate)).toBeUndefined()
    const few = drawRuns(9, 3)
    expect(spreadOfPairs(few.baseline, few.candidate)).toBeUndefined()
    expect(spreadOfRun(few.baseline)).toBeUndefined()
  })

  test('of one run has twice its variance within items, and half of that between them', () => {
    const { baseline } = drawRuns(500, 3)
    const components = varianceComponents(baseline)
    const found = spreadOfRun(baseline)
    expect(found?.within).toBeCloseTo(2 * (components?.within ?? NaN), 12)
    expect(found?.between).toBeCloseTo(0.5 * (components?.between ?? NaN), 12)
  })
})

describe('detectableByRepetitions', () => {
  test('of 200 items, where 18 of 100 pairs differ, by hand', () => {
    const rows = detectableByRepetitions(ASSUMED_SPREAD, {
      items: 200,
      candidates: 1,
      looks: 'one',
      repetitions: [1, 2, 3, 5],
    })
    expect(rows.map(({ repetitions }) => repetitions)).toEqual([1, 2, 3, 5])
    // (1.960 + 0.842) · √(0.18 / 200) and √(0.068 / 200)
    expect(rows[0]?.difference).toBeCloseTo(0.08405, 4)
    expect(rows[3]?.difference).toBeCloseTo(0.05166, 4)
  })

  test('falls with repetitions and items, and rises with candidates and looks', () => {
    const spreads = fc.record({
      between: fc.double({ min: 0, max: 0.2, noNaN: true }),
      within: fc.double({ min: 1e-3, max: 0.3, noNaN: true }),
    })
    fc.assert(
      fc.property(
        spreads,
        fc.integer({ min: 50, max: 2_000 }),
        fc.integer({ min: 1, max: 48 }),
        (spread, items, candidates) => {
          const of = (planned: Partial<Parameters<typeof detectableByRepetitions>[1]>) =>
            detectableByRepetitions(spread, {
              items,
              candidates,
              looks: 'one',
              repetitions: [1, 2, 3, 5],
              ...planned,
            }).map(({ difference }) => difference ?? Infinity)
          const found = of({})
          expect(found.toSorted((a, b) => b - a)).toEqual(found)
          for (const [index, difference] of found.entries()) {
            expect(of({ items: 2 * items })[index]).toBeLessThanOrEqual(difference)
            expect(of({ candidates: candidates + 1 })[index]).toBeGreaterThanOrEqual(difference)
            expect(of({ looks: 'unplanned' })[index]).toBeGreaterThanOrEqual(difference)
          }
        },
      ),
    )
  })

  test('is null if not even the whole scale would be detected', () => {
    const rows = detectableByRepetitions(
      { between: 0.5, within: 0.5 },
      { items: 5, candidates: 1, looks: 'one', repetitions: [1] },
    )
    expect(rows[0]).toEqual({ repetitions: 1, difference: null })
  })
})
