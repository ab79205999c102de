// @module-tag sql
import { describe, expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { ABSENT_ID, expectError, NEW_ID, TIMESTAMP } from './answer-forms.ts'

describeEachEngine('/components', (app) => {
  describe('POST', () => {
    it('201 returns the id and nothing else', async () => {
      const { client } = await app().newWorkspace()
      const { status, body } = await client.post('/components', { name: 'Summarizer', description: 'Shortens texts' })
      expect(status).toBe(201)
      expect(body).toEqual({ id: NEW_ID })
    })

    it('201 keeps the description, and an absent or null one is null', async () => {
      const { client } = await app().newWorkspace()
      const described = await client.create('/components', { name: 'a', description: 'Shortens texts' })
      const empty = await client.create('/components', { name: 'a', description: '' })
      const nothing = await client.create('/components', { name: 'a', description: null })
      const absent = await client.create('/components', { name: 'a' })
      const descriptions = (await client.list('/components')).map(({ id, description }) => [id, description])
      expect(new Map(descriptions.map(([id, description]) => [String(id), description]))).toEqual(
        new Map([
          [described, 'Shortens texts'],
          [empty, ''],
          [nothing, null],
          [absent, null],
        ]),
      )
    })

    it('201 twice with the same name creates two components', async () => {
      const { client } = await app().newWorkspace()
      const first = await client.create('/components', { name: 'Same' })
      const second = await client.create('/components', { name: 'Same' })
      expect((await client.list('/components')).map(({ id }) => id)).toEqual([second, first])
    })

    it('400 without a name stores nothing', async () => {
      const { client } = await app().newWorkspace()
      expectError(await client.post('/components', { description: 'nameless' }), 400, /name/)
      expect(await client.list('/components')).toEqual([])
    })
  })

  describe('GET one', () => {
    it('200 returns exactly the six fields', async () => {
      const { client, workspaceId } = await app().newWorkspace()
      const id = await client.create('/components', { name: 'Summarizer', description: 'Shortens texts' })
      const { status, body } = await client.get(`/components/${id}`)
      expect(status).toBe(200)
      expect(body).toEqual({
        id,
        name: 'Summarizer',
        description: 'Shortens texts',
        workspaceId,
        createdAt: TIMESTAMP,
        updatedAt: body.createdAt,
      })
    })

    it('200 for an id in upper or lower case, which is returned in lower case', async () => {
      const { client } = await app().newWorkspace()
      const id = await client.create('/components', { name: 'a' })
      const { status, body } = await client.get(`/components/${id.toUpperCase()}`)
      expect(status).toBe(200)
      expect(body.id).toBe(id)
    })

    it('404 for an id that nothing has', async () => {
      const { client } = await app().newWorkspace()
      expectError(await client.get(`/components/${ABSENT_ID}`), 404, 'Component not found')
    })

    it('400 for an id that is no UUID names the parameter', async () => {
      const { client } = await app().newWorkspace()
      expectError(await client.get('/components/7'), 400, /componentId.*UUID/)
    })
  })

  describe('GET list', () => {
    it('200 of an empty workspace is an empty list', async () => {
      const { client } = await app().newWorkspace()
      const { status, text } = await client.get('/components')
      expect(status).toBe(200)
      expect(text).toBe('{"data":[]}')
    })

    it('200 has the same objects as reading each one, newest first', async () => {
      const { client } = await app().newWorkspace()
      const ids: string[] = []
      for (const name of ['one', 'two', 'three']) ids.unshift(await client.create('/components', { name }))
      const each = await Promise.all(ids.map(async (id) => (await client.get(`/components/${id}`)).body))
      const { body } = await client.get('/components')
      expect(body).toEqual({ data: each })
    })

    it('200 shows only the components of the own workspace', async () => {
      const mine = await app().newWorkspace()
      const other = await app().newWorkspace()
      await other.client.create('/components', { name: 'theirs' })
      const id = await mine.client.create('/components', { name: 'mine' })
      expect((await mine.client.list('/components')).map((component) => component.id)).toEqual([id])
    })

    it('200 returns 50 by default, at most 100, and pages that together are the whole list', async () => {
      const { client } = await app().newWorkspace()
      const made = await Promise.all(
        Array.from({ length: 101 }, (_, place) => client.create('/components', { name: `c${place}` })),
      )
      const idsAt = async (query: string) => (await client.list(`/components${query}`)).map(({ id }) => String(id))
      const newestFirst = [...made].sort().reverse()
      expect(await idsAt('')).toEqual(newestFirst.slice(0, 50))
      expect(await idsAt('?limit=100')).toEqual(newestFirst.slice(0, 100))
      expect(await idsAt('?offset=100')).toEqual(newestFirst.slice(100))
      expect(await idsAt('?limit=1')).toEqual(newestFirst.slice(0, 1))
      const pages = await Promise.all([0, 40, 80].map((offset) => idsAt(`?limit=40&offset=${offset}`)))
      expect(pages.flat()).toEqual(newestFirst)
      const times = (await client.list('/components?limit=100')).map(({ createdAt }) => String(createdAt))
      expect(times).toEqual([...times].sort().reverse())
    })
  })

  describe('DELETE', () => {
    it('204 has no body, and then the component is gone; a second time 404', async () => {
      const { client } = await app().newWorkspace()
      const id = await client.create('/components', { name: 'a' })
      const deleted = await client.delete(`/components/${id}`)
      expect(deleted.status).toBe(204)
      expect(deleted.text).toBe('')
      expect(deleted.headers.get('content-type')).toBeNull()
      expectError(await client.get(`/components/${id}`), 404, 'Component not found')
      expect(await client.list('/components')).toEqual([])
      expectError(await client.delete(`/components/${id}`), 404, 'Component not found')
    })

    it('204 under the upper-case id', async () => {
      const { client } = await app().newWorkspace()
      const id = await client.create('/components', { name: 'a' })
      expect((await client.delete(`/components/${id.toUpperCase()}`)).status).toBe(204)
      expectError(await client.get(`/components/${id}`), 404)
    })

    it('404 of another workspace does not change the component', async () => {
      const mine = await app().newWorkspace()
      const other = await app().newWorkspace()
      const id = await mine.client.create('/components', { name: 'a' })
      expectError(await other.client.delete(`/components/${id}`), 404, 'Component not found')
      expect((await mine.client.get(`/components/${id}`)).status).toBe(200)
    })
  })
})
