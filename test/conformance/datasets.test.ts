// @module-tag sql
import { describe, expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { ABSENT_ID, expectError, NEW_ID, TIMESTAMP } from './answer-forms.ts'

describeEachEngine('/components/{componentId}/datasets', (app) => {
  async function newComponent(): Promise<{ client: Client; component: string; at: string }> {
    const { client } = await app().newWorkspace()
    const component = await client.create('/components', { name: 'Summarizer' })
    return { client, component, at: `/components/${component}/datasets` }
  }

  describe('POST', () => {
    it('201 returns the whole dataset, exactly the six fields', async () => {
      const { client, component, at } = await newComponent()
      const { status, body } = await client.post(at, { name: 'Questions' })
      expect(status).toBe(201)
      expect(body).toEqual({
        id: NEW_ID,
        name: 'Questions',
        description: null,
        aiComponentId: component,
        itemCount: 0,
        createdAt: TIMESTAMP,
      })
    })

    it('201 counts the traces given, each once, and keeps the description', async () => {
      const { client, at } = await newComponent()
      const traceIds = ['a', 'b', 'a', 'A', 'b', 'a']
      const { body } = await client.post(at, { name: 'Questions', description: 'Hard ones', traceIds })
      expect(body).toMatchObject({ description: 'Hard ones', itemCount: 3 })
      expect((await client.get(`${at}/${body.id}`)).body).toEqual(body)
    })

    it('201 under the upper-case component id belongs to that component', async () => {
      const { client, component } = await newComponent()
      const { status, body } = await client.post(`/components/${component.toUpperCase()}/datasets`, { name: 'a' })
      expect(status).toBe(201)
      expect(body.aiComponentId).toBe(component)
    })

    it('404 under a component that is missing, foreign or deleted, byte for byte the same', async () => {
      const { client } = await newComponent()
      const foreign = await newComponent()
      const gone = await client.create('/components', { name: 'gone' })
      await client.delete(`/components/${gone}`)
      const answers = await Promise.all(
        [ABSENT_ID, foreign.component, gone].map((id) => client.post(`/components/${id}/datasets`, { name: 'a' })),
      )
      for (const answer of answers) expectError(answer, 404, 'Component not found')
      expect(await foreign.client.list(foreign.at)).toEqual([])
    })

    it('400 for a field that is not in the specification names it', async () => {
      const { client, at } = await newComponent()
      expectError(await client.post(at, { name: 'a', items: [] }), 400, /items/)
      expect(await client.list(at)).toEqual([])
    })
  })

  describe('GET one', () => {
    it('200 returns the response of POST, for ids in upper or lower case', async () => {
      const { client, component, at } = await newComponent()
      const { body } = await client.post(at, { name: 'Questions', traceIds: ['a'] })
      expect((await client.get(`${at}/${body.id}`)).body).toEqual(body)
      const upper = `/components/${component.toUpperCase()}/datasets/${String(body.id).toUpperCase()}`
      expect((await client.get(upper)).body).toEqual(body)
    })

    it('404 for a missing dataset, a foreign one and one of another component', async () => {
      const { client, at } = await newComponent()
      const foreign = await newComponent()
      const foreignId = await foreign.client.create(foreign.at, { name: 'theirs' })
      const sibling = await client.create('/components', { name: 'sibling' })
      const siblings = await client.create(`/components/${sibling}/datasets`, { name: 'of the sibling' })
      for (const id of [ABSENT_ID, foreignId, siblings])
        expectError(await client.get(`${at}/${id}`), 404, 'Dataset not found')
    })
  })

  describe('GET list', () => {
    it('200 returns the objects of POST, newest first, in pages', async () => {
      const { client, at } = await newComponent()
      const made: unknown[] = []
      for (const name of ['one', 'two', 'three']) made.unshift((await client.post(at, { name, traceIds: [name] })).body)
      expect((await client.get(at)).body).toEqual({ data: made })
      expect((await client.get(`${at}?limit=2`)).body).toEqual({ data: made.slice(0, 2) })
      expect((await client.get(`${at}?limit=2&offset=2`)).body).toEqual({ data: made.slice(2) })
    })

    it('200 shows only the datasets of that component', async () => {
      const { client, at } = await newComponent()
      const sibling = await client.create('/components', { name: 'sibling' })
      await client.create(`/components/${sibling}/datasets`, { name: 'of the sibling' })
      expect(await client.list(at)).toEqual([])
    })

    it('200 with nothing under an unknown or foreign component', async () => {
      const { client } = await newComponent()
      const foreign = await newComponent()
      await foreign.client.create(foreign.at, { name: 'theirs' })
      for (const id of [ABSENT_ID, foreign.component]) {
        const { status, text } = await client.get(`/components/${id}/datasets`)
        expect({ status, text }).toEqual({ status: 200, text: '{"data":[]}' })
      }
    })
  })

  describe('DELETE', () => {
    it('204 has no body, and then the dataset is gone; a second time 404', async () => {
      const { client, at } = await newComponent()
      const kept = await client.create(at, { name: 'kept' })
      const id = await client.create(at, { name: 'a', traceIds: ['t'] })
      const deleted = await client.delete(`${at}/${id}`)
      expect({ status: deleted.status, text: deleted.text }).toEqual({ status: 204, text: '' })
      expectError(await client.get(`${at}/${id}`), 404, 'Dataset not found')
      expect((await client.list(at)).map((dataset) => dataset.id)).toEqual([kept])
      expectError(await client.delete(`${at}/${id}`), 404, 'Dataset not found')
    })

    it('404 under another component does not change the dataset', async () => {
      const { client, at } = await newComponent()
      const id = await client.create(at, { name: 'a' })
      const sibling = await client.create('/components', { name: 'sibling' })
      expectError(await client.delete(`/components/${sibling}/datasets/${id}`), 404, 'Dataset not found')
      expect((await client.get(`${at}/${id}`)).status).toBe(200)
    })
  })
})
