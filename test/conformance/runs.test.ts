// @module-tag sql
import { describe, expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { ABSENT_ID, expectError, NEW_ID, TIMESTAMP } from './answer-forms.ts'

describeEachEngine('/components/{componentId}/runs', (app) => {
  async function newDataset() {
    const { client } = await app().newWorkspace()
    const component = await client.create('/components', { name: 'Summarizer' })
    const datasetId = await client.create(`/components/${component}/datasets`, { name: 'Questions' })
    return { client, component, datasetId, at: `/components/${component}/runs` }
  }

  describe('POST', () => {
    it('201 returns the whole run, exactly the six fields, an absent name as null', async () => {
      const { client, component, datasetId, at } = await newDataset()
      const { status, body } = await client.post(at, { datasetId })
      expect(status).toBe(201)
      expect(body).toEqual({
        id: NEW_ID,
        name: null,
        datasetId,
        aiComponentId: component,
        traceCount: 0,
        createdAt: TIMESTAMP,
      })
    })

    it('201 keeps the name and counts the traces given, each once', async () => {
      const { client, datasetId, at } = await newDataset()
      const { body } = await client.post(at, { datasetId, name: 'v2', traceIds: ['x', 'y', 'x', 'x', 'z'] })
      expect(body).toMatchObject({ name: 'v2', traceCount: 3 })
      expect((await client.get(`${at}/${body.id}`)).body).toEqual(body)
    })

    it('201 with the dataset id in upper case names the same dataset', async () => {
      const { client, datasetId, at } = await newDataset()
      const { status, body } = await client.post(at, { datasetId: datasetId.toUpperCase() })
      expect(status).toBe(201)
      expect(body.datasetId).toBe(datasetId)
    })

    it('404 for an unknown component, and for a dataset that is not one of this component', async () => {
      const { client, datasetId, at } = await newDataset()
      const foreign = await newDataset()
      const sibling = await client.create('/components', { name: 'sibling' })
      const siblings = await client.create(`/components/${sibling}/datasets`, { name: 'a' })
      expectError(await client.post(`/components/${ABSENT_ID}/runs`, { datasetId }), 404, 'Component not found')
      for (const id of [ABSENT_ID, foreign.datasetId, siblings])
        expectError(await client.post(at, { datasetId: id }), 404, 'Dataset not found')
      expect(await client.list(at)).toEqual([])
    })

    it('400 without a datasetId names the field', async () => {
      const { client, at } = await newDataset()
      expectError(await client.post(at, { name: 'v1' }), 400, /datasetId/)
    })
  })

  describe('GET one', () => {
    it('200 returns the response of POST, for ids in upper or lower case', async () => {
      const { client, component, datasetId, at } = await newDataset()
      const { body } = await client.post(at, { datasetId, traceIds: ['t'] })
      expect((await client.get(`${at}/${body.id}`)).body).toEqual(body)
      const upper = `/components/${component.toUpperCase()}/runs/${String(body.id).toUpperCase()}`
      expect((await client.get(upper)).body).toEqual(body)
    })

    it('404 for a missing run, a foreign one and one of another component', async () => {
      const { client, at } = await newDataset()
      const foreign = await newDataset()
      const foreignId = await foreign.client.create(foreign.at, { datasetId: foreign.datasetId })
      const sibling = await client.create('/components', { name: 'sibling' })
      const siblingDataset = await client.create(`/components/${sibling}/datasets`, { name: 'a' })
      const siblings = await client.create(`/components/${sibling}/runs`, { datasetId: siblingDataset })
      for (const id of [ABSENT_ID, foreignId, siblings])
        expectError(await client.get(`${at}/${id}`), 404, 'Run not found')
    })
  })

  describe('GET list', () => {
    it('200 has the runs of all datasets of the component as POST returned them, newest first', async () => {
      const { client, component, datasetId, at } = await newDataset()
      const second = await client.create(`/components/${component}/datasets`, { name: 'More' })
      const made: unknown[] = []
      for (const id of [datasetId, second, datasetId])
        made.unshift((await client.post(at, { datasetId: id, traceIds: ['t'] })).body)
      expect((await client.get(at)).body).toEqual({ data: made })
      expect((await client.get(`${at}?limit=1&offset=1`)).body).toEqual({ data: made.slice(1, 2) })
    })

    it('200 with nothing under an unknown or foreign component', async () => {
      const { client } = await newDataset()
      const foreign = await newDataset()
      await foreign.client.create(foreign.at, { datasetId: foreign.datasetId })
      for (const id of [ABSENT_ID, foreign.component]) {
        const { status, text } = await client.get(`/components/${id}/runs`)
        expect({ status, text }).toEqual({ status: 200, text: '{"data":[]}' })
      }
    })
  })

  describe('DELETE', () => {
    it('204 has no body, and then the run is gone; a second time 404', async () => {
      const { client, datasetId, at } = await newDataset()
      const kept = await client.create(at, { datasetId })
      const id = await client.create(at, { datasetId, traceIds: ['t'] })
      const deleted = await client.delete(`${at}/${id}`)
      expect({ status: deleted.status, text: deleted.text }).toEqual({ status: 204, text: '' })
      expectError(await client.get(`${at}/${id}`), 404, 'Run not found')
      expect((await client.list(at)).map((run) => run.id)).toEqual([kept])
      expectError(await client.delete(`${at}/${id}`), 404, 'Run not found')
    })

    it('404 under another component does not change the run', async () => {
      const { client, datasetId, at } = await newDataset()
      const id = await client.create(at, { datasetId })
      const sibling = await client.create('/components', { name: 'sibling' })
      expectError(await client.delete(`/components/${sibling}/runs/${id}`), 404, 'Run not found')
      expect((await client.get(`${at}/${id}`)).status).toBe(200)
    })
  })
})
