// @module-tag sql
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { distribute } from '../../src/item-lists/assign-splits.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { rowsOf, type SeededDataset, seedDataset } from './seed-dataset.ts'

async function splitsOf({ client, dataset }: SeededDataset) {
  return rowsOf((await client.get(`${dataset}/item-rows?sort=oldest`)).body).map(({ split }) => split)
}

describeEachEngine('POST …/items/bulk', (app) => {
  it('puts the named items into a split, and returns their previous split', async () => {
    const seeded = await seedDataset(app(), [
      { input: 'a', split: 'train' },
      { input: 'b' },
      { input: 'c', split: 'test' },
    ])
    const [a, b, c] = seeded.items
    const bulk = (body: object) => seeded.client.post(`${seeded.dataset}/items/bulk`, body)
    const { status, body } = await bulk({ ids: [a, b, c], set: { split: 'test' } })
    expect(status).toBe(200)
    expect(body).toEqual({
      changed: 2,
      before: [
        { split: 'train', ids: [a] },
        { split: null, ids: [b] },
      ],
    })
    expect(await splitsOf(seeded)).toEqual(['test', 'test', 'test'])
    for (const { split, ids } of Object(body.before)) await bulk({ ids, set: { split } })
    expect(await splitsOf(seeded)).toEqual(['train', null, 'test'])
  })

  it('finds the named items if their ids are in upper case', async () => {
    const seeded = await seedDataset(app(), [{ input: 'a' }])
    const ids = seeded.items.map((id) => id.toUpperCase())
    const { status, body } = await seeded.client.post(`${seeded.dataset}/items/bulk`, { ids, set: { split: 'test' } })
    expect({ status, body }).toEqual({
      status: 200,
      body: { changed: 1, before: [{ split: null, ids: seeded.items }] },
    })
  })

  it('deletes the selected items, and returns the number of remaining ones', async () => {
    const seeded = await seedDataset(app(), [{ input: 'keep' }, { input: 'drop 1' }, { input: 'drop 2' }])
    const where = { q: 'drop' }
    const { body } = await seeded.client.post(`${seeded.dataset}/items/bulk`, { where, delete: true })
    expect(body).toEqual({ changed: 2, before: [] })
    expect((await seeded.client.get(seeded.dataset)).body.itemCount).toBe(1)
    expect((await seeded.client.get(`${seeded.dataset}/contents`)).body.items).toBe(1)
  })

  it.each([
    [{ set: { split: 'test' } }, 'ids or where'],
    [{ where: {} }, 'set or delete'],
    [{ where: {}, set: { split: null }, delete: true }, 'set or delete'],
    [{ ids: ['x'], delete: true }, 'ids'],
  ])('rejects %j', async (sent, message) => {
    const { client, dataset } = await seedDataset(app(), [{ input: 'a' }])
    const { status, body } = await client.post(`${dataset}/items/bulk`, sent)
    expect([status, body.error]).toEqual([400, expect.stringContaining(message)])
  })
})

describeEachEngine('POST …/assign-splits', (app) => {
  it('distributes the items without a split by shares, keeps the others, and keeps groups together', async () => {
    const items = Array.from({ length: 20 }, (_, place) => ({
      input: `${place}`,
      metadata: { document: Math.floor(place / 2) },
      ...(place === 0 && { split: 'test' }),
    }))
    const seeded = await seedDataset(app(), items)
    await seeded.client.patch(`${seeded.dataset}/settings`, { groupBy: 'metadata.document' })
    const shares = { train: 0.6, validation: 0.2, test: 0.2 }
    const { status, body } = await seeded.client.post(`${seeded.dataset}/assign-splits`, { shares, seed: 'one' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ changed: 19, counts: { train: 12, validation: 4, test: 4 } })
    const splits = await splitsOf(seeded)
    expect(splits[0]).toBe('test')
    for (let place = 0; place < 20; place += 2) expect(splits[place]).toBe(splits[place + 1])
    const again = await seeded.client.post(`${seeded.dataset}/assign-splits`, { shares, seed: 'two', items: 'all' })
    expect(again.body).toMatchObject({ counts: { train: 12, validation: 4, test: 4 } })
  })

  it('rejects shares that do not add up to 1', async () => {
    const { client, dataset } = await seedDataset(app(), [{ input: 'a' }])
    const { status, body } = await client.post(`${dataset}/assign-splits`, { shares: { train: 0.5 } })
    expect([status, body.error]).toEqual([400, 'The shares must add up to 1'])
  })
})

describe('the distribution over splits', () => {
  it('misses no share by more than the largest group, is the same for any order, and splits no group', () => {
    const groups = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(groups, fc.string(), (sizes, seed) => {
        const items = sizes.flatMap((size, group) =>
          Array.from({ length: size }, (_, place) => ({ id: `${group}-${place}`, group: `${group}`, split: null })),
        )
        const shares = { train: 0.5, test: 0.5 }
        const found = distribute(items, shares, seed)
        const train = [...found.values()].filter((split) => split === 'train').length
        expect(Math.abs(train - items.length / 2)).toBeLessThanOrEqual(Math.max(...sizes))
        expect(new Map([...distribute(items.toReversed(), shares, seed)].sort())).toEqual(new Map([...found].sort()))
        for (const { id, group } of items) expect(found.get(id)).toBe(found.get(`${group}-0`))
      }),
    )
  })
})
