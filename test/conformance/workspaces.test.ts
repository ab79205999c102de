// @module-tag sql
import { describe, expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { ABSENT_ID, expectError, expectUnauthorized, NEW_ID, TIMESTAMP } from './answer-forms.ts'
import { personWith, stranger } from './team.ts'

describeEachEngine('workspaces', (app) => {
  describe('GET /workspace and /ai-application', () => {
    it('200 returns exactly the five fields of the key’s workspace, under both paths', async () => {
      const { client, workspaceId } = await app().newWorkspace('Support bot')
      const { status, body, text } = await client.get('/workspace')
      expect(status).toBe(200)
      expect(body).toEqual({
        id: workspaceId,
        name: 'Support bot',
        description: null,
        createdAt: TIMESTAMP,
        updatedAt: body.createdAt,
      })
      expect((await client.get('/ai-application')).text).toBe(text)
    })

    it('200 for a session returns the workspace of the header, in upper or lower case', async () => {
      const first = await app().newWorkspace('First')
      const second = await app().newWorkspace('Second')
      const person = await app().newPerson([
        { workspaceId: first.workspaceId, role: 'viewer' },
        { workspaceId: second.workspaceId, role: 'viewer' },
      ])
      for (const path of ['/workspace', '/ai-application']) {
        expect((await app().asPerson(person, first.workspaceId).get(path)).body.name).toBe('First')
        expect((await app().asPerson(person, second.workspaceId.toUpperCase()).get(path)).body.name).toBe('Second')
      }
    })
  })

  describe('GET /workspaces and /ai-applications', () => {
    it('200 lists exactly the workspaces of the person, newest first, without naming an application', async () => {
      const first = await app().newWorkspace('First')
      await app().newWorkspace('Of another owner')
      const second = await app().newWorkspace('Second')
      const person = await app().newPerson([
        { workspaceId: first.workspaceId, role: 'viewer' },
        { workspaceId: second.workspaceId, role: 'owner' },
      ])
      const browser = app().asPerson(person)
      const { status, body, text } = await browser.get('/workspaces')
      expect(status).toBe(200)
      expect(body).toEqual({
        data: [(await second.client.get('/workspace')).body, (await first.client.get('/workspace')).body],
      })
      expect((await browser.get('/ai-applications')).text).toBe(text)
      expect(await browser.list('/workspaces?limit=1&offset=1')).toMatchObject([{ name: 'First' }])
    })

    it('200 of a person without any is an empty list', async () => {
      const person = await app().newPerson()
      expect((await app().asPerson(person).get('/workspaces')).text).toBe('{"data":[]}')
    })

    it('401 for any API key', async () => {
      const { client } = await app().newWorkspace()
      for (const path of ['/workspaces', '/ai-applications']) expectError(await client.get(path), 401)
      expectUnauthorized(await app().anonymous.get('/workspaces'))
      expectUnauthorized(await app().anonymous.get('/ai-applications'))
    })
  })

  describe('POST /workspaces', () => {
    it('201 returns the workspace, and the caller owns it', async () => {
      const browser = app().asPerson(await app().newPerson())
      const { status, body } = await browser.post('/workspaces', { name: 'Mine', description: 'Only mine' })
      expect(status).toBe(201)
      expect(body).toEqual({
        id: NEW_ID,
        name: 'Mine',
        description: 'Only mine',
        createdAt: TIMESTAMP,
        updatedAt: body.createdAt,
      })
      expect((await browser.get('/workspaces')).body).toEqual({ data: [body] })
      const me = await browser.get('/me', { 'x-ai-application-id': String(body.id) })
      expect(me.body.role).toBe('owner')
    })

    it('400 without a name, 401 for an API key, and nothing is created', async () => {
      const person = await app().newPerson()
      const browser = app().asPerson(person)
      const { client } = await app().newWorkspace()
      expectError(await browser.post('/workspaces', { name: '' }), 400, /name/)
      expectError(await browser.post('/workspaces', { name: 'a', id: ABSENT_ID }), 400, /id/)
      expectError(await client.post('/workspaces', { name: 'a' }), 401)
      expectUnauthorized(await app().anonymous.post('/workspaces', { name: 'a' }))
      expect(await browser.list('/workspaces')).toEqual([])
    })
  })

  describe('PATCH /workspaces/{workspaceId}', () => {
    it('200 changes the given fields and nothing else', async () => {
      const { workspaceId, client } = await app().newWorkspace('Before')
      const admin = app().asPerson(await personWith(app(), workspaceId, 'admin'))
      const { body: before } = await client.get('/workspace')
      const named = await admin.patch(`/workspaces/${workspaceId.toUpperCase()}`, { name: 'After' })
      expect(named.status).toBe(200)
      expect(named.body).toEqual({ ...before, name: 'After', updatedAt: TIMESTAMP })
      expect(String(named.body.updatedAt) >= String(before.updatedAt)).toBe(true)
      await admin.patch(`/workspaces/${workspaceId}`, { description: 'Why' })
      const cleared = await admin.patch(`/workspaces/${workspaceId}`, { description: null })
      expect(cleared.body).toMatchObject({ name: 'After', description: null })
      expect((await client.get('/workspace')).body).toEqual(cleared.body)
    })

    it('400 for no field or an unknown one, 403 below admin, 404 for strangers, 401 for keys', async () => {
      const { workspaceId, client } = await app().newWorkspace('Before')
      const admin = app().asPerson(await personWith(app(), workspaceId, 'admin'))
      const editor = app().asPerson(await personWith(app(), workspaceId, 'editor'))
      const outsider = app().asPerson(await stranger(app()))
      const path = `/workspaces/${workspaceId}`
      expectError(await admin.patch(path, {}), 400)
      expectError(await admin.patch(path, { name: '' }), 400, /name/)
      expectError(await admin.patch(path, { createdAt: '2026-01-01T00:00:00.000Z' }), 400, /createdAt/)
      expectError(await admin.patch('/workspaces/7', { name: 'x' }), 400, /workspaceId/)
      expectError(await editor.patch(path, { name: 'x' }), 403)
      const foreign = await outsider.patch(path, { name: 'x' })
      expectError(foreign, 404, 'Workspace not found')
      expect((await outsider.patch(`/workspaces/${ABSENT_ID}`, { name: 'x' })).text).toBe(foreign.text)
      expectError(await client.patch(path, { name: 'x' }), 401)
      expectUnauthorized(await app().anonymous.patch(path, { name: 'x' }))
      expect((await client.get('/workspace')).body.name).toBe('Before')
    })
  })

  describe('DELETE /workspaces/{workspaceId}', () => {
    it('204 deletes everything in it: the key stops working, members do not see it, a second time 404', async () => {
      const { workspaceId, client } = await app().newWorkspace()
      await client.create('/components', { name: 'a' })
      const owner = await app().newPerson([{ workspaceId, role: 'owner' }])
      const browser = app().asPerson(owner)
      const deleted = await browser.delete(`/workspaces/${workspaceId}`)
      expect({ status: deleted.status, text: deleted.text }).toEqual({ status: 204, text: '' })
      expectUnauthorized(await client.get('/components'))
      expect(await browser.list('/workspaces')).toEqual([])
      expectError(await app().asPerson(owner, workspaceId).get('/components'), 401)
      expectError(await browser.delete(`/workspaces/${workspaceId}`), 404, 'Workspace not found')
    })

    it('403 for an admin, 404 for a stranger, 401 for a key, and it stays', async () => {
      const { workspaceId, client } = await app().newWorkspace()
      const admin = app().asPerson(await personWith(app(), workspaceId, 'admin'))
      const outsider = app().asPerson(await stranger(app()))
      expectError(await admin.delete(`/workspaces/${workspaceId}`), 403)
      expectError(await outsider.delete(`/workspaces/${workspaceId}`), 404, 'Workspace not found')
      expectError(await client.delete(`/workspaces/${workspaceId}`), 401)
      expect((await client.get('/workspace')).status).toBe(200)
    })
  })
})
