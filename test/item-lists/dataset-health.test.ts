// @module-tag sql
import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { addRun, rowsOf, type SeededDataset, seedDataset } from './seed-dataset.ts'

const QUESTION = 'Do you ship spare batteries for the cargo bike to Switzerland or to Norway in the winter?'

describeEachEngine('GET …/datasets/:datasetId/health', (app) => {
  async function read({ client, dataset, items }: SeededDataset) {
    const { status, text, body } = await client.get(`${dataset}/health`)
    expect(status, text).toBe(200)
    const checks: { check: string; count: number; itemIds: string[] }[] = Object(body.checks)
    for (const { check, count, itemIds } of checks) {
      const rows = rowsOf((await client.get(`${dataset}/item-rows?sort=oldest&filter=${check}`)).body)
      expect(
        rows.map(({ id }) => id),
        check,
      ).toEqual(itemIds)
      expect(count).toBe(itemIds.length)
    }
    return {
      nearDuplicates: body.nearDuplicates,
      found: Object.fromEntries(checks.map(({ check, itemIds }) => [check, itemIds.map((id) => items.indexOf(id))])),
    }
  }

  it('finds duplicates, near-duplicates, conflicts, unused items and those without an expected output', async () => {
    const seeded = await seedDataset(app(), [
      { input: QUESTION, expected: 'No' },
      { input: { messages: [{ role: 'user', content: QUESTION }] }, expected: 'Yes' },
      { input: 'do you ship spare batteries for the cargo bike to Switzerland, or to Norway in the Winter' },
      { input: 'Which child seat fits the Cargo 2?', expected: 'Thule' },
      { input: ' Which child seat fits the Cargo 2? ', expected: 'Thule ' },
      { input: 'Something else entirely, about a helmet', expected: '' },
    ])
    await addRun(seeded, 'v1', ['No', undefined, undefined, 'Thule', undefined, undefined])
    const { found, nearDuplicates } = await read(seeded)
    expect(found).toEqual({
      duplicates: [0, 1, 3, 4],
      near_duplicates: [0, 2],
      conflicts: [0, 1],
      without_expected: [2, 5],
      never_run: [1, 2, 4, 5],
      test_read: [],
    })
    const [a, , c] = seeded.items
    expect(nearDuplicates).toMatchObject({ compared: 4, isComplete: true, pairs: [{ id: c, similarTo: a }] })
  })

  it('finds a near-duplicate again after an edit has made it different', async () => {
    const seeded = await seedDataset(app(), [
      { input: QUESTION },
      { input: `${QUESTION}!` },
      { input: `${QUESTION} X` },
    ])
    expect((await read(seeded)).found.near_duplicates).toEqual([0, 1, 2])
    await seeded.client.patch(`${seeded.dataset}/items/${seeded.items[2]}`, { input: 'quite another thing to ask' })
    expect((await read(seeded)).found.near_duplicates).toEqual([0, 1])
  })

  it('has the test items that an evaluation has read, and no others', async () => {
    const seeded = await seedDataset(app(), [
      { input: 'a', expected: '1', split: 'test' },
      { input: 'b', expected: '2', split: 'test' },
      { input: 'c', expected: '3', split: 'train' },
    ])
    expect((await read(seeded)).found.test_read).toEqual([])
    await addRun(seeded, 'v1', ['1', undefined, '3'])
    expect((await read(seeded)).found.test_read).toEqual([0])
  })

  it('is complete within a request for 10,000 items of one template', { tags: 'deep' }, async () => {
    const seeded = await seedDataset(app(), [])
    const lines = Array.from({ length: 10_000 }, (_, place) =>
      JSON.stringify({ input: `What is the status of order number ${place} of the customer ${place % 97} today?` }),
    )
    const headers = { 'content-type': 'application/jsonl' }
    const sent = { body: lines.join('\n'), headers }
    expect((await seeded.client.send('POST', `${seeded.dataset}/import`, sent)).status).toBe(200)
    const { status, body } = await seeded.client.get(`${seeded.dataset}/health`)
    expect(status).toBe(200)
    expect(body.nearDuplicates).toMatchObject({ compared: 10_000, isComplete: true })
    const { body: contents } = await seeded.client.get(`${seeded.dataset}/contents`)
    expect(contents).toMatchObject({ items: 10_000, sources: { trace: 0, import: 10_000, hand: 0 } })
  })
})
