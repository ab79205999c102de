// @module-tag sql
import { describe, expect, it } from 'vitest'
import { ROLES } from '../../src/base/principal.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { ABSENT_ID, expectError, expectUnauthorized, TIMESTAMP } from './answer-forms.ts'
import { browserWith, newEmail, personWith } from './team.ts'

describeEachEngine(
  '/members',
  (app) => {
    it('GET 200 has members and open invitations, newest first, and pages', async () => {
      const { workspaceId, owner } = await app().newWorkspace()
      const person = await personWith(app(), workspaceId, 'admin')
      const admin = app().asPerson(person, workspaceId)
      const { body } = await admin.post('/members', { email: newEmail(), role: 'viewer' })
      const members = await admin.list('/members')
      expect(members.map(({ id, role, state }) => [id, role, state])).toEqual([
        [body.id, 'viewer', 'invited'],
        [person.userId, 'admin', 'member'],
        [owner.userId, 'owner', 'member'],
      ])
      expect(await admin.list('/members?limit=1&offset=2')).toEqual(members.slice(2))
      for (const member of members)
        expect(Object.keys(member).sort()).toEqual([
          'createdAt',
          'email',
          'expiresAt',
          'id',
          'name',
          'role',
          'secondFactor',
          'state',
          'userId',
        ])
    })

    it('PATCH 200 changes the role of a member, with immediate effect, and of an invitation', async () => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const person = await personWith(app(), workspaceId, 'viewer')
      const theirs = app().asPerson(person, workspaceId)
      expectError(await theirs.post('/components', { name: 'a' }), 403)
      const changed = await admin.patch(`/members/${person.userId.toUpperCase()}`, { role: 'editor' })
      expect(changed.status).toBe(200)
      expect(changed.body).toEqual({
        id: person.userId,
        userId: person.userId,
        name: 'Test Person',
        email: person.email,
        role: 'editor',
        state: 'member',
        createdAt: TIMESTAMP,
        expiresAt: null,
        secondFactor: 'off',
      })
      expect((await theirs.post('/components', { name: 'a' })).status).toBe(201)
      const { body } = await admin.post('/members', { email: newEmail(), role: 'viewer' })
      expect((await admin.patch(`/members/${body.id}`, { role: 'admin' })).body).toMatchObject({
        role: 'admin',
        state: 'invited',
      })
    })

    it('DELETE 204 shuts a member out at once; a second time 404', async () => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const person = await personWith(app(), workspaceId, 'viewer')
      const theirs = app().asPerson(person, workspaceId)
      expect((await theirs.get('/components')).status).toBe(200)
      expect((await admin.delete(`/members/${person.userId}`)).status).toBe(204)
      expectError(await theirs.get('/components'), 401)
      expectError(await admin.delete(`/members/${person.userId}`), 404, 'Member not found')
      expectError(await admin.patch(`/members/${ABSENT_ID}`, { role: 'viewer' }), 404, 'Member not found')
    })

    it('DELETE /members/me 204 for every role, at once and permanently, but not for the last owner', async () => {
      const { workspaceId, owner } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      for (const role of ROLES) {
        const person = await personWith(app(), workspaceId, role)
        const theirs = app().asPerson(person, workspaceId)
        if (role === 'admin') continue
        expect((await theirs.delete('/members/me')).status).toBe(204)
        expectError(await theirs.get('/components'), 401)
        expectError(await theirs.delete('/members/me'), 401)
      }
      // Sorted, because both may have become members in the same millisecond.
      expect((await admin.list('/members')).map(({ role }) => role).sort()).toEqual(['admin', 'owner'])
      const second = app().asPerson(await app().newPerson([{ workspaceId, role: 'owner' }]), workspaceId)
      expect((await second.delete(`/members/${owner.userId}`)).status).toBe(204)
      expectError(await second.delete('/members/me'), 409, 'An application must keep at least one owner')
      expect((await second.get('/me')).body.role).toBe('owner')
    })

    it('403 when an admin adds, changes or removes an owner; 409 for the last owner', async () => {
      const { workspaceId, owner } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      expectError(await admin.post('/members', { email: newEmail(), role: 'owner' }), 403)
      expectError(await admin.patch(`/members/${owner.userId}`, { role: 'viewer' }), 403)
      expectError(await admin.delete(`/members/${owner.userId}`), 403)
      const person = await personWith(app(), workspaceId, 'owner')
      const second = app().asPerson(person, workspaceId)
      expect((await second.patch(`/members/${owner.userId}`, { role: 'admin' })).status).toBe(200)
      expectError(await second.patch(`/members/${person.userId}`, { role: 'viewer' }), 409)
      expectError(await second.delete(`/members/${person.userId}`), 409)
      expect((await second.get('/me')).body.role).toBe('owner')
    })

    it('401 for a key and without credentials, 403 below admin, on each of them', async () => {
      const { workspaceId, client } = await app().newWorkspace()
      const editor = await browserWith(app(), workspaceId, 'editor')
      for (const [method, path, body] of [
        ['GET', '/members', undefined],
        ['POST', '/members', { email: newEmail(), role: 'viewer' }],
        ['PATCH', `/members/${ABSENT_ID}`, { role: 'viewer' }],
        ['DELETE', `/members/${ABSENT_ID}`, undefined],
      ] as const) {
        const sent = body === undefined ? {} : { body }
        expectError(await client.send(method, path, sent), 401)
        expectUnauthorized(await app().anonymous.send(method, path, sent))
        expectError(await editor.send(method, path, sent), 403)
      }
    })

    it.each([
      [{ email: 'nobody', role: 'viewer' }, /e-mail/],
      [{ email: 'a@example.com', role: 'king' }, /role/],
      [{ email: 'a@example.com' }, /role/],
      [{ role: 'viewer' }, /email/],
      [{ email: 'a@example.com', role: 'viewer', userId: ABSENT_ID }, /userId/],
    ])('POST 400 for %j', async (body, message) => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      expectError(await admin.post('/members', body), 400, message)
      expect((await admin.list('/members')).filter(({ state }) => state === 'invited')).toEqual([])
    })

    describe('GET /me', () => {
      it('200 for a key is its owner, with at most the role editor', async () => {
        const { client, workspaceId, owner } = await app().newWorkspace()
        const { status, body } = await client.get('/me')
        expect(status).toBe(200)
        expect(body).toEqual({
          kind: 'api-key',
          userId: owner.userId,
          name: 'Test Person',
          email: expect.stringContaining('@example.com'),
          role: 'editor',
          workspaceId,
        })
      })

      it('200 for a session has its role in the named application; 401 without credentials', async () => {
        const { workspaceId } = await app().newWorkspace()
        const person = await personWith(app(), workspaceId, 'viewer')
        expect((await app().asPerson(person, workspaceId).get('/me')).body).toEqual({
          kind: 'session',
          userId: person.userId,
          name: 'Test Person',
          email: person.email,
          role: 'viewer',
          workspaceId,
        })
        expectUnauthorized(await app().anonymous.get('/me'))
        expectError(await app().asPerson(person).get('/me'), 401)
      })
    })
  },
  { works: false },
)
