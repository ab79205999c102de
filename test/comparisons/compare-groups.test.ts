import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inflatePower } from '../../src/comparisons/evidence/comparison-power.ts'
import type { CompareOptions } from '../../src/comparisons/evidence/evidence.ts'
import { comparePairs, type ValuePair } from './compare-pairs.ts'

const BINARY = { kind: 'binary', scale: [0, 1], higherIsBetter: true, seed: 'seed', order: 'as given' } as const
const SCORE: CompareOptions = { ...BINARY, kind: 'numeric', scale: [0, 5] }
const groupOf = (itemId: string) => itemId.slice(0, 2)

const itemIdOf = (place: number, perGroup: number) =>
  `${String(Math.floor(place / perGroup)).padStart(2, '0')}:${String(place % perGroup).padStart(2, '0')}`

function pairsOf(count: number, perGroup: number, values: (place: number) => [number, number]): ValuePair[] {
  return Array.from({ length: count }, (_, place) => {
    const [baseline, candidate] = values(place)
    return { itemId: itemIdOf(place, perGroup), baseline, candidate }
  })
}

describe('a metric of grouped items', () => {
  it('counts an item once, with the mean of its repetitions, and keeps them in its group', async () => {
    const once = pairsOf(24, 3, (place) => [place % 5, (place * 3) % 6])
    const repeated = once.flatMap((pair, place) => Array.from({ length: 1 + (place % 3) }, () => pair))
    const single = await comparePairs(once, { ...SCORE, groupOf })
    const several = await comparePairs(repeated, { ...SCORE, groupOf })
    expect(several).toMatchObject({ n: 48, items: 24, groups: 8 })
    expect(several.difference).toBeCloseTo(single.difference ?? NaN, 12)
    expect(several.designEffect).toBeCloseTo(single.designEffect ?? NaN, 12)
    expect(several.ci?.[0]).toBeCloseTo(single.ci?.[0] ?? NaN, 12)
    expect(several.test?.p).toBeCloseTo(single.test?.p ?? NaN, 12)
  })

  it('has nearly the numbers of independent items if every item is a group by itself', async () => {
    const pairs = pairsOf(99, 1, (place) => [place % 2, place % 3 === 0 ? 1 : 0])
    const alone = await comparePairs(pairs, BINARY)
    const grouped = await comparePairs(pairs, { ...BINARY, groupOf })
    expect(grouped).toMatchObject({ groups: 99, difference: alone.difference })
    expect(grouped.designEffect).toBeCloseTo(1, 10)
    expect(grouped.test?.p).toBeCloseTo(alone.test?.p ?? NaN, 10)
    expect(grouped.ci?.[0]).toBeCloseTo(alone.ci?.[0] ?? NaN, 2)
    expect(grouped.ci?.[1]).toBeCloseTo(alone.ci?.[1] ?? NaN, 2)
  })

  it('has an interval although nothing changed, wider than without groups', async () => {
    const pairs = pairsOf(60, 6, () => [1, 1])
    const [alone, grouped] = [await comparePairs(pairs, BINARY), await comparePairs(pairs, { ...BINARY, groupOf })]
    expect(grouped).toMatchObject({ difference: 0, designEffect: null, test: null })
    expect(grouped.ci?.[1]).toBeGreaterThan(2 * (alone.ci?.[1] ?? NaN))
    const scores = pairsOf(60, 6, () => [3, 3.5])
    expect(await comparePairs(scores, { ...SCORE, groupOf })).toMatchObject({
      difference: 0.5,
      method: expect.stringMatching(/^no spread/),
    })
  })

  it('stays within the scale and is exactly symmetric, for any values', async () => {
    const value = fc.integer({ min: 0, max: 5 })
    const values = fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(values, async (given) => {
        const pairs = pairsOf(given.length, 4, (place) => given[place] ?? [0, 0])
        const swapped = pairs.map(({ itemId, baseline, candidate }) => ({
          itemId,
          baseline: candidate,
          candidate: baseline,
        }))
        const there = await comparePairs(pairs, { ...SCORE, groupOf })
        const back = await comparePairs(swapped, { ...SCORE, groupOf, order: 'reversed' })
        const [low, high] = there.ci ?? [0, 0]
        expect(low).toBeGreaterThanOrEqual(-5)
        expect(high).toBeLessThanOrEqual(5)
        expect(back.ci ?? [0, 0]).toEqual([0 - high, 0 - low])
        expect(back.test?.p).toBe(there.test?.p)
        expect(back.designEffect).toBe(there.designEffect)
      }),
    )
  })
})

describe('the power of grouped items', () => {
  const power = { detectableDifference: 0.1, casesFor: { difference: 0.07, cases: 400 } }

  it('detects a difference that is larger by the root of the factor, with as many times the items', () => {
    const inflated = inflatePower(power, { factor: 4, margin: undefined, most: 1 })
    expect(inflated.detectableDifference).toBeCloseTo(0.2, 12)
    expect(inflated.casesFor).toEqual({ difference: 0.1, cases: Math.ceil(1_600 * 0.49) })
    const margin = { difference: 0.05, cases: 800 }
    expect(inflatePower({ ...power, casesFor: margin }, { factor: 4, margin: 0.05, most: 1 }).casesFor).toEqual({
      difference: 0.05,
      cases: 3_200,
    })
  })

  it('is unknown if no difference of the scale would be detected, or if it was unknown', () => {
    const unknown = { detectableDifference: null, casesFor: null }
    expect(inflatePower(power, { factor: 400, margin: undefined, most: 1 })).toEqual(unknown)
    expect(inflatePower(unknown, { factor: 4, margin: undefined, most: 1 })).toEqual(unknown)
  })
})
