/** Forgotten passwords, disabled accounts and the end of sessions, as the operator brings them about. */

import { describe, expect, it } from 'vitest'
import {
  type AccountOperation,
  createResetToken,
  disableAccount,
  enableAccount,
  endAccountSessions,
} from '../../src/auth/accounts/manage-accounts.ts'
import { insertMember } from '../../src/auth/members/member-queries.ts'
import { findAttempts } from '../../src/auth/sign-in/login-attempt-queries.ts'
import { idGenerator, NIL_ID } from '../../src/base/ids.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { PASSWORD } from '../harness/test-app.ts'
import { expectError, expectUnauthorized } from './answer-forms.ts'
import { HOUR, movableClock, SECOND } from './movable-clock.ts'
import { tokenOf } from './team.ts'

const clock = movableClock()
const newId = idGenerator(clock)
const NEW_PASSWORD = 'another horse, another battery'

describeEachEngine(
  'accounts',
  (app) => {
    const operate = <Result>(work: (parts: AccountOperation) => Promise<Result>) =>
      app().storage.transaction((tx) => {
        const by = { kind: 'command-line', userId: NIL_ID } as const
        return work({ tx, clock, newId, requestId: 'command-line', address: '', by })
      })
    const signIn = (email: string, password = PASSWORD) =>
      app().anonymous.post('/api/auth/sign-in/email', { email, password })
    const reset = (token: string, password = NEW_PASSWORD, more = {}) =>
      app().anonymous.post('/password-resets', { token, password, ...more })
    const lookUp = (token: string) => app().anonymous.post('/password-resets/lookup', { token })

    async function member() {
      const { workspaceId } = await app().newWorkspace()
      const person = await app().newPerson([{ workspaceId, role: 'admin' }])
      const browser = app().asPerson(person, workspaceId)
      const { body } = await browser.post('/api-keys', { name: 'own' })
      const actions = async () => {
        const owner = app().asPerson(await app().newPerson([{ workspaceId, role: 'owner' }]), workspaceId)
        const log = await owner.list('/audit-log')
        return log
          .filter(({ action, resourceId }) => resourceId === person.userId && String(action).startsWith('account.'))
          .map(({ action, actorKind }) => [action, actorKind])
      }
      return { ...person, workspaceId, browser, key: app().withKey(String(body.key)), actions }
    }

    describe('a reset link', () => {
      it('lets its holder choose a password once, and ends every session', async () => {
        const { email, browser, key, actions } = await member()
        const token = await operate((work) => createResetToken(work, email.toUpperCase()))
        const grants = { apiKeys: 1, invitations: 0, sharedLinks: 0 }
        expect((await lookUp(token)).body).toEqual({ email, grants, revokesGrants: true })
        expect((await browser.get('/me')).status).toBe(200)
        expectError(await reset(token, 'short'), 400)
        expectError(await reset(token, `Touchstone2026!`), 400)
        const done = await reset(token)
        expect([done.status, done.body]).toEqual([200, { email }])
        expectUnauthorized(await browser.get('/me'))
        expectUnauthorized(await key.get('/me'))
        expectError(await signIn(email), 401)
        expect((await signIn(email, NEW_PASSWORD)).status).toBe(200)
        expectError(await reset(token), 404, 'Reset link not found')
        expectError(await lookUp(token), 404, 'Reset link not found')
        expect(await actions()).toEqual([
          ['account.password-reset', 'session'],
          ['account.reset-link-created', 'command-line'],
        ])
      })

      it('of the operator revokes the keys and invitations of the account in all its applications', async () => {
        const { email, userId, browser, key, workspaceId, cookie, token: own } = await member()
        const elsewhere = await app().newWorkspace()
        await app().storage.transaction((tx) =>
          insertMember(tx, {
            workspaceId: elsewhere.workspaceId,
            userId,
            role: 'editor',
            createdAt: new Date().toISOString(),
          }),
        )
        const there = app().asPerson({ userId, email, cookie, token: own }, elsewhere.workspaceId)
        const { body: created } = await there.post('/api-keys', { name: 'there', expiresAt: null })
        const { body: invited } = await browser.post('/members', { email: 'stranger@example.com', role: 'viewer' })
        const token = await operate((work) => createResetToken(work, email))
        expect((await lookUp(token)).body).toMatchObject({ grants: { apiKeys: 2, invitations: 1, sharedLinks: 0 } })
        expect((await reset(token)).status).toBe(200)
        expectUnauthorized(await key.get('/me'))
        expectUnauthorized(await app().withKey(String(created.key)).get('/me'))
        const link = { token: tokenOf(String(invited.invitationUrl)) }
        expectError(await app().anonymous.post('/invitations/lookup', link), 404)
        expect((await elsewhere.client.get('/me')).status).toBe(200)
        const owner = app().asPerson(await app().newPerson([{ workspaceId, role: 'owner' }]), workspaceId)
        const log = await owner.list('/audit-log?action=api-key.revoked,invitation.withdrawn')
        expect(log.map(({ action, actorId }) => [action, actorId])).toEqual([
          ['api-key.revoked', userId],
          ['invitation.withdrawn', userId],
        ])
      })

      it('by e-mail keeps the keys of the account, unless its user asks for their end', async () => {
        for (const revokeGrants of [false, true]) {
          const { email, key } = await member()
          const token = await operate((work) => createResetToken(work, email, 'e-mail'))
          expect((await lookUp(token)).body).toMatchObject({ revokesGrants: false, grants: { apiKeys: 1 } })
          expect((await reset(token, NEW_PASSWORD, { revokeGrants })).status).toBe(200)
          expect((await key.get('/me')).status).toBe(revokeGrants ? 401 : 200)
        }
      })

      it('resets earlier failed attempts', async () => {
        const { email } = await member()
        const failures = async () =>
          (await findAttempts(app().storage.read, `account:${email.toLowerCase()}`))?.failures ?? 0
        for (let guess = 0; guess < 3; guess += 1) await signIn(email, `wrong password ${guess}`)
        expect(await failures()).toBe(3)
        const token = await operate((work) => createResetToken(work, email))
        expect((await reset(token)).status).toBe(200)
        expect(await failures()).toBe(0)
        expect((await signIn(email, NEW_PASSWORD)).status).toBe(200)
      })

      it('is replaced by the next one, and ends with a change of the password', async () => {
        const { email, browser } = await member()
        const first = await operate((work) => createResetToken(work, email))
        const second = await operate((work) => createResetToken(work, email))
        expectError(await reset(first), 404, 'Reset link not found')
        const change = { currentPassword: PASSWORD, newPassword: 'a third battery, and a horse' }
        expect((await browser.post('/api/auth/change-password', change)).status).toBe(200)
        expectError(await reset(second), 404, 'Reset link not found')
      })

      it('is used once, for any number of concurrent requests', async () => {
        const { email } = await member()
        const token = await operate((work) => createResetToken(work, email))
        const answers = await Promise.all([reset(token), reset(token), reset(token)])
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404])
      })

      it('is stored as a hash, and is not created without an account', async () => {
        const { email } = await member()
        const token = await operate((work) => createResetToken(work, email))
        const rows = await app().storage.read.selectFrom('password_resets').selectAll().execute()
        expect(JSON.stringify(rows)).not.toContain(token)
        const missing = operate((work) => createResetToken(work, 'nobody@example.com'))
        await expect(missing).rejects.toMatchObject({ message: 'Account not found' })
        // The placeholder of the first start is not a real account: its link comes from the set-up.
        const [placeholder] = await app()
          .storage.read.selectFrom('users')
          .select('email')
          .where('email', 'like', '%@setup.invalid')
          .execute()
        const taken = operate((work) => createResetToken(work, String(placeholder?.email)))
        await expect(taken).rejects.toMatchObject({ message: 'Account not found' })
      })
    })

    describe('a disabled account', () => {
      it('is out at once, with its keys, and cannot sign in: the same text as for a wrong password', async () => {
        const { email, browser, key, token, actions } = await member()
        const link = await operate((work) => createResetToken(work, email))
        await operate((work) => disableAccount(work, email))
        expectUnauthorized(await browser.get('/me'))
        expectUnauthorized(await app().withKey(token).get('/workspaces'))
        expectUnauthorized(await key.get('/me'))
        const right = await signIn(email)
        const wrong = await signIn('nobody-at-all@example.com')
        expectError(right, 401, 'E-mail or password is wrong')
        expect(right.text).toBe(wrong.text)
        expectError(await reset(link), 404, 'Reset link not found')
        const linked = operate((work) => createResetToken(work, email))
        await expect(linked).rejects.toMatchObject({ message: 'The account is disabled; enable it first' })
        const sessions = app().storage.read.selectFrom('sessions').innerJoin('users', 'users.id', 'sessions.user_id')
        expect(await sessions.select('sessions.id').where('users.email', '=', email).execute()).toEqual([])

        await operate((work) => enableAccount(work, email))
        expect((await signIn(email)).status).toBe(200)
        expect((await key.get('/me')).status).toBe(200)
        expectUnauthorized(await browser.get('/me'))
        expect(await actions()).toEqual([
          ['account.enabled', 'command-line'],
          ['account.disabled', 'command-line'],
          ['account.reset-link-created', 'command-line'],
        ])
      })

      it('gets no session from a sign-in that began before', async () => {
        const { email, browser } = await member()
        const [signedIn] = await Promise.all([signIn(email), operate((work) => disableAccount(work, email))])
        if (signedIn.status === 200)
          expectUnauthorized(await app().withKey(String(signedIn.body.token)).get('/workspaces'))
        expectUnauthorized(await browser.get('/me'))
      })

      it('redeems no device code that it approved before', async () => {
        const { email, browser, workspaceId } = await member()
        const { body: code } = await app().anonymous.post('/api/auth/device/code', { client_id: 'cli' })
        await browser.get(`/api/auth/device?user_code=${code.user_code}`)
        const approval = { userCode: code.user_code, workspaceId, role: 'editor' }
        expect((await browser.post('/api/auth/device/approve', approval)).status).toBe(200)
        await operate((work) => disableAccount(work, email))
        const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', client_id: 'cli' }
        const token = await app().anonymous.post('/api/auth/device/token', { ...grant, device_code: code.device_code })
        expect(token.status).toBe(400)
      })
    })

    it('ended sessions are ended everywhere, and no other person’s', async () => {
      const { email, browser, actions } = await member()
      const bystander = await member()
      const second = await signIn(email)
      expect(await operate((work) => endAccountSessions(work, email))).toBe(2)
      expectUnauthorized(await browser.get('/me'))
      expectUnauthorized(await app().withKey(String(second.body.token)).get('/workspaces'))
      expect((await bystander.browser.get('/me')).status).toBe(200)
      expect(await actions()).toEqual([['account.sessions-ended', 'command-line']])
    })

    it('an admin removes a member from one application and touches neither the account nor its others', async () => {
      const { userId, email, workspaceId, browser, key } = await member()
      const other = await app().newWorkspace()
      const owner = app().asPerson(
        await app().newPerson([{ workspaceId: other.workspaceId, role: 'owner' }]),
        other.workspaceId,
      )
      const { body } = await owner.post('/members', { email, role: 'viewer' })
      await browser.post('/invitations/accept', { token: tokenOf(body.invitationUrl) })
      expect((await owner.delete(`/members/${userId}`)).status).toBe(204)
      expectError(await browser.get('/components', { 'x-ai-application-id': other.workspaceId }), 401)
      expect((await browser.get('/me', { 'x-ai-application-id': workspaceId })).status).toBe(200)
      expect((await key.get('/me')).status).toBe(200)
    })

    // The last one: sessions of the others would be older than they may.
    it('a reset link is good for an hour and not longer', async () => {
      const { email } = await member()
      const token = await operate((work) => createResetToken(work, email))
      clock.advance(HOUR - 10 * SECOND)
      expect((await lookUp(token)).status).toBe(200)
      clock.advance(11 * SECOND)
      expectError(await lookUp(token), 404, 'Reset link not found')
      expectError(await reset(token), 404, 'Reset link not found')
    })
  },
  { works: false, clock },
)
