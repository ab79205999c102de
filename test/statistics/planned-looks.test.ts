import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normalQuantile } from '../../src/statistics/distributions.ts'
import { nextRandom, seededRandom } from '../../src/statistics/random/seeded-random.ts'
import { plannedLookLevels, plannedLooksInflation } from '../../src/statistics/sequential/planned-looks.ts'

describe('plannedLookLevels', () => {
  test('has the published boundaries of five equal looks', () => {
    // Lan & DeMets with O'Brien and Fleming's spending, two-sided 5 %: Jennison & Turnbull (2000), and R's ldbounds.
    const z = plannedLookLevels([0.2, 0.4, 0.6, 0.8, 1]).map((level) => -normalQuantile(level / 2))
    expect(z.map((one) => one.toFixed(3))).toEqual(['4.877', '3.357', '2.680', '2.290', '2.031'])
  })

  test('has the level of a single test if there is one look', () => {
    expect(plannedLookLevels([1])[0]).toBeCloseTo(0.05, 12)
  })

  test('does not depend on looks that come later', () => {
    const [first, second] = plannedLookLevels([0.3, 0.5])
    const all = plannedLookLevels([0.3, 0.5, 0.9, 1])
    expect(all.slice(0, 2)).toEqual([first, second])
  })

  test('never spends more in one look than in all, and leaves most for the last', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 99 }), { minLength: 1, maxLength: 5 }), (percents) => {
        const shares = [...percents.sort((a, b) => a - b).map((percent) => percent / 100), 1]
        for (const level of plannedLookLevels(shares)) {
          expect(level).toBeGreaterThanOrEqual(0)
          expect(level).toBeLessThan(0.05)
        }
        expect(plannedLookLevels(shares).at(-1)).toBeGreaterThan(0.02)
      }),
      { numRuns: 15 },
    )
  })

  test('has a level that rises with that of the whole series, as Holm’s correction needs', () => {
    for (const shares of [[0.002], [0.002, 0.012, 0.1, 0.3], [0.5, 0.51, 1]]) {
      const levels = [0.00025, 0.005, 0.025, 0.05].map((alpha) => plannedLookLevels(shares, alpha).at(-1) ?? 0)
      expect(levels).toEqual(levels.toSorted((a, b) => a - b))
      expect(levels[0]).toBeGreaterThanOrEqual(1e-6)
    }
  })
})

describe('plannedLooksInflation', () => {
  test('is 1 for a single look, and just below that of O’Brien and Fleming’s own boundaries', () => {
    expect(plannedLooksInflation(1)).toBe(1)
    // Jennison & Turnbull (2000), table 2.4, two-sided 5 %, power 0.8: 1.008, 1.028, 1.040 and 1.047.
    const published = { 2: 1.008, 5: 1.028, 10: 1.04, 20: 1.047 }
    for (const [looks, inflation] of Object.entries(published)) {
      expect(plannedLooksInflation(Number(looks))).toBeLessThan(inflation)
      expect(plannedLooksInflation(Number(looks))).toBeGreaterThan(inflation - 0.005)
    }
  })

  test('finds a difference in 80 of 100 simulated series of five looks', () => {
    const levels = plannedLookLevels([0.2, 0.4, 0.6, 0.8, 1])
    const boundaries = levels.map((level, look) => -normalQuantile(level / 2) * Math.sqrt((look + 1) / 5))
    const drift = (normalQuantile(0.975) + normalQuantile(0.8)) * Math.sqrt(plannedLooksInflation(5))
    const random = seededRandom('inflation')
    let found = 0
    for (let series = 0; series < 10_000; series += 1) {
      let sum = 0
      const isFound = boundaries.some((boundary) => {
        sum += drift / 5 + normalQuantile(nextRandom(random) + 2 ** -33) * Math.sqrt(1 / 5)
        return sum > boundary
      })
      if (isFound) found += 1
    }
    expect(found / 10_000).toBeCloseTo(0.8, 2)
  })
})
