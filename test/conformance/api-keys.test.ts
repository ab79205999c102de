import { describe, expect, it } from 'vitest'
import { isAtLeast } from '../../src/base/principal.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { until } from '../harness/wait-for.ts'
import { ABSENT_ID, expectError, expectUnauthorized, NEW_ID, TIMESTAMP } from './answer-forms.ts'
import { DAY, HOUR, movableClock, SECOND } from './movable-clock.ts'
import { browserWith, personWith, tokenOf } from './team.ts'

const clock = movableClock()

describeEachEngine(
  '/api-keys',
  (app) => {
    it('POST 201 returns the key only once; the list has everything but the key', async () => {
      const { workspaceId } = await app().newWorkspace()
      const person = await personWith(app(), workspaceId, 'admin')
      const admin = app().asPerson(person, workspaceId)
      const { status, body } = await admin.post('/api-keys', { name: 'CI' })
      const key = String(body.key)
      expect(status).toBe(201)
      expect(body).toEqual({
        id: NEW_ID,
        name: 'CI',
        role: 'editor',
        prefix: key.slice(0, 12),
        lastFour: key.slice(-4),
        createdBy: person.userId,
        createdAt: TIMESTAMP,
        lastUsedAt: null,
        expiresAt: TIMESTAMP,
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

    it('with mine=true, an admin sees only the own keys', async () => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const { body: own } = await admin.post('/api-keys', { name: 'own' })
      await (await browserWith(app(), workspaceId, 'viewer')).post('/api-keys', { name: 'of another' })
      expect(await admin.list('/api-keys')).toHaveLength(3)
      expect((await admin.list('/api-keys?mine=true')).map(({ id }) => id)).toEqual([own.id])
      expect(await admin.list('/api-keys?mine=false')).toHaveLength(3)
      expectError(await admin.get('/api-keys?mine=yes'), 400)
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

    it('a key expires at its expiresAt', async () => {
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
    })

    it('a key expires after 90 days by default, and never only if requested', async () => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const daysOf = async (choice: object) => {
        const { body } = await admin.post('/api-keys', { name: 'a', ...choice })
        return body.expiresAt === null ? null : Math.round((Date.parse(String(body.expiresAt)) - clock.now()) / DAY)
      }
      expect(await daysOf({})).toBe(90)
      expect(await daysOf({ expiresInDays: 7 })).toBe(7)
      expect(await daysOf({ expiresInDays: null })).toBeNull()
      expect(await daysOf({ expiresAt: null })).toBeNull()
    })

    describe('of a member', () => {
      it.each(['viewer', 'annotator', 'editor', 'admin', 'owner'] as const)(
        'who is %s has at most that role, and never more than an editor',
        async (role) => {
          const { workspaceId } = await app().newWorkspace()
          const browser = await browserWith(app(), workspaceId, role)
          const highest = role === 'admin' || role === 'owner' ? 'editor' : role
          const { status, body } = await browser.post('/api-keys', { name: 'own' })
          expect([status, body.role]).toEqual([201, highest])
          expect((await app().withKey(String(body.key)).get('/me')).body.role).toBe(highest)
          for (const wanted of ['viewer', 'annotator', 'editor'] as const) {
            const answer = await browser.post('/api-keys', { name: wanted, role: wanted })
            if (isAtLeast(highest, wanted)) {
              expect(answer.body.role).toBe(wanted)
              expect((await app().withKey(String(answer.body.key)).get('/me')).body.role).toBe(wanted)
            } else expectError(answer, 403, `This request requires the role ${wanted}; yours is ${role}`)
          }
        },
      )

      it('with the role viewer reads and writes nothing, for creators of any role', async () => {
        const { workspaceId } = await app().newWorkspace()
        const owner = await browserWith(app(), workspaceId, 'owner')
        const { body } = await owner.post('/api-keys', { name: 'read only', role: 'viewer' })
        const key = app().withKey(String(body.key))
        expect((await key.get('/components')).status).toBe(200)
        expectError(await key.post('/components', { name: 'a' }), 403)
      })

      it('is seen and revoked by its creator and by admins, and is to others like one that does not exist', async () => {
        const { workspaceId } = await app().newWorkspace()
        const browsers = {
          viewer: await browserWith(app(), workspaceId, 'viewer'),
          editor: await browserWith(app(), workspaceId, 'editor'),
          admin: await browserWith(app(), workspaceId, 'admin'),
        }
        const { body: first } = await browsers.viewer.post('/api-keys', { name: 'first' })
        const { body: second } = await browsers.viewer.post('/api-keys', { name: 'second' })
        const namesFor = async (role: keyof typeof browsers) =>
          (await browsers[role].list('/api-keys')).map(({ name }) => name)
        expect(await namesFor('viewer')).toEqual(['second', 'first'])
        expect(await namesFor('editor')).toEqual([])
        expect(await namesFor('admin')).toEqual(['second', 'first', 'Test key'])
        const foreign = await browsers.editor.delete(`/api-keys/${first.id}`)
        expectError(foreign, 404, 'API key not found')
        expect((await browsers.editor.delete(`/api-keys/${ABSENT_ID}`)).text).toBe(foreign.text)
        expect((await browsers.viewer.delete(`/api-keys/${first.id}`)).status).toBe(204)
        expect((await browsers.admin.delete(`/api-keys/${second.id}`)).status).toBe(204)
        for (const { key } of [first, second]) expectUnauthorized(await app().withKey(String(key)).get('/components'))
      })

      it('who was removed, or has left, does not work again when they come back', async () => {
        const { workspaceId } = await app().newWorkspace()
        const owner = await browserWith(app(), workspaceId, 'owner')
        const person = await app().newPerson()
        const theirs = app().asPerson(person, workspaceId)
        const join = async () => {
          const { body } = await owner.post('/members', { email: person.email, role: 'editor' })
          expect((await theirs.post('/invitations/accept', { token: tokenOf(body.invitationUrl) })).status).toBe(201)
        }
        for (const end of [() => owner.delete(`/members/${person.userId}`), () => theirs.delete('/members/me')]) {
          await join()
          const key = app().withKey(String((await theirs.post('/api-keys', { name: 'old' })).body.key))
          expect((await key.get('/components')).status).toBe(200)
          expect((await end()).status).toBe(204)
          expectUnauthorized(await key.get('/components'))
          await join()
          expectUnauthorized(await key.get('/components'))
          expect(await theirs.list('/api-keys')).toEqual([])
          expect((await theirs.delete('/members/me')).status).toBe(204)
        }
      })
    })

    it('a key has the time of its last use', async () => {
      const { workspaceId, client } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      expect(await admin.list('/api-keys')).toMatchObject([{ name: 'Test key', lastUsedAt: null }])
      await client.get('/components')
      await until(async () =>
        expect(await admin.list('/api-keys')).toMatchObject([{ name: 'Test key', lastUsedAt: TIMESTAMP }]),
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
        [{ name: 'a', expiresInDays: 0 }, /expiresInDays/],
        [{ name: 'a', expiresInDays: 3651 }, /expiresInDays/],
        [{ name: 'a', expiresInDays: 1.5 }, /expiresInDays/],
        [{ name: 'a', expiresInDays: 1, expiresAt: '2099-01-01T00:00:00Z' }, /expiresInDays/],
        [{ name: 'a', role: 'admin' }, /role/],
        [{ name: 'a', role: 'king' }, /role/],
        [{ name: 'a', key: 'tsk_mine' }, /key/],
      ])('for %j, and no key is created', async (body, message) => {
        const { workspaceId } = await app().newWorkspace()
        const admin = await browserWith(app(), workspaceId, 'admin')
        expectError(await admin.post('/api-keys', body), 400, message)
        expect(await admin.list('/api-keys')).toHaveLength(1)
      })
    })

    it('401 for an API key and without credentials', async () => {
      const { client } = await app().newWorkspace()
      for (const [method, path] of [
        ['GET', '/api-keys'],
        ['POST', '/api-keys'],
        ['DELETE', `/api-keys/${ABSENT_ID}`],
      ] as const) {
        const sent = method === 'POST' ? { body: { name: 'a' } } : {}
        expectError(await client.send(method, path, sent), 401)
        expectUnauthorized(await app().anonymous.send(method, path, sent))
      }
    })
  },
  { clock },
)
