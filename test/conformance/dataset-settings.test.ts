import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { ABSENT_ID, expectError } from './answer-forms.ts'
import { browserWith } from './team.ts'

describeEachEngine('the settings of a dataset', (app) => {
  async function newDataset(items: Record<string, unknown>[] = []) {
    const { client, workspaceId } = await app().newWorkspace()
    const component = `/components/${await client.create('/components', { name: 'Answers' })}`
    const dataset = `${component}/datasets/${await client.create(`${component}/datasets`, { name: 'Questions' })}`
    if (items.length > 0) await client.post(`${dataset}/items`, items)
    return { client, workspaceId, component, dataset, at: `${dataset}/settings` }
  }

  const NONE = { groupBy: null, groups: null, itemsWithoutGroup: null }

  it('has no groups until a field is named, and again when it is removed', async () => {
    const { client, at, dataset } = await newDataset()
    const before = await client.get(dataset)
    expect((await client.get(at)).body).toEqual(NONE)
    expect(await client.patch(at, { groupBy: 'metadata.document' })).toMatchObject({
      status: 200,
      body: { groupBy: 'metadata.document', groups: 0, itemsWithoutGroup: 0 },
    })
    expect((await client.get(at)).body.groupBy).toBe('metadata.document')
    expect((await client.get(dataset)).text).toBe(before.text)
    expect((await client.patch(at, { groupBy: null })).body).toEqual(NONE)
    expect((await client.get(at)).body).toEqual(NONE)
  })

  it('counts the different values of the field and the items without one, so that a wrong path is seen', async () => {
    const { client, at } = await newDataset([
      { input: 'a', metadata: { source: { file: 'x.pdf' } } },
      { input: 'b', metadata: { source: { file: 'x.pdf' } } },
      { input: 'c', metadata: { source: { file: 1 } } },
      { input: 'd', metadata: { source: { file: '1' } } },
      { input: 'e', metadata: { source: { file: null } } },
      { input: 'f', metadata: { source: 'x.pdf' } },
      { input: 'g' },
    ])
    const counted = { groups: 3, itemsWithoutGroup: 3 }
    expect((await client.patch(at, { groupBy: 'metadata.source.file' })).body).toMatchObject(counted)
    const wrong = await client.patch(at, { groupBy: 'metadata.sources.file' })
    expect(wrong.body).toMatchObject({ groups: 0, itemsWithoutGroup: 7 })
    expect((await client.patch(at, { groupBy: 'metadata.toString' })).body).toMatchObject({ groups: 0 })
  })

  it('400 for anything but a field of the metadata', async () => {
    const { client, at } = await newDataset()
    for (const groupBy of [
      'document',
      'metadata',
      'metadata.',
      'metadata..a',
      'expected.a',
      '',
      7,
      `metadata.${'a'.repeat(200)}`,
    ])
      expectError(await client.patch(at, { groupBy }), 400, /groupBy/)
    expectError(await client.patch(at, {}), 400, /groupBy/)
    expectError(await client.patch(at, { groupBy: null, name: 'x' }), 400, /name/)
    expect((await client.get(at)).body).toEqual(NONE)
  })

  it('404 for a dataset that does not exist, is deleted, or is of another component or workspace', async () => {
    const { client, component, dataset, at } = await newDataset()
    const other = await newDataset()
    const foreign = `/components/${await client.create('/components', { name: 'Other' })}/datasets/${dataset.split('/').at(-1)}`
    const absent = `${component}/datasets/${ABSENT_ID}`
    for (const path of [`${absent}/settings`, `${foreign}/settings`, other.at]) {
      expectError(await client.get(path), 404, 'Dataset not found')
      expectError(await client.patch(path, { groupBy: 'metadata.a' }), 404, 'Dataset not found')
    }
    expect((await other.client.get(other.at)).body).toEqual(NONE)
    await client.delete(dataset)
    expectError(await client.get(at), 404, 'Dataset not found')
  })

  it('lets viewers read and editors change it, and records the change in the audit log', async () => {
    const { client, workspaceId, at, dataset } = await newDataset()
    const viewer = await browserWith(app(), workspaceId, 'viewer')
    expect((await viewer.get(at)).status).toBe(200)
    expectError(await viewer.patch(at, { groupBy: 'metadata.a' }), 403)
    await client.patch(at, { groupBy: 'metadata.a' })
    const admin = await browserWith(app(), workspaceId, 'admin')
    const log = await admin.list('/audit-log?limit=100')
    const changes = log.filter(({ action }) => action === 'dataset.settings-changed')
    expect(changes).toMatchObject([{ resourceId: dataset.split('/').at(-1) }])
  })
})
