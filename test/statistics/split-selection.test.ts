import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runInSlices } from '../../src/base/event-loop.ts'
import { nextRandom, type RandomState, seededRandom } from '../../src/statistics/random/seeded-random.ts'
import { expectedGainOfBest as expectedGainOfBestSlices } from '../../src/statistics/split-selection.ts'
import { inOneGo } from './in-one-go.ts'

const expectedGainOfBest = inOneGo(expectedGainOfBestSlices)

function candidates(random: RandomState, gains: readonly number[], items: number): Float64Array[] {
  return gains.map((gain) => Float64Array.from({ length: items }, () => gain + nextRandom(random) - 0.5))
}

describe('expectedGainOfBest', () => {
  test('two items have two splits, whose means are computed by hand', () => {
    // The best of item 1 is B, which has −1 in item 2; the best of item 2 is A, which has 0 in item 1.
    const gains = [Float64Array.of(0, 3), Float64Array.of(2, -1)]
    expect(expectedGainOfBest(gains, { seed: 'seed' })).toBeCloseTo((-1 + 0) / 2, 12)
  })

  test('of ten equal candidates it is no gain on average, although the best one has one', () => {
    const simulations = 60
    let [expected, best] = [0, 0]
    for (let simulation = 0; simulation < simulations; simulation += 1) {
      const gains = candidates(seededRandom(`equal ${simulation}`), new Array<number>(10).fill(0), 100)
      expected += expectedGainOfBest(gains, { seed: `${simulation}`, splits: 50 }) ?? NaN
      best += Math.max(...gains.map((one) => one.reduce((sum, gain) => sum + gain, 0) / one.length))
    }
    expect(Math.abs(expected / simulations)).toBeLessThan(0.012)
    expect(best / simulations).toBeGreaterThan(0.035)
  })

  test('of one candidate is the mean gain, and of a clear winner as well', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 2, maxLength: 40 }), (gains) => {
        // Of an odd number of items both halves count the same, so that only even ones have exactly the mean.
        const even = gains.length % 2 === 0 ? gains : gains.slice(1)
        if (even.length < 2) return
        const mean = even.reduce((sum, gain) => sum + gain, 0) / even.length
        expect(expectedGainOfBest([Float64Array.from(even)], { seed: 's' })).toBeCloseTo(mean, 9)
      }),
    )
    const clear = candidates(seededRandom('clear'), [0, 0.5, -0.5], 100)
    const winner = clear[1] ?? new Float64Array()
    const mean = winner.reduce((sum, gain) => sum + gain, 0) / winner.length
    expect(expectedGainOfBest(clear, { seed: 's' })).toBeCloseTo(mean, 9)
  })

  test('pauses change nothing; one item, or no candidate, has no expectation', async () => {
    const gains = candidates(seededRandom('x'), [0, 0.1], 30)
    expect(await runInSlices(expectedGainOfBestSlices(gains, { seed: 's' }))).toBe(
      expectedGainOfBest(gains, { seed: 's' }),
    )
    expect(expectedGainOfBest([Float64Array.of(1)], { seed: 's' })).toBeUndefined()
    expect(expectedGainOfBest([], { seed: 's' })).toBeUndefined()
    expect(() => expectedGainOfBest([Float64Array.of(1, 2), Float64Array.of(1)], { seed: 's' })).toThrow(RangeError)
  })
})
