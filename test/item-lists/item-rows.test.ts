// @module-tag sql
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { runs } from '../harness/stage.ts'
import { addRun, type Row, rowsOf, type SeededDataset, seedDataset } from './seed-dataset.ts'

describeEachEngine('GET …/datasets/:datasetId/item-rows', (app) => {
  let seeded: SeededDataset
  let first: Awaited<ReturnType<typeof addRun>>
  let second: Awaited<ReturnType<typeof addRun>>

  beforeAll(async () => {
    seeded = await seedDataset(app(), [
      { input: 'one', expected: '1', split: 'train', metadata: { document: 'a' } },
      { input: 'two', expected: '2', split: 'test' },
      { input: 'three 100%', expected: '3' },
      { input: 'x'.repeat(500), expected: '4' },
    ])
    first = await addRun(seeded, 'v1', ['1', '2', 'wrong', undefined])
    second = await addRun(seeded, 'v2', ['1', 'wrong', '3', undefined])
  })

  async function read(parameters = '') {
    const { status, text, body } = await seeded.client.get(`${seeded.dataset}/item-rows${parameters}`)
    expect(status, text).toBe(200)
    return { ...body, rows: rowsOf(body), body }
  }

  it('has each item with its number, previews, split, source and the results of each run', async () => {
    const { rows, body } = await read('?sort=oldest')
    expect(rows.map(({ id }) => id)).toEqual(seeded.items)
    expect(rows.map(({ number }) => number)).toEqual([1, 2, 3, 4])
    expect(body).toMatchObject({ total: 4, nextCursor: null })
    expect(rows[0]).toMatchObject({
      input: { text: 'one', length: 3 },
      expected: { text: '1', length: 1 },
      metadata: { text: '{"document":"a"}', length: 16 },
      split: 'train',
      source: { kind: 'hand', traceId: null, traceDbId: null },
    })
    expect(rows[3]?.input).toEqual({ text: 'x'.repeat(200), length: 500 })
    const marks = rows.map(({ results }) =>
      Object(results).map(({ turned, metrics }: Row) => [turned, Object(metrics)[0]?.passed]),
    )
    expect(marks).toEqual([
      [
        [null, true],
        [null, true],
      ],
      [
        [null, true],
        ['to_fail', false],
      ],
      [
        [null, false],
        ['to_pass', true],
      ],
      [
        [null, undefined],
        [null, undefined],
      ],
    ])
  })

  it('has the runs with the mean, interval and n of the evaluation, oldest first', async () => {
    const { body } = await read()
    const columns: Row[] = Object(body.runs)
    expect(columns).toMatchObject([
      { run: { id: first.runId, name: 'v1' }, evaluationId: first.evaluationId, headline: 'right' },
      { run: { id: second.runId, name: 'v2' }, evaluationId: second.evaluationId, headline: 'right' },
    ])
    const { results } = (await seeded.client.get(`${seeded.component}/evaluations/${second.evaluationId}`)).body
    const [metric] = Object(results).metrics
    expect(Object(columns[1]?.metrics)[0]).toMatchObject({ mean: metric.mean, ci: metric.ci, n: metric.n })
  })

  it.each([
    ['q=TWO', [1]],
    ['q=100%25', [2]],
    ['q=_', []],
    ['q=4', [3]],
    ['split=train', [0]],
    ['split=none', [3, 2]],
    ['source=hand&split=test', [1]],
    ['source=import', []],
    ['filter=turned_to_fail', [1]],
    ['filter=turned_to_pass', [2]],
    ['filter=failing', [1]],
    ['filter=never_run', [3]],
    ['filter=without_expected', []],
    ['sort=turned', [1, 3, 2, 0]],
  ])('selects and orders items by %s', async (parameters, places) => {
    const { rows, body } = await read(`?${parameters}`)
    expect(rows.map(({ id }) => seeded.items.indexOf(id))).toEqual(places)
    expect(body.total).toBe(places.length)
  })

  it('has the group of an item once the dataset names the field', async () => {
    await seeded.client.patch(`${seeded.dataset}/settings`, { groupBy: 'metadata.document' })
    const { rows } = await read('?sort=oldest')
    expect(rows.map(({ group }) => group)).toEqual(['"a"', null, null, null])
    await seeded.client.patch(`${seeded.dataset}/settings`, { groupBy: null })
  })

  it('counts items by split, source and flips, and returns who changed them last', async () => {
    const { body } = await seeded.client.get(`${seeded.dataset}/contents`)
    expect(body).toMatchObject({
      items: 4,
      splits: { train: 1, validation: 0, test: 1, none: 2 },
      sources: { trace: 0, import: 0, hand: 4 },
      turnedBy: 'right',
      turnedToFail: 1,
      turnedToPass: 1,
      failing: 1,
      testSet: { openings: 2 },
      changedBy: expect.any(String),
      changedAt: expect.any(String),
    })
  })

  it('is one item with its full texts and its history', async () => {
    const id = seeded.items[3]
    const { body } = await seeded.client.get(`${seeded.dataset}/item-rows/${id}`)
    const item = (await seeded.client.get(`${seeded.dataset}/items/${id}`)).body
    expect(body).toMatchObject({ item, row: { id, number: 4 }, history: { changedAt: null, changedBy: null } })
    expect(item).toMatchObject({ input: 'x'.repeat(500) })
    await seeded.client.patch(`${seeded.dataset}/items/${id}`, { expected: '5' })
    const { history } = (await seeded.client.get(`${seeded.dataset}/item-rows/${id}`)).body
    expect(history).toMatchObject({ changedAt: expect.any(String), changedBy: Object(history).createdBy })
    await seeded.client.patch(`${seeded.dataset}/items/${id}`, { expected: '4' })
  })

  it('has each item exactly once on pages of any size, in any order, while others are added', {
    tags: 'sized',
  }, async () => {
    const { client, dataset } = await seedDataset(
      app(),
      Array.from({ length: 9 }, (_, place) => ({ input: `${place}` })),
    )
    const order = fc.constantFrom('newest', 'oldest', 'turned')
    await fc.assert(
      fc.asyncProperty(order, fc.integer({ min: 1, max: 6 }), fc.boolean(), async (sort, limit, isGrowing) => {
        const listed = (await client.list(`${dataset}/items?limit=100`)).map(({ id }) => String(id))
        const found: string[] = []
        let cursor: string | null = ''
        while (cursor !== null) {
          const path = `${dataset}/item-rows?sort=${sort}&limit=${limit}${cursor && `&cursor=${cursor}`}`
          const { body } = await client.get(path)
          found.push(...rowsOf(body).map(({ id }) => id))
          cursor = typeof body.nextCursor === 'string' ? body.nextCursor : null
          if (isGrowing && sort !== 'oldest' && found.length < 3)
            await client.post(`${dataset}/items`, { input: 'new' })
        }
        expect(found).toEqual(sort === 'oldest' ? listed.toReversed() : listed)
      }),
      { numRuns: runs(6) },
    )
  })

  describe('is rejected with 400 for', () => {
    it.each([
      ['limit=101', 'The query parameter limit must be a whole number from 1 to 100'],
      ['cursor=abc', 'The query parameter cursor must be the nextCursor'],
      ['filter=odd', 'filter'],
      ['split=odd', 'split'],
      ['unknown=1', 'The query parameter unknown is not known'],
    ])('%s', async (parameters, message) => {
      const { status, body } = await seeded.client.get(`${seeded.dataset}/item-rows?${parameters}`)
      expect([status, Object.keys(body), body.error]).toEqual([400, ['error'], expect.stringContaining(message)])
    })
  })
})
