import { describe, expect, test } from 'vitest'
import { logChoose } from '../../src/statistics/distributions.ts'
import { nextBinomial, resampleCounts } from '../../src/statistics/random/random-binomial.ts'
import { seededRandom } from '../../src/statistics/random/seeded-random.ts'

const draws = 40_000

describe('nextBinomial', () => {
  // Either side of the ten expected successes where the method changes, and of one half, where it is mirrored.
  test.each([
    { n: 1, p: 0.3 },
    { n: 12, p: 0.5 },
    { n: 30, p: 0.33 },
    { n: 31, p: 0.33 },
    { n: 40, p: 0.9 },
    { n: 100, p: 0.02 },
    { n: 200, p: 0.5 },
    { n: 5_000, p: 0.01 },
    { n: 100_000, p: 0.7 },
  ])('$n trials with probability $p have the binomial probabilities', ({ n, p }) => {
    const random = seededRandom(`binomial ${n} ${p}`)
    const counts = new Map<number, number>()
    for (let draw = 0; draw < draws; draw++) {
      const successes = nextBinomial(random, n, p)
      counts.set(successes, (counts.get(successes) ?? 0) + 1)
    }
    const { chiSquared, cells } = compare(counts, n, p)
    // Mean cells − 1, standard deviation √(2 cells): five deviations, fixed by the seed.
    expect(chiSquared).toBeLessThan(cells + 5 * Math.sqrt(2 * cells))
    expect([...counts.keys()].every((k) => Number.isInteger(k) && k >= 0 && k <= n)).toBe(true)
  })

  test('no trials, no chance and certainty need no luck', () => {
    const random = seededRandom('edges')
    expect(nextBinomial(random, 0, 0.5)).toBe(0)
    expect(nextBinomial(random, 9, 0)).toBe(0)
    expect(nextBinomial(random, 9, 1)).toBe(9)
  })
})

describe('resampleCounts', () => {
  test('draws as many as there are, each kind as often on average as it is there', () => {
    const random = seededRandom('counts')
    const counts = Float64Array.of(50, 0, 3, 200, 1)
    const drawn = new Float64Array(5)
    const sums = new Float64Array(5)
    for (let round = 0; round < 5_000; round++) {
      resampleCounts(random, counts, drawn)
      expect(drawn.reduce((sum, count) => sum + count, 0)).toBe(254)
      for (const [kind, count] of drawn.entries()) sums[kind] = (sums[kind] ?? 0) + count
    }
    for (const [kind, count] of counts.entries()) {
      expect(Math.abs((sums[kind] ?? 0) / 5_000 - count)).toBeLessThanOrEqual(0.05 * Math.sqrt(count) + 0)
    }
  })
})

/** χ² over the outcomes that are expected ten times or more, the rest in one cell. */
function compare(counts: ReadonlyMap<number, number>, n: number, p: number): { chiSquared: number; cells: number } {
  let chiSquared = 0
  let cells = 0
  let restExpected = draws
  let restSeen = draws
  for (let k = 0; k <= n; k++) {
    const expected = draws * Math.exp(logChoose(n, k) + k * Math.log(p) + (n - k) * Math.log(1 - p))
    if (expected < 10) continue
    const seen = counts.get(k) ?? 0
    chiSquared += (seen - expected) ** 2 / expected
    cells += 1
    restExpected -= expected
    restSeen -= seen
  }
  if (restExpected > 1) chiSquared += (restSeen - restExpected) ** 2 / restExpected
  return { chiSquared, cells: cells + 1 }
}
