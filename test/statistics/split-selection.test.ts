import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runInSlices } from '../../src/base/event-loop.ts'
import { nextRandom, type RandomState, seededRandom } from '../../src/statistics/random/seeded-random.ts'
import {
  expectedGainOfBest as expectedGainOfBestSlices,
  expectedOnNewItems as expectedOnNewItemsSlices,
} from '../../src/statistics/split-selection.ts'
import { runs } from '../harness/stage.ts'
import { countPauses, inOneGo } from './in-one-go.ts'

const expectedGainOfBest = inOneGo(expectedGainOfBestSlices)
const expectedOnNewItems = inOneGo(expectedOnNewItemsSlices)

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

describe('expectedOnNewItems', () => {
  const ten = candidates(seededRandom('ten'), [0.1, ...new Array<number>(9).fill(0)], 100)

  test('is the expectation of the best, in the middle of its interval, and the same for the same seed', () => {
    const found = expectedOnNewItems(ten, { seed: 's' })
    expect(found).toEqual(expectedOnNewItems(ten, { seed: 's' }))
    expect(found?.difference).toBe(expectedGainOfBest(ten, { seed: 's' }))
    const [low, high] = found?.interval ?? [NaN, NaN]
    expect((low + high) / 2).toBeCloseTo(found?.difference ?? NaN, 12)
  })

  test('of one candidate has nearly the interval of its mean', () => {
    const [gains = new Float64Array()] = candidates(seededRandom('one'), [0.2], 400)
    const mean = gains.reduce((sum, gain) => sum + gain, 0) / 400
    const standardError = Math.sqrt(gains.reduce((sum, gain) => sum + (gain - mean) ** 2, 0) / 399 / 400)
    const [low, high] = expectedOnNewItems([gains], { seed: 's' })?.interval ?? [NaN, NaN]
    // 100 samples have a standard error of 7 %.
    expect(Math.abs((high - low) / (2 * 1.96 * standardError) - 1)).toBeLessThan(0.2)
  })

  test('contains no gain of ten equal candidates, although the best one has one', { tags: 'sized' }, () => {
    const simulations = runs(160)
    let [covered, plain] = [0, 0]
    for (let simulation = 0; simulation < simulations; simulation += 1) {
      const gains = candidates(seededRandom(`equal ${simulation}`), new Array<number>(10).fill(0), 60)
      const [low, high] = expectedOnNewItems(gains, { seed: `${simulation}` })?.interval ?? [NaN, NaN]
      covered += Number(low <= 0 && 0 <= high)
      const best = Math.max(...gains.map((one) => one.reduce((sum, gain) => sum + gain, 0) / 60))
      plain += Number(best - 1.96 * Math.sqrt(1 / 12 / 60) > 0)
    }
    expect(covered / simulations).toBeGreaterThan(0.85)
    expect(plain / simulations).toBeGreaterThan(0.08)
  })

  test('adding the same to all gains moves the interval by it', () => {
    fc.assert(
      fc.property(fc.integer({ min: -8, max: 8 }), (shift) => {
        const moved = ten.map((one) => one.map((gain) => gain + shift / 8))
        const [found, expected] = [moved, ten].map((gains) => expectedOnNewItems(gains, { seed: 's' }))
        expect((found?.difference ?? NaN) - shift / 8).toBeCloseTo(expected?.difference ?? NaN, 9)
        expect((found?.interval?.[0] ?? NaN) - shift / 8).toBeCloseTo(expected?.interval?.[0] ?? NaN, 9)
      }),
      { numRuns: 5 },
    )
  })

  test('49 candidates of 2,000 items pause more often than they have sets of weights', { tags: 'deep' }, () => {
    const gains = candidates(seededRandom('large'), new Array<number>(49).fill(0), 2_000)
    expect(countPauses(expectedOnNewItemsSlices(gains, { seed: 's' }))).toBeGreaterThan(100)
  })

  test('gains that are equal in all items have no interval, because one of zero width would claim certainty', () => {
    for (const gain of [0, 0.1]) {
      const equal = [new Float64Array(30).fill(gain), new Float64Array(30)]
      const found = expectedOnNewItems(equal, { seed: 's' })
      expect(found?.difference).toBeCloseTo(gain, 12)
      expect(found?.interval).toBeUndefined()
    }
  })

  test('fewer than ten items, or no candidate, have none', () => {
    expect(expectedOnNewItems([new Float64Array(9)], { seed: 's' })).toBeUndefined()
    expect(expectedOnNewItems([], { seed: 's' })).toBeUndefined()
  })
})
