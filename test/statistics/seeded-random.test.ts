import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fnv1a64, nextRandom, nextUint32, seededRandom, splitMix64 } from '../../src/statistics/random/seeded-random.ts'

describe('seededRandom', () => {
  // Test vector of the crate rand_xoshiro (Xoshiro128StarStar), made with the reference implementation of Blackman & Vigna.
  test('the generator is xoshiro128** and nothing that only looks like it', () => {
    const state = { a: 1, b: 2, c: 3, d: 4 }
    expect(Array.from({ length: 10 }, () => nextUint32(state))).toEqual([
      11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597, 4258142804,
    ])
  })

  // Test vector of splitmix64.c by Vigna, as printed by Rosetta Code, "Pseudo-random numbers/Splitmix64".
  test('the seed is spread by SplitMix64', () => {
    const next = splitMix64(1234567n)
    expect(Array.from({ length: 5 }, next)).toEqual([
      6457827717110365317n,
      3203168211198807973n,
      9817491932198370423n,
      4593380528125082431n,
      16408922859458223821n,
    ])
  })

  // Test vectors of the FNV reference code (test_fnv.c; RFC 9923).
  test('the seed is hashed by FNV-1a', () => {
    expect(fnv1a64('')).toBe(0xcbf29ce484222325n)
    expect(fnv1a64('a')).toBe(0xaf63dc4c8601ec8cn)
    expect(fnv1a64('foobar')).toBe(0x85944171f73967e8n)
  })

  test('a seed gives the numbers it gave in the first release', () => {
    const state = seededRandom('touchstone')
    expect(Array.from({ length: 4 }, () => nextUint32(state))).toEqual([1391786213, 1158347750, 1603160250, 3492179400])
  })

  test('the same seed gives the same numbers, another seed gives others', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
        expect(numbers(a)).toEqual(numbers(a))
        if (a !== b) expect(numbers(a)).not.toEqual(numbers(b))
      }),
    )
  })

  test('numbers are at least 0, below 1 and evenly spread, also for seeds that differ in one character', () => {
    const counts = new Map<number, number>()
    for (let seed = 0; seed < 1_000; seed++) {
      for (const number of numbers(`run-${seed}`, 100)) {
        const hundredth = Math.floor(number * 100)
        counts.set(hundredth, (counts.get(hundredth) ?? 0) + 1)
      }
    }
    expect([...counts.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, i) => i))
    // χ² with 99 degrees of freedom: beyond 150 once in 1,500 even generators; this one is fixed by its seeds.
    const chiSquared = [...counts.values()].reduce((sum, count) => sum + (count - 1_000) ** 2 / 1_000, 0)
    expect(chiSquared).toBeLessThan(150)
  })
})

function numbers(seed: string, length = 8): number[] {
  const state = seededRandom(seed)
  return Array.from({ length }, () => nextRandom(state))
}
