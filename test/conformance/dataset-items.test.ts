// @module-tag sql
import { describe, expect, it } from 'vitest'
import { hashInput } from '../../src/datasets/items/input-hash.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { ABSENT_ID, expectError, NEW_ID, TIMESTAMP } from './answer-forms.ts'
import { newTraceId, storeTrace } from './stored-trace.ts'

describeEachEngine('/components/{componentId}/datasets/{datasetId}/items', (app) => {
  async function newDataset(traceIds: string[] = []) {
    const { client, workspaceId } = await app().newWorkspace()
    const component = `/components/${await client.create('/components', { name: 'Summarizer' })}`
    const datasetId = await client.create(`${component}/datasets`, { name: 'Questions', traceIds })
    const dataset = `${component}/datasets/${datasetId}`
    const itemCount = async () => (await client.get(dataset)).body.itemCount
    return { client, workspaceId, component, datasetId, dataset, at: `${dataset}/items`, itemCount }
  }

  async function addedTo(at: string, client: Awaited<ReturnType<typeof newDataset>>['client'], body: unknown) {
    const { status, text, body: answer } = await client.post(at, body)
    expect(status, text).toBe(201)
    const data: Record<string, unknown>[] = Array.isArray(answer.data) ? answer.data : []
    return data
  }

  describe('POST', () => {
    it('201 returns the whole item, exactly the ten fields', async () => {
      const { client, datasetId, at, itemCount } = await newDataset()
      const data = await addedTo(at, client, { input: 'Why?', expected: 'Because.', metadata: { level: 3 } })
      expect(data).toEqual([
        {
          id: NEW_ID,
          datasetId,
          traceDbId: null,
          traceId: null,
          input: 'Why?',
          output: null,
          expected: 'Because.',
          metadata: { level: 3 },
          split: null,
          createdAt: TIMESTAMP,
        },
      ])
      expect(await client.list(at)).toEqual(data)
      expect(await itemCount()).toBe(1)
    })

    it('201 returns several in the order given, and lists them newest first', async () => {
      const { client, at, itemCount } = await newDataset()
      const data = await addedTo(at, client, [{ input: 'a' }, { traceId: 't' }, { input: 'b' }])
      expect(data.map(({ input, traceId }) => input ?? traceId)).toEqual(['a', 't', 'b'])
      expect(await client.list(at)).toEqual(data.toReversed())
      expect(await itemCount()).toBe(3)
      expect((await addedTo(at, client, [])).length).toBe(0)
    })

    it('201 stores a text unchanged and any other value as JSON text', async () => {
      const { client, at } = await newDataset()
      const data = await addedTo(at, client, [
        { input: { q: [1, null, 'x'] }, expected: 5 },
        { input: ' {"q": 1} ', expected: '' },
        { input: false, expected: null, output: ['o'] },
      ])
      expect(data.map(({ input, expected, output }) => [input, expected, output])).toEqual([
        ['{"q":[1,null,"x"]}', '5', null],
        [' {"q": 1} ', '', null],
        ['false', null, '["o"]'],
      ])
    })

    it('201 adds a trace once: then it returns the existing item', async () => {
      const { client, at, itemCount } = await newDataset(['known'])
      const [known] = await client.list(at)
      const data = await addedTo(at, client, [
        { traceId: 'known', expected: 'x' },
        { traceId: 'new', expected: 'first' },
        { traceId: 'new', expected: 'second' },
      ])
      expect(data[0]).toEqual(known)
      expect(data[1]).toMatchObject({ traceId: 'new', traceDbId: 'new', expected: 'first' })
      expect(data[2]).toEqual(data[1])
      expect(await itemCount()).toBe(2)
    })

    it('201 copies input and output of a stored trace, by either of its ids', async () => {
      const { client, workspaceId, at, itemCount } = await newDataset()
      const trace = await storeTrace(app(), workspaceId, { root: { input: '{"q":1}', output: 'fine' } })
      const [byOurs] = await addedTo(at, client, { traceId: trace.id.toUpperCase(), expected: 'e' })
      const expected = { traceDbId: trace.id, traceId: trace.traceId, input: '{"q":1}', output: 'fine', expected: 'e' }
      expect(byOurs).toMatchObject(expected)
      const [byTheirs] = await addedTo(at, client, { traceId: trace.traceId.toUpperCase() })
      expect(byTheirs).toEqual(byOurs)
      expect(await itemCount()).toBe(1)
    })

    it('201 copies from the first and the last model call what the root does not have', async () => {
      const { client, workspaceId, at } = await newDataset()
      const [first, last] = [
        { input: 'asked', output: 'no' },
        { input: 'no', output: 'answered' },
      ]
      const bare = await storeTrace(app(), workspaceId, { first, last })
      const half = await storeTrace(app(), workspaceId, { root: { input: 'root' }, first, last })
      const none = await storeTrace(app(), workspaceId, {})
      const data = await addedTo(
        at,
        client,
        [bare, half, none].map(({ traceId }) => ({ traceId })),
      )
      expect(data.map(({ input, output }) => [input, output])).toEqual([
        ['asked', 'answered'],
        ['root', 'answered'],
        [null, null],
      ])
    })

    it('shows our id of a trace as soon as it arrives, and the reference until then', async () => {
      const { client, workspaceId, at } = await newDataset()
      const traceId = newTraceId()
      expect(await addedTo(at, client, { traceId })).toMatchObject([{ traceId, traceDbId: traceId, input: null }])
      const { id } = await storeTrace(app(), workspaceId, { traceId })
      expect(await client.list(at)).toMatchObject([{ traceId, traceDbId: id }])
    })

    it('never links a trace of another workspace', async () => {
      const { client, at } = await newDataset()
      const foreign = await newDataset()
      const trace = await storeTrace(app(), foreign.workspaceId, { root: { input: 'secret' } })
      const data = await addedTo(at, client, [{ traceId: trace.id }, { traceId: trace.traceId }])
      expect(data).toMatchObject([
        { traceId: trace.id, traceDbId: trace.id, input: null },
        { traceId: trace.traceId, traceDbId: trace.traceId, input: null },
      ])
    })

    it('keeps itemCount exact while many add at once, the same traces and others', async () => {
      const { client, at, itemCount } = await newDataset()
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, place) =>
          client.post(at, [{ traceId: 'shared' }, { traceId: `own ${place}` }, { input: `text ${place}` }]),
        ),
      )
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
      expect(await itemCount()).toBe(25)
      expect(await client.list(`${at}?limit=100`)).toHaveLength(25)
    })

    it('400 names the wrong field, and adds nothing', async () => {
      const { client, at, itemCount } = await newDataset()
      expectError(await client.post(at, {}), 400, 'The field input is required where there is no traceId')
      expectError(await client.post(at, [{ input: 'a' }, { expected: 'b' }]), 400, /\[1\]\.input is required/)
      expectError(await client.post(at, { input: null }), 400, /input is required/)
      expectError(await client.post(at, { input: 'a', id: ABSENT_ID }), 400, /id is not known/)
      expectError(await client.post(at, [{ input: 'a' }, { input: 'a', x: 1 }]), 400, /\[1\]\.x is not known/)
      expectError(await client.post(at, { traceId: '' }), 400, /traceId must not be empty/)
      expectError(await client.post(at, { traceId: 5 }), 400, /traceId must be a string/)
      expectError(await client.post(at, { input: 'a', metadata: [] }), 400, /metadata must be an object/)
      expectError(await client.post(at, '"x"'), 400)
      expectError(await client.post(at, '{"input":"\\u0000"}'), 400, /cannot be stored/)
      const tooMany = Array.from({ length: 1_001 }, () => ({ input: 'a' }))
      expectError(await client.post(at, tooMany), 400, /at most 1000 items/)
      expect(await itemCount()).toBe(0)
      expect(await addedTo(at, client, tooMany.slice(1))).toHaveLength(1_000)
    })

    it('404 for a dataset that is missing, foreign, deleted or of another component', async () => {
      const { client, component, dataset, datasetId } = await newDataset()
      const foreign = await newDataset()
      const sibling = await client.create('/components', { name: 'sibling' })
      const paths = [
        `${component}/datasets/${ABSENT_ID}/items`,
        foreign.at,
        `/components/${sibling}/datasets/${datasetId}/items`,
      ]
      for (const path of paths) expectError(await client.post(path, { input: 'a' }), 404, 'Dataset not found')
      await client.delete(dataset)
      expectError(await client.post(`${dataset}/items`, { input: 'a' }), 404, 'Dataset not found')
      expect(await foreign.itemCount()).toBe(0)
    })
  })

  describe('GET', () => {
    it('200 pages, and has nothing under an unknown, foreign or deleted dataset', async () => {
      const { client, component, dataset, at } = await newDataset()
      const foreign = await newDataset(['theirs'])
      const data = await addedTo(
        at,
        client,
        ['a', 'b', 'c'].map((input) => ({ input })),
      )
      expect(await client.list(`${at}?limit=2`)).toEqual(data.toReversed().slice(0, 2))
      expect(await client.list(`${at}?limit=2&offset=2`)).toEqual(data.slice(0, 1))
      for (const path of [`${component}/datasets/${ABSENT_ID}/items`, foreign.at])
        expect((await client.get(path)).text).toBe('{"data":[]}')
      await client.delete(dataset)
      expect((await client.get(at)).text).toBe('{"data":[]}')
    })

    it('200 has an item with its snapshot for each trace that the dataset was created with', async () => {
      const { client, workspaceId, component } = await newDataset()
      const trace = await storeTrace(app(), workspaceId, { root: { input: 'asked', output: 'answered' } })
      const traceIds = [trace.id, trace.traceId, 'unknown', trace.traceId.toUpperCase()]
      const { body } = await client.post(`${component}/datasets`, { name: 'Of traces', traceIds })
      expect(body.itemCount).toBe(2)
      expect(await client.list(`${component}/datasets/${body.id}/items`)).toMatchObject([
        { traceId: 'unknown', traceDbId: 'unknown', input: null, metadata: {} },
        { traceId: trace.traceId, traceDbId: trace.id, input: 'asked', output: 'answered' },
      ])
    })
  })

  describe('GET ?split=', () => {
    it('200 lists only the items of a split, in pages that have each of them once', async () => {
      const { client, at } = await newDataset()
      const splits = ['train', 'validation', 'test', null, undefined]
      const given = Array.from({ length: 40 }, (_, place) => ({ input: `${place}`, split: splits[place % 5] }))
      const added = await addedTo(at, client, given)
      for (const split of ['train', 'validation', 'test']) {
        const expected = added.filter((item) => item.split === split).toReversed()
        expect(expected).toHaveLength(8)
        expect(await client.list(`${at}?split=${split}`)).toEqual(expected)
        const pages = await Promise.all(
          [0, 3, 6].map((offset) => client.list(`${at}?split=${split}&limit=3&offset=${offset}`)),
        )
        expect(pages.flat()).toEqual(expected)
        expect((await client.get(`${at}?split=${split}&limit=1`)).headers.get('x-total-count')).toBe('8')
      }
      expect(await client.list(at)).toHaveLength(40)
      expectError(await client.get(`${at}?split=holdout`), 400, /split/)
      expectError(await client.get(`${at}?split=`), 400, /split/)
    })
  })

  describe('PATCH', () => {
    it('200 changes the given fields, keeps the others, and null removes a value', async () => {
      const { client, at } = await newDataset()
      const [item] = await addedTo(at, client, { input: 'a', expected: 'b', metadata: { c: 1 } })
      const path = `${at}/${item?.id}`
      const first = await client.patch(path, { expected: { d: 1 }, output: 'o' })
      expect(first).toMatchObject({ status: 200, body: { ...item, expected: '{"d":1}', output: 'o' } })
      const second = await client.patch(path, { input: 'z', expected: null, metadata: {} })
      expect(second.body).toEqual({ ...item, input: 'z', expected: null, output: 'o', metadata: {} })
      expect(await client.list(at)).toEqual([second.body])
    })

    it('200 moves an item to another split, or out of all, and keeps its content', async () => {
      const { client, at } = await newDataset()
      const [item] = await addedTo(at, client, { input: 'a', split: 'train' })
      const path = `${at}/${item?.id}`
      expect((await client.patch(path, { split: 'test' })).body).toEqual({ ...item, split: 'test' })
      expect((await client.patch(path, { expected: 'b' })).body).toMatchObject({ split: 'test', expected: 'b' })
      expect((await client.patch(path, { split: null })).body).toMatchObject({ split: null, expected: 'b' })
      expectError(await client.patch(path, { split: 'holdout' }), 400, /split/)
    })

    it('keeps the hash by which an item is recognised in step with its input', async () => {
      const { client, at, datasetId } = await newDataset(['t'])
      const [item] = await client.list(at)
      const hash = async () => {
        const query = app().storage.read.selectFrom('dataset_items').select('input_hash')
        return (await query.where('dataset_id', '=', datasetId).executeTakeFirstOrThrow()).input_hash
      }
      expect(await hash()).toBeNull()
      await client.patch(`${at}/${item?.id}`, { input: { b: 1, a: 2 } })
      expect(await hash()).toBe(hashInput('{"a":2,"b":1}'))
      await client.patch(`${at}/${item?.id}`, { expected: 'x' })
      expect(await hash()).toBe(hashInput('{"a":2,"b":1}'))
      await client.patch(`${at}/${item?.id}`, { input: null })
      expect(await hash()).toBeNull()
    })

    it('400 for nothing to change, an unknown field, or an item without both trace and input', async () => {
      const { client, at } = await newDataset()
      const [item] = await addedTo(at, client, { input: 'a' })
      const path = `${at}/${item?.id}`
      expectError(await client.patch(path, {}), 400, /at least one field/)
      expectError(await client.patch(path, { traceId: 't' }), 400, /traceId is not known/)
      expectError(await client.patch(path, { metadata: null }), 400, /metadata must be an object/)
      expectError(await client.patch(path, { input: null }), 400, /input must not be null/)
      expectError(await client.patch(`${at}/x`, { input: 'b' }), 400, /itemId must be a UUID/)
      expect(await client.list(at)).toEqual([item])
    })
  })

  describe('DELETE', () => {
    it('204 takes the item out and counts it once, also if two do it together; then 404', async () => {
      const { client, at, itemCount } = await newDataset(['a', 'b', 'c'])
      const [item, other] = await client.list(at)
      const path = `${at}/${item?.id}`
      const answers = await Promise.all([client.delete(path), client.delete(path), client.delete(`${at}/${other?.id}`)])
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 204, 404])
      expect(await itemCount()).toBe(1)
      expect(await client.list(at)).toHaveLength(1)
      expectError(await client.delete(path), 404, 'Item not found')
      expectError(await client.patch(path, { input: 'x' }), 404, 'Item not found')
    })

    it('404 for an item that is missing, foreign or of another dataset', async () => {
      const { client, component, at } = await newDataset(['a'])
      const foreign = await newDataset(['a'])
      const [theirs] = await foreign.client.list(foreign.at)
      const [own] = await client.list(at)
      const other = await client.create(`${component}/datasets`, { name: 'Other' })
      const paths = [
        `${at}/${ABSENT_ID}`,
        `${at}/${theirs?.id}`,
        `${foreign.at}/${theirs?.id}`,
        `${component}/datasets/${other}/items/${own?.id}`,
      ]
      for (const path of paths) {
        expectError(await client.delete(path), 404, 'Item not found')
        expectError(await client.patch(path, { expected: 'x' }), 404, 'Item not found')
      }
      expect(await foreign.client.list(foreign.at)).toEqual([theirs])
    })
  })
})
