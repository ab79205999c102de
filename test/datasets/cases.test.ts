// @module-tag sql
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { expectError, TIMESTAMP } from '../conformance/answer-forms.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'

type Row = Record<string, unknown>

async function seedDataset(client: Client): Promise<{ componentId: string; dataset: string; datasetId: string }> {
  const componentId = await client.create('/components', { name: 'Answers' })
  const datasetId = await client.create(`/components/${componentId}/datasets`, { name: 'Questions' })
  return { componentId, datasetId, dataset: `/components/${componentId}/datasets/${datasetId}` }
}

async function addCases(client: Client, dataset: string, cases: Row[]): Promise<Row[]> {
  const { status, text, body } = await client.post(`${dataset}/cases`, cases)
  expect(status, text).toBe(201)
  const { data }: { data?: Row[] } = body
  return data ?? []
}

describeEachEngine('…/datasets/{datasetId}/cases', (app) => {
  it('are the items of the dataset: each path shows what the other one has stored', async () => {
    const { client } = await app().newWorkspace()
    const { dataset, datasetId } = await seedDataset(client)
    await client.post(`${dataset}/items`, { input: 'first', expected: 'one', metadata: { a: 1 }, split: 'test' })
    const cases = [
      { inputPayload: { input: 'second' }, expectedPayload: { value: 'two' }, split: 'eval', idx: 7 },
      {
        inputPayload: { question: 'third', n: 3 },
        expectedPayload: { answer: [3] },
        metadata: { b: 2 },
        split: 'train',
      },
    ]
    const added = await addCases(client, dataset, cases)
    const common = { datasetId, createdAt: TIMESTAMP, updatedAt: TIMESTAMP }
    expect(added).toEqual([
      { ...common, id: 2, ...cases[0], metadata: {} },
      { ...common, id: 3, idx: null, ...cases[1] },
    ])
    const { status, body } = await client.get(`${dataset}/cases`)
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        data: [
          {
            ...common,
            id: 1,
            idx: null,
            inputPayload: { input: 'first' },
            expectedPayload: 'one',
            split: 'eval',
            metadata: { a: 1 },
          },
          ...added,
        ],
      },
    })
    expect((await client.get(`${dataset}/cases/3`)).body).toEqual(added[1])
    expect(await client.list(`${dataset}/cases?limit=1&offset=1`)).toEqual([added[0]])
    expect(await client.list(`${dataset}/items`)).toMatchObject([
      { input: '{"question":"third","n":3}', expected: '{"answer":[3]}', split: 'train' },
      { input: 'second', expected: 'two', split: 'validation' },
      { input: 'first', expected: 'one', split: 'test' },
    ])
    expect((await client.get(dataset)).body).toMatchObject({ itemCount: 3 })
  })

  it('return the expected value in the form in which it was sent', async () => {
    const { client } = await app().newWorkspace()
    const { dataset } = await seedDataset(client)
    const values = ['text', '{"a": 1}', '5', 5, true, null, [1, 'two'], { a: { b: null } }, { value: 'text' }]
    const more = [{ value: 5 }, { value: { a: 1 } }, { value: null }, { value: '5', other: 1 }, {}]
    const cases = [...values, ...more].map((expectedPayload) => ({ inputPayload: { input: 'x' }, expectedPayload }))
    const added = await addCases(client, dataset, cases)
    expect(added.map(({ expectedPayload }) => expectedPayload)).toEqual([...values, ...more])
    const inputs = [{ input: '{"a": 1}' }, { input: 5 }, { input: 'x', other: 1 }, {}]
    const others = await addCases(
      client,
      dataset,
      inputs.map((inputPayload) => ({ inputPayload })),
    )
    expect(others.map(({ inputPayload }) => inputPayload)).toEqual(inputs)
  })

  it('change field by field; null removes a value, and a test item stays one', async () => {
    const { client } = await app().newWorkspace()
    const { dataset } = await seedDataset(client)
    await client.post(`${dataset}/items`, { input: 'sealed', split: 'test' })
    await addCases(client, dataset, [{ inputPayload: { input: 'x' }, expectedPayload: 'y', split: 'eval', idx: 1 }])
    const patched = await client.patch(`${dataset}/cases/2`, { expectedPayload: { value: 'z' } })
    expect(patched).toMatchObject({
      status: 200,
      body: { id: 2, idx: 1, inputPayload: { input: 'x' }, expectedPayload: { value: 'z' }, split: 'eval' },
    })
    const removed = { idx: null, expectedPayload: null, split: null, metadata: null }
    expect((await client.patch(`${dataset}/cases/2`, removed)).body).toMatchObject({ ...removed, metadata: {} })
    expect((await client.patch(`${dataset}/cases/1`, { split: 'eval' })).body).toMatchObject({ split: 'eval' })
    expect(await client.list(`${dataset}/items?split=test`)).toHaveLength(1)
    expectError(await client.patch(`${dataset}/cases/1`, {}), 400)
    expectError(await client.patch(`${dataset}/cases/1`, { split: 'test' }), 400)
    expectError(await client.post(`${dataset}/cases`, []), 400)
    expectError(await client.post(`${dataset}/cases`, [{ expectedPayload: 'x' }]), 400)
    for (const number of ['3', '0', '1.5', 'x'])
      expect((await client.get(`${dataset}/cases/${number}`)).status).not.toBe(200)
  })

  it('have numbers that are never used again, also after imports, deletes and items of traces', async () => {
    const { client } = await app().newWorkspace()
    const { dataset, componentId } = await seedDataset(client)
    const numbers = async () => (await client.list(`${dataset}/cases`)).map(({ id }) => id)
    await addCases(client, dataset, [{ inputPayload: { input: 'a' } }, { inputPayload: { input: 'b' } }])
    expect(await client.send('DELETE', `${dataset}/cases/2`)).toMatchObject({ status: 204 })
    expectError(await client.get(`${dataset}/cases/2`), 404)
    await client.post(`${dataset}/import`, 'input\nc\nd\n', { 'content-type': 'text/csv' })
    await client.post(`${dataset}/items`, [{ traceId: 't1' }, { traceId: 't1' }, { traceId: 't2' }])
    expect(await numbers()).toEqual([1, 3, 4, 5, 6])
    await client.post(`${dataset}/items`, [{ traceId: 't1' }, { input: 'e' }])
    expect(new Set(await numbers()).size).toBe(6)
    const traceIds = ['t3', 't4']
    const other = await client.create(`/components/${componentId}/datasets`, { name: 'Of traces', traceIds })
    const path = `/components/${componentId}/datasets/${other}`
    await client.post(`${path}/items`, { input: 'f' })
    expect((await client.list(`${path}/cases`)).map(({ id }) => id)).toEqual([1, 2, 3])
  })

  it('get numbers when they are listed, if an older server has added them', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const { dataset, datasetId } = await seedDataset(client)
    for (const input of ['a', 'b', 'c']) await client.post(`${dataset}/items`, { input })
    await app().storage.transaction((tx) =>
      sql`update dataset_items set case_number = null where workspace_id = ${workspaceId} and input in ('a', 'c')`.execute(
        tx,
      ),
    )
    const listed = await client.list(`${dataset}/cases`)
    expect(listed).toMatchObject([
      { id: 2, datasetId, inputPayload: { input: 'b' } },
      { id: 4, inputPayload: { input: 'a' } },
      { id: 5, inputPayload: { input: 'c' } },
    ])
    expect(await addCases(client, dataset, [{ inputPayload: { input: 'd' } }])).toMatchObject([{ id: 6 }])
  })
})
