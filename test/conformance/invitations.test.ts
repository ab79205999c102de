import { describe, expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { PASSWORD } from '../harness/test-app.ts'
import { expectError, NEW_ID, TIMESTAMP } from './answer-forms.ts'
import { DAY, movableClock, SECOND } from './movable-clock.ts'
import { browserWith, newEmail, personWith, stranger, tokenOf } from './team.ts'

const clock = movableClock()

describeEachEngine(
  'joining an application',
  (app) => {
    const lookUp = (token: string) => app().anonymous.post('/invitations/lookup', { token })
    const signUp = (token: string) =>
      app().anonymous.post('/invitations/sign-up', { token, name: 'Ann', password: PASSWORD })
    const invite = async (by: Client, email: string, role = 'viewer') => {
      const { status, body } = await by.post('/members', { email, role })
      expect(status).toBe(201)
      return { id: String(body.id), token: tokenOf(body.invitationUrl) }
    }
    const membersOf = async (by: Client) => (await by.list('/members')).map(({ email, state }) => [email, state])

    it('an account gets in by the link and by accepting it, never by being named', async () => {
      const { workspaceId } = await app().newWorkspace('Support bot')
      const admin = await browserWith(app(), workspaceId, 'admin')
      const person = await stranger(app())
      const theirs = app().asPerson(person)
      const { token } = await invite(admin, person.email.toUpperCase(), 'annotator')
      expectError(await app().asPerson(person, workspaceId).get('/components'), 401)
      expect((await lookUp(token)).body).toEqual({
        email: person.email,
        workspaceName: 'Support bot',
        role: 'annotator',
        expiresAt: TIMESTAMP,
      })
      const accepted = await theirs.post('/invitations/accept', { token })
      expect({ status: accepted.status, body: accepted.body }).toEqual({ status: 201, body: { workspaceId } })
      expect((await app().asPerson(person, workspaceId).get('/me')).body.role).toBe('annotator')
      expectError(await theirs.post('/invitations/accept', { token }), 404, 'Invitation not found')
      expectError(await lookUp(token), 404, 'Invitation not found')
    })

    it.each(['by an own invitation', 'by open sign-up'])(
      'an account that a stranger created with the invited address %s gains nothing from the invitation',
      async (way) => {
        const email = newEmail()
        const home = await app().newWorkspace('Mallory’s')
        const mallory = await browserWith(app(), home.workspaceId, 'owner')
        if (way === 'by open sign-up') {
          const account = { email, name: 'Mallory', password: PASSWORD }
          expect((await app().anonymous.post('/api/auth/sign-up/email', account)).status).toBe(200)
        } else expect((await signUp((await invite(mallory, email)).token)).status).toBe(201)
        const signedIn = await app().anonymous.post('/api/auth/sign-in/email', { email, password: PASSWORD })
        const squatter = app().withKey(String(signedIn.body.token))

        const victim = await app().newWorkspace('Corp')
        const admin = await browserWith(app(), victim.workspaceId, 'admin')
        const { id } = await invite(admin, email, 'admin')
        expectError(await squatter.get('/components', { 'x-ai-application-id': victim.workspaceId }), 401)
        for (const token of [id, 'x'.repeat(43)])
          expectError(await squatter.post('/invitations/accept', { token }), 404, 'Invitation not found')
        const own = way === 'by open sign-up' ? [] : ['Mallory’s']
        expect((await squatter.list('/workspaces')).map(({ name }) => name)).toEqual(own)
        expect(await membersOf(admin)).toContainEqual([email, 'invited'])
      },
    )

    it('a link does not work for an account with another address, and stays valid for the right one', async () => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const email = newEmail()
      const { token } = await invite(admin, email)
      const other = app().asPerson(await stranger(app()))
      expectError(await other.post('/invitations/accept', { token }), 403, /another e-mail address/)
      expectError(await other.post('/invitations/accept', { token, email: 'eve@example.com' }), 400, /email/)
      const eve = { token, name: 'Eve', password: PASSWORD, email: 'eve@example.com' }
      expectError(await app().anonymous.post('/invitations/sign-up', eve), 400, /email/)
      expect((await signUp(token)).status).toBe(201)
      expect(await membersOf(admin)).toContainEqual([email, 'member'])
    })

    it('an invitation does not reveal accounts: the responses differ only in id, token and address', async () => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const known = (await stranger(app())).email
      const answers = [known, newEmail()].map(async (email) => {
        const { status, body, headers } = await admin.post('/members', { email, role: 'viewer' })
        expect(tokenOf(body.invitationUrl)).toHaveLength(43)
        const looked = await lookUp(tokenOf(body.invitationUrl))
        const shape = { ...body, id: NEW_ID, email: '', invitationUrl: '', createdAt: TIMESTAMP, expiresAt: TIMESTAMP }
        return {
          status,
          shape,
          type: headers.get('content-type'),
          looked: { ...looked.body, email: '', expiresAt: '' },
        }
      })
      const [ofKnown, ofUnknown] = await Promise.all(answers)
      expect(ofKnown).toEqual(ofUnknown)
      expect(ofKnown?.shape).toMatchObject({ userId: null, name: null, state: 'invited' })
    })

    it('an address with an account gets no second one by its link, which stays valid for that account', async () => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const person = await app().newPerson()
      const { token } = await invite(admin, person.email)
      expectError(await signUp(token), 409, /sign in/i)
      expect((await app().asPerson(person).post('/invitations/accept', { token })).status).toBe(201)
    })

    it('an invitation ends when another replaces it, and when it is withdrawn', async () => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const email = newEmail()
      const first = await invite(admin, email)
      const second = await invite(admin, email, 'editor')
      expect(second.id).toBe(first.id)
      expectError(await lookUp(first.token), 404, 'Invitation not found')
      expectError(await signUp(first.token), 404, 'Invitation not found')
      expect((await lookUp(second.token)).body.role).toBe('editor')
      const withdrawn = await invite(admin, newEmail())
      expect((await admin.delete(`/members/${withdrawn.id}`)).status).toBe(204)
      expectError(await lookUp(withdrawn.token), 404, 'Invitation not found')
      expectError(await signUp(withdrawn.token), 404, 'Invitation not found')
    })

    it('a member is not invited again', async () => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const { email } = await personWith(app(), workspaceId, 'viewer')
      expectError(await admin.post('/members', { email, role: 'editor' }), 409)
    })

    describe('an invitation to be owner', () => {
      it('is created, changed, replaced and withdrawn only by owners', async () => {
        const { workspaceId } = await app().newWorkspace()
        const admin = await browserWith(app(), workspaceId, 'admin')
        const owner = await browserWith(app(), workspaceId, 'owner')
        const email = newEmail()
        expectError(await admin.post('/members', { email, role: 'owner' }), 403)
        const { id, token } = await invite(owner, email, 'owner')
        expectError(await admin.delete(`/members/${id}`), 403)
        expectError(await admin.patch(`/members/${id}`, { role: 'viewer' }), 403)
        expectError(await admin.post('/members', { email, role: 'viewer' }), 403)
        expect((await lookUp(token)).body).toMatchObject({ role: 'owner' })
        expect((await owner.delete(`/members/${id}`)).status).toBe(204)
      })
    })

    describe('the author of an invitation', () => {
      it('invalidates it when removed, so that the author cannot come back with the link', async () => {
        const { workspaceId } = await app().newWorkspace()
        const owner = await browserWith(app(), workspaceId, 'owner')
        const leaving = await app().newPerson([{ workspaceId, role: 'admin' }])
        const { token } = await invite(app().asPerson(leaving, workspaceId), newEmail())
        expect((await owner.delete(`/members/${leaving.userId}`)).status).toBe(204)
        expectError(await lookUp(token), 404, 'Invitation not found')
        expectError(await signUp(token), 404, 'Invitation not found')
      })

      it('invalidates it when no longer allowed to create it, and no other', async () => {
        const { workspaceId } = await app().newWorkspace()
        const owner = await browserWith(app(), workspaceId, 'owner')
        const person = await app().newPerson([{ workspaceId, role: 'owner' }])
        const theirs = app().asPerson(person, workspaceId)
        const asOwner = await invite(theirs, newEmail(), 'owner')
        const asViewer = await invite(theirs, newEmail(), 'viewer')
        expect((await owner.patch(`/members/${person.userId}`, { role: 'admin' })).status).toBe(200)
        expectError(await lookUp(asOwner.token), 404)
        expect((await lookUp(asViewer.token)).status).toBe(200)
        expect((await owner.patch(`/members/${person.userId}`, { role: 'editor' })).status).toBe(200)
        expectError(await lookUp(asViewer.token), 404)
      })
    })

    it('a weak password or an unknown field is rejected, and the link stays valid', async () => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const { token } = await invite(admin, newEmail())
      const trySignUp = (fields: object) =>
        app().anonymous.post('/invitations/sign-up', { token, name: 'Ann', ...fields })
      expectError(await trySignUp({ password: 'short' }), 400)
      expectError(await trySignUp({ password: PASSWORD, role: 'owner' }), 400, /role/)
      expectError(await trySignUp({ token: 'x'.repeat(43), password: PASSWORD }), 404, 'Invitation not found')
      expectError(await app().anonymous.post('/invitations/accept', { token }), 401)
      expect((await lookUp(token)).status).toBe(200)
    })

    // The last one: sessions do not outlive the week.
    it('an invitation is good for seven days and not longer', async () => {
      const { workspaceId } = await app().newWorkspace()
      const email = newEmail()
      const { token } = await invite(await browserWith(app(), workspaceId, 'admin'), email)
      clock.advance(7 * DAY - 60 * SECOND)
      expect((await lookUp(token)).status).toBe(200)
      clock.advance(61 * SECOND)
      expectError(await lookUp(token), 404, 'Invitation not found')
      expectError(await signUp(token), 404, 'Invitation not found')
      const later = app().asPerson(await app().newPerson([{ workspaceId, role: 'owner' }]), workspaceId)
      expect(await membersOf(later)).not.toContainEqual([email, 'invited'])
    })
  },
  { works: false, clock, environment: { TOUCHSTONE_OPEN_SIGNUP: 'true' } },
)
