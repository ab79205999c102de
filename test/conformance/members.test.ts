import { describe, expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { PASSWORD } from '../harness/test-app.ts'
import { ABSENT_ID, expectError, expectUnauthorized, NEW_ID, TIMESTAMP } from './answer-forms.ts'
import { DAY, movableClock, SECOND } from './movable-clock.ts'
import { browserWith, personWith, stranger } from './team.ts'

const clock = movableClock()
let invited = 0
function newEmail(): string {
  invited += 1
  return `invited-${invited}-${process.pid}@example.com`
}

function tokenOf(url: unknown): string {
  return /\/invite#([\w-]{43})$/.exec(String(url))?.[1] ?? ''
}

describeEachEngine(
  '/members',
  (app) => {
    it('POST 201 of somebody who has an account makes them a member at once', async () => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const person = await stranger(app())
      const { status, body } = await admin.post('/members', { email: person.email.toUpperCase(), role: 'viewer' })
      expect(status).toBe(201)
      expect(body).toEqual({
        id: person.userId,
        userId: person.userId,
        name: 'Test Person',
        email: person.email,
        role: 'viewer',
        state: 'member',
        createdAt: TIMESTAMP,
        invitationUrl: null,
      })
      expect((await app().asPerson(person, workspaceId).get('/components')).status).toBe(200)
      expectError(await admin.post('/members', { email: person.email, role: 'admin' }), 409)
    })

    it('POST 201 of an unknown e-mail makes an invitation, whose link makes an account with that role', async () => {
      const { workspaceId } = await app().newWorkspace('Support bot')
      const admin = await browserWith(app(), workspaceId, 'admin')
      const email = newEmail()
      const { status, body } = await admin.post('/members', { email, role: 'annotator' })
      expect(status).toBe(201)
      const { invitationUrl, ...shown } = body
      expect(shown).toEqual({
        id: NEW_ID,
        userId: null,
        name: null,
        email,
        role: 'annotator',
        state: 'invited',
        createdAt: TIMESTAMP,
      })
      const token = tokenOf(invitationUrl)
      expect(token).not.toBe('')
      expect(await admin.list('/members')).toContainEqual(shown)
      const looked = await app().anonymous.post('/invitations/lookup', { token })
      expect(looked.status).toBe(200)
      expect(looked.body).toEqual({ email, workspaceName: 'Support bot' })
      const accepted = await app().anonymous.post('/invitations/accept', { token, name: 'Ann', password: PASSWORD })
      expect(accepted.status).toBe(201)
      expect(accepted.body).toEqual({ workspaceId })
      expectError(await app().anonymous.post('/invitations/lookup', { token }), 404, 'Invitation not found')
      const again = await app().anonymous.post('/invitations/accept', { token, name: 'Eve', password: PASSWORD })
      expectError(again, 404, 'Invitation not found')
      const signedIn = await app().anonymous.post('/api/auth/sign-in/email', { email, password: PASSWORD })
      expect(signedIn.status).toBe(200)
      const me = await app().withKey(String(signedIn.body.token)).get('/me', { 'x-ai-application-id': workspaceId })
      expect(me.body).toEqual({
        kind: 'session',
        userId: NEW_ID,
        name: 'Ann',
        email,
        role: 'annotator',
        workspaceId,
      })
      expect((await admin.list('/members')).filter((member) => member.email === email)).toMatchObject([
        { state: 'member', userId: me.body.userId },
      ])
    })

    it('an invitation ends after a week, when another is sent, and when it is withdrawn', async () => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const invite = async (email: string) => (await admin.post('/members', { email, role: 'viewer' })).body
      const lookUp = (token: string) => app().anonymous.post('/invitations/lookup', { token })
      const email = newEmail()
      const first = tokenOf((await invite(email)).invitationUrl)
      const second = tokenOf((await invite(email)).invitationUrl)
      expectError(await lookUp(first), 404, 'Invitation not found')
      expect((await lookUp(second)).status).toBe(200)
      const withdrawn = await invite(newEmail())
      expect((await admin.delete(`/members/${withdrawn.id}`)).status).toBe(204)
      expectError(await lookUp(tokenOf(withdrawn.invitationUrl)), 404, 'Invitation not found')
    })

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
        expect(Object.keys(member).sort()).toEqual(['createdAt', 'email', 'id', 'name', 'role', 'state', 'userId'])
    })

    it('PATCH 200 changes the role of a member, who may do that much from then on, and of an invitation', async () => {
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

    it('403 when an admin makes, changes or removes an owner; 409 when the last owner would go', async () => {
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

    it('401 for a key and for nobody, 403 below admin, on each of the four', async () => {
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
    ])('POST 400 for %j', async (body, sentence) => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      expectError(await admin.post('/members', body), 400, sentence)
      expect((await admin.list('/members')).filter(({ state }) => state === 'invited')).toEqual([])
    })

    it('an invitation refuses a weak password and stays open; the wrong token is 404', async () => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const { body } = await admin.post('/members', { email: newEmail(), role: 'viewer' })
      const token = tokenOf(body.invitationUrl)
      const accept = (fields: object) => app().anonymous.post('/invitations/accept', { token, name: 'Ann', ...fields })
      expectError(await accept({ password: 'short' }), 400)
      expectError(await accept({ password: PASSWORD, role: 'owner' }), 400, /role/)
      expectError(await accept({ token: 'x'.repeat(43), password: PASSWORD }), 404, 'Invitation not found')
      expect((await app().anonymous.post('/invitations/lookup', { token })).status).toBe(200)
    })

    describe('GET /me', () => {
      it('200 for a key is the person who made it, with at most the role editor', async () => {
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

      it('200 for a session has its role in the application named; 401 for nobody', async () => {
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

    it('an invitation is good for seven days and not longer', async () => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const { body } = await admin.post('/members', { email: newEmail(), role: 'viewer' })
      const token = tokenOf(body.invitationUrl)
      clock.advance(7 * DAY - 60 * SECOND)
      expect((await app().anonymous.post('/invitations/lookup', { token })).status).toBe(200)
      clock.advance(61 * SECOND)
      expectError(await app().anonymous.post('/invitations/lookup', { token }), 404, 'Invitation not found')
    })
  },
  { works: false, clock },
)
