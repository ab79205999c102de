import { describe, expect, test } from 'vitest'
import { nextBeta, nextGamma } from '../../src/statistics/random/random-beta.ts'
import { seededRandom } from '../../src/statistics/random/seeded-random.ts'

const draws = 20_000
/** Kolmogorov's bound that one fair sample in 1,000 exceeds: 1.95 / √n. The seeds fix these samples. */
const distanceMax = 1.95 / Math.sqrt(draws)

describe('nextBeta', () => {
  test.each([
    // Beta(½, ½) is the arcsine distribution; Beta(a, 1) is xᵃ; Beta(2, 2) is 3x² − 2x³.
    { a: 0.5, b: 0.5, cdf: (x: number) => (2 / Math.PI) * Math.asin(Math.sqrt(x)) },
    { a: 20.5, b: 1, cdf: (x: number) => x ** 20.5 },
    { a: 1, b: 0.5, cdf: (x: number) => 1 - Math.sqrt(1 - x) },
    { a: 2, b: 2, cdf: (x: number) => 3 * x ** 2 - 2 * x ** 3 },
  ])('Beta($a, $b) has its distribution', ({ a, b, cdf }) => {
    const random = seededRandom(`beta ${a} ${b}`)
    const drawn = Float64Array.from({ length: draws }, () => nextBeta(random, a, b))
    expect(distance(drawn, cdf)).toBeLessThan(distanceMax)
  })
})

describe('nextGamma', () => {
  test.each([
    { shape: 1, cdf: (x: number) => 1 - Math.exp(-x) },
    { shape: 3, cdf: (x: number) => 1 - Math.exp(-x) * (1 + x + x ** 2 / 2) },
  ])('Γ($shape) has its distribution', ({ shape, cdf }) => {
    const random = seededRandom(`gamma ${shape}`)
    const drawn = Float64Array.from({ length: draws }, () => nextGamma(random, shape))
    expect(distance(drawn, cdf)).toBeLessThan(distanceMax)
  })
})

/** The greatest difference between the distribution of a sample and the one it should have. */
function distance(sample: Float64Array, cdf: (x: number) => number): number {
  return sample
    .sort()
    .reduce((greatest, x, place) => Math.max(greatest, Math.abs(cdf(x) - (place + 0.5) / sample.length)), 0)
}
