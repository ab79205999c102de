import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { comparePairs, judge, type ValuePair } from './compare-pairs.ts'

const BINARY = { kind: 'binary', scale: [0, 1], higherIsBetter: true } as const
const SCORE = { kind: 'numeric', scale: [0, 5], higherIsBetter: true } as const
const groupOf = (itemId: string) => itemId.slice(0, 2)

function pairsOf(count: number, perGroup: number, values: (place: number) => [number, number]): ValuePair[] {
  return Array.from({ length: count }, (_, place) => {
    const [baseline, candidate] = values(place)
    const group = String(Math.floor(place / perGroup)).padStart(2, '0')
    return { itemId: `${group}:${String(place % perGroup).padStart(2, '0')}`, baseline, candidate }
  })
}

describe('a metric of grouped items', () => {
  it('has the numbers of independent items if every item is a group by itself', async () => {
    const pairs = pairsOf(99, 1, (place) => [(place % 7) / 2, (place % 11) / 4])
    const alone = judge(await comparePairs(pairs, SCORE), SCORE)
    const grouped = judge(await comparePairs(pairs, { ...SCORE, groupOf }), SCORE)
    expect(grouped).toMatchObject({ groups: 99, difference: alone.difference })
    expect(grouped.designEffect).toBeCloseTo(1, 10)
    expect(grouped.test?.p).toBeCloseTo(alone.test?.p ?? NaN, 8)
    expect(grouped.ci).toEqual(alone.ci?.map((end) => expect.closeTo(end, 8)))
  })

  it('has an interval although nothing changed, wider than without groups', async () => {
    const pairs = pairsOf(60, 6, () => [1, 1])
    const alone = judge(await comparePairs(pairs, BINARY), BINARY)
    const grouped = judge(await comparePairs(pairs, { ...BINARY, groupOf }), BINARY)
    expect(grouped).toMatchObject({ difference: 0, designEffect: null, test: { p: 1 } })
    expect(grouped.ci?.[1]).toBeGreaterThan(2 * (alone.ci?.[1] ?? NaN))
  })

  it('does not take many items of few groups for many', async () => {
    const pairs = pairsOf(200, 20, (place) => (place < 60 ? [0, 1] : [place % 2, place % 2]))
    expect(judge(await comparePairs(pairs, BINARY), BINARY).verdict).toBe('improved')
    expect(judge(await comparePairs(pairs, { ...BINARY, groupOf }), BINARY).verdict).toBe('noClearDifference')
  })

  it('stays within the scale and is exactly symmetric, for any values', async () => {
    const value = fc.integer({ min: 0, max: 5 })
    const values = fc.array(fc.tuple(value, value), { minLength: 2, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(values, async (given) => {
        const pairs = pairsOf(given.length, 4, (place) => given[place] ?? [0, 0])
        const swapped = pairs.map(({ itemId, baseline, candidate }) => ({
          itemId,
          baseline: candidate,
          candidate: baseline,
        }))
        const there = judge(await comparePairs(pairs, { ...SCORE, groupOf }), SCORE)
        const back = judge(await comparePairs(swapped, { ...SCORE, groupOf }), SCORE)
        const [low, high] = there.ci ?? [0, 0]
        expect(low).toBeGreaterThanOrEqual(-5)
        expect(high).toBeLessThanOrEqual(5)
        expect(back.ci ?? [0, 0]).toEqual([0 - high, 0 - low])
        expect(back.test?.p).toBe(there.test?.p)
      }),
      { numRuns: 50 },
    )
  })
})
