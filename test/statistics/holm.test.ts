import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { holmAdjusted } from '../../src/statistics/paired-tests.ts'

const ps = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 })

describe('holmAdjusted', () => {
  test.each([
    // Recomputed by hand from Holm's steps: 4 × 0.01, 3 × 0.02, then never less than the one before.
    { given: [0.01, 0.02, 0.03, 0.04], adjusted: [0.04, 0.06, 0.06, 0.06] },
    { given: [0.04, 0.01, 0.03], adjusted: [0.06, 0.03, 0.06] },
    { given: [0.5, 0.9], adjusted: [1, 1] },
    { given: [0.2], adjusted: [0.2] },
    { given: [], adjusted: [] },
  ])('$given becomes $adjusted, in the order given', ({ given, adjusted }) => {
    expect(holmAdjusted(given).map((p) => Number(p.toFixed(12)))).toEqual(adjusted)
  })

  test('rejects at any level exactly the hypotheses that the sequential procedure of Holm rejects', () => {
    fc.assert(
      fc.property(ps, fc.double({ min: 0.001, max: 0.5, noNaN: true }), (given, level) => {
        const ascending = given.toSorted((a, b) => a - b)
        const firstKept = ascending.findIndex((p, rank) => (given.length - rank) * p > level)
        const rejected = firstKept === -1 ? given.length : firstKept
        expect(holmAdjusted(given).filter((p) => p <= level)).toHaveLength(rejected)
      }),
    )
  })

  test('never makes a p smaller nor larger than Bonferroni, and keeps their order', () => {
    fc.assert(
      fc.property(ps, (given) => {
        const adjusted = holmAdjusted(given)
        for (const [place, p] of given.entries()) {
          expect(adjusted[place]).toBeGreaterThanOrEqual(p)
          expect(adjusted[place]).toBeLessThanOrEqual(Math.min(1, given.length * p))
        }
        const byGiven = adjusted.map((p, place) => [given[place] ?? 0, p] as const).sort(([a], [b]) => a - b)
        expect(byGiven.map(([, p]) => p)).toEqual(adjusted.toSorted((a, b) => a - b))
      }),
    )
  })

  test.each([[[NaN]], [[-0.1]], [[0.5, 1.1]]])('%j is rejected', (given) => {
    expect(() => holmAdjusted(given)).toThrow(RangeError)
  })
})
