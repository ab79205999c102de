import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lookSizes, seededOrder } from '../../src/statistics/sequential/look-order.ts'

const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 40 })

describe('seededOrder', () => {
  test('has every item once, in the same order for every order that they are given in', () => {
    fc.assert(
      fc.property(ids, fc.string(), (items, seed) => {
        const order = seededOrder(items, { seed })
        expect(order.toSorted()).toEqual(items.toSorted())
        expect(seededOrder(items.toReversed(), { seed })).toEqual(order)
      }),
    )
  })

  test('keeps the items of a group together', () => {
    fc.assert(
      fc.property(ids, fc.string(), (items, seed) => {
        const groupOf = (item: string) => item.slice(0, 1)
        const groups = seededOrder(items, { seed, groupOf }).map(groupOf)
        const changes = groups.filter((group, index) => index > 0 && group !== groups[index - 1]).length
        expect(changes).toBe(Math.max(0, new Set(groups).size - 1))
      }),
    )
  })

  test('puts each item first equally often: otherwise the first look is no random sample', () => {
    const items = ['a', 'b', 'c', 'd']
    const counts = new Map<string, number>()
    for (let seed = 0; seed < 2_000; seed += 1) {
      const [first = ''] = seededOrder(items, { seed: `${seed}` })
      counts.set(first, (counts.get(first) ?? 0) + 1)
    }
    // 500 each; five standard errors are 97.
    for (const item of items) expect(Math.abs((counts.get(item) ?? 0) - 500)).toBeLessThan(97)
  })
})

describe('lookSizes', () => {
  test.each([
    { items: 200, sizes: [20, 40, 60, 80, 100, 120, 140, 160, 180, 200] },
    { items: 25, sizes: [10, 13, 15, 18, 20, 23, 25] },
    { items: 10, sizes: [10] },
    { items: 9, sizes: [] },
  ])('$items items have looks after $sizes', ({ items, sizes }) => {
    expect(lookSizes(items)).toEqual(sizes)
  })
})
