import { describe, expect, it, vi } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { ABSENT_ID, expectError, expectUnauthorized, NEW_ID, TIMESTAMP } from './answer-forms.ts'
import { HOUR, movableClock, SECOND } from './movable-clock.ts'
import { browserWith, personWith } from './team.ts'

const clock = movableClock()

describeEachEngine(
  '/api-keys',
  (app) => {
    it('POST 201 answers the key this once; the list has everything but the key', async () => {
      const { workspaceId } = await app().newWorkspace()
      const person = await personWith(app(), workspaceId, 'admin')
      const admin = app().asPerson(person, workspaceId)
      const { status, body } = await admin.post('/api-keys', { name: 'CI' })
      const key = String(body.key)
      expect(status).toBe(201)
      expect(body).toEqual({
        id: NEW_ID,
        name: 'CI',
        prefix: key.slice(0, 12),
        lastFour: key.slice(-4),
        createdBy: person.userId,
        createdAt: TIMESTAMP,
        lastUsedAt: null,
        expiresAt: null,
        key: expect.stringMatching(/^tsk_[0-9A-Za-z]{8}_/),
      })
      const { key: _, ...shown } = body
      const list = await admin.get('/api-keys')
      expect(Object(list.body.data)[0]).toEqual(shown)
      expect(list.body.data).toHaveLength(2)
      expect(list.text).not.toContain(key)
      const me = await app().withKey(key).get('/me')
      expect(me.body).toMatchObject({ kind: 'api-key', userId: person.userId, workspaceId })
    })

    it('GET 200 is newest first and pages', async () => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      for (const name of ['one', 'two']) await admin.create('/api-keys', { name })
      expect((await admin.list('/api-keys')).map(({ name }) => name)).toEqual(['two', 'one', 'Test key'])
      expect((await admin.list('/api-keys?limit=1&offset=1')).map(({ name }) => name)).toEqual(['one'])
    })

    it('DELETE 204 stops the key at once; a second time 404', async () => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const { body } = await admin.post('/api-keys', { name: 'CI' })
      const client = app().withKey(String(body.key))
      expect((await client.get('/components')).status).toBe(200)
      const revoked = await admin.delete(`/api-keys/${String(body.id).toUpperCase()}`)
      expect({ status: revoked.status, text: revoked.text }).toEqual({ status: 204, text: '' })
      expectUnauthorized(await client.get('/components'))
      expect((await admin.list('/api-keys')).map(({ name }) => name)).toEqual(['Test key'])
      expectError(await admin.delete(`/api-keys/${body.id}`), 404, 'API key not found')
    })

    it('DELETE 404 for a key of another workspace, byte for byte as for a missing one, and it works on', async () => {
      const { workspaceId } = await app().newWorkspace()
      const other = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const otherAdmin = await browserWith(app(), other.workspaceId, 'owner')
      const { body } = await otherAdmin.post('/api-keys', { name: 'theirs' })
      const foreign = await admin.delete(`/api-keys/${body.id}`)
      expectError(foreign, 404, 'API key not found')
      expect((await admin.delete(`/api-keys/${ABSENT_ID}`)).text).toBe(foreign.text)
      expect((await app().withKey(String(body.key)).get('/components')).status).toBe(200)
      expectError(await admin.delete('/api-keys/7'), 400, /keyId/)
    })

    it('a key ends at the moment it was made to end', async () => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const expiresAt = new Date(clock.now() + HOUR).toISOString()
      const { body } = await admin.post('/api-keys', { name: 'short', expiresAt })
      expect(body.expiresAt).toBe(expiresAt)
      const client = app().withKey(String(body.key))
      expect((await client.get('/components')).status).toBe(200)
      clock.advance(HOUR + SECOND)
      expectUnauthorized(await client.get('/components'))
    })

    it('a time in another zone means the same moment, in our form', async () => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const { body } = await admin.post('/api-keys', { name: 'zoned', expiresAt: '2099-01-01T02:00:00+02:00' })
      expect(body.expiresAt).toBe('2099-01-01T00:00:00.000Z')
      expect((await admin.post('/api-keys', { name: 'endless', expiresAt: null })).body.expiresAt).toBeNull()
    })

    it('a key tells when it was last used', async () => {
      const { workspaceId, client } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      expect(await admin.list('/api-keys')).toMatchObject([{ name: 'Test key', lastUsedAt: null }])
      await client.get('/components')
      await vi.waitFor(
        async () => expect(await admin.list('/api-keys')).toMatchObject([{ name: 'Test key', lastUsedAt: TIMESTAMP }]),
        { timeout: 30_000, interval: 20 },
      )
    })

    describe('400', () => {
      it.each([
        [{}, /name/],
        [{ name: '' }, /name/],
        [{ name: 'a', expiresAt: 5 }, /expiresAt/],
        [{ name: 'a', expiresAt: 'tomorrow' }, /expiresAt/],
        [{ name: 'a', expiresAt: '2020-01-01T00:00:00Z' }, /expiresAt/],
        [{ name: 'a', expiresAt: '2099-13-45T00:00:00Z' }, /expiresAt/],
        [{ name: 'a', key: 'tsk_mine' }, /key/],
      ])('for %j, and no key is made', async (body, sentence) => {
        const { workspaceId } = await app().newWorkspace()
        const admin = await browserWith(app(), workspaceId, 'admin')
        expectError(await admin.post('/api-keys', body), 400, sentence)
        expect(await admin.list('/api-keys')).toHaveLength(1)
      })
    })

    it('401 for an API key and for nobody, 403 below admin', async () => {
      const { workspaceId, client } = await app().newWorkspace()
      const editor = await browserWith(app(), workspaceId, 'editor')
      for (const [method, path] of [
        ['GET', '/api-keys'],
        ['POST', '/api-keys'],
        ['DELETE', `/api-keys/${ABSENT_ID}`],
      ] as const) {
        const sent = method === 'POST' ? { body: { name: 'a' } } : {}
        expectError(await client.send(method, path, sent), 401)
        expectUnauthorized(await app().anonymous.send(method, path, sent))
        expectError(await editor.send(method, path, sent), 403)
      }
    })
  },
  { clock },
)
