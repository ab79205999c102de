import { expect, it } from 'vitest'
import { setCredentials } from '../../src/auth/accounts/accounts.ts'
import { hashPassword } from '../../src/auth/accounts/passwords.ts'
import { hashSecret } from '../../src/auth/api-keys/api-key-format.ts'
import { describeOnEachEngine, PASSWORD } from '../harness/auth-app.ts'

const ANN = 'ann@example.com'
const NEW_PASSWORD = 'another horse battery'

describeOnEachEngine('sessions', (app) => {
  const isSignedIn = async (headers: Record<string, string>) =>
    (await app().get('get-session', { headers })).text !== 'null'

  async function twoSessions() {
    await app().addAccount(ANN)
    const first = await app().signIn(ANN)
    app().wait(1_000)
    return { first, second: await app().signIn(ANN) }
  }

  it('signing out removes the session itself, not only the cookie', async () => {
    const { first, second } = await twoSessions()
    const { status, headers } = await app().post('sign-out', undefined, { headers: first.cookie })
    expect(status).toBe(200)
    expect(headers.getSetCookie()).toEqual(['__Host-session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure'])
    const rows = await app().db.read.selectFrom('sessions').select('token_hash').execute()
    expect(rows).toEqual([{ token_hash: hashSecret(second.token) }])
  })

  it('signing out without a session, or twice, is no error', async () => {
    expect((await app().post('sign-out')).status).toBe(200)
    expect((await app().post('sign-out', {}, { headers: { authorization: 'Bearer gone' } })).status).toBe(200)
  })

  it('people see their own sessions, newest first, and no tokens or hashes', async () => {
    const { first, second } = await twoSessions()
    await app().addAccount('bob@example.com')
    await app().signIn('bob@example.com')
    const { text, body } = await app().get('list-sessions', { headers: first.bearer })
    expect(body.data).toEqual([
      expect.objectContaining({ isCurrent: false, ipAddress: '192.0.2.1' }),
      expect.objectContaining({ isCurrent: true }),
    ])
    const shown = text + (await app().get('get-session', { headers: first.cookie })).text
    for (const { token } of [first, second]) {
      expect(shown).not.toContain(token)
      expect(shown).not.toContain(hashSecret(token))
    }
  })

  it('one session can be ended by its id, by its owner only', async () => {
    const { first, second } = await twoSessions()
    await app().addAccount('bob@example.com')
    const bob = await app().signIn('bob@example.com')
    const { body } = await app().get('get-session', { headers: second.cookie })
    const { id } = Object(body.session)
    const foreign = await app().post('revoke-session', { id }, { headers: bob.cookie })
    const missing = await app().post('revoke-session', { id: app().newId() }, { headers: bob.cookie })
    expect([foreign.status, foreign.text]).toEqual([404, missing.text])
    expect((await app().post('revoke-session', { id }, { headers: first.cookie })).status).toBe(200)
    expect([await isSignedIn(first.cookie), await isSignedIn(second.cookie)]).toEqual([true, false])
  })

  it('ending the other sessions keeps the current one', async () => {
    const { first, second } = await twoSessions()
    await app().post('revoke-other-sessions', undefined, { headers: second.cookie })
    expect([await isSignedIn(first.cookie), await isSignedIn(second.cookie)]).toEqual([false, true])
  })

  it('ending all sessions ends the current one, too', async () => {
    const { first, second } = await twoSessions()
    await app().post('revoke-sessions', undefined, { headers: second.cookie })
    expect([await isSignedIn(first.cookie), await isSignedIn(second.cookie)]).toEqual([false, false])
  })

  it('a changed password ends every session and returns a new one', async () => {
    const { first, second } = await twoSessions()
    const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }
    const { status, body } = await app().post('change-password', change, { headers: first.cookie })
    expect(status).toBe(200)
    expect([await isSignedIn(first.cookie), await isSignedIn(second.bearer)]).toEqual([false, false])
    expect(await isSignedIn({ authorization: `Bearer ${body.token}` })).toBe(true)
    expect((await app().post('sign-in/email', { email: ANN, password: PASSWORD })).status).toBe(401)
    expect((await app().post('sign-in/email', { email: ANN, password: NEW_PASSWORD })).status).toBe(200)
  })

  it('a stolen session does not allow unlimited guesses of the password, or an easily guessed new one', async () => {
    await app().addAccount(ANN)
    const { cookie } = await app().signIn(ANN)
    const change = (currentPassword: string, newPassword = NEW_PASSWORD) =>
      app().post('change-password', { currentPassword, newPassword }, { headers: cookie })
    expect(await change(PASSWORD, 'password2026')).toMatchObject({ status: 400 })
    for (let guess = 1; guess <= 5; guess += 1) {
      expect(await change(`guess ${guess}`)).toMatchObject({
        status: 400,
        body: { error: 'The current password is wrong' },
      })
    }
    expect((await change(PASSWORD)).status).toBe(429)
    expect(await isSignedIn(cookie)).toBe(true)
  })

  it('an account taken over by set-up has the new e-mail and password only, and no sessions', async () => {
    const { id } = await app().addAccount(ANN)
    const { cookie } = await app().signIn(ANN)
    const credentials = { email: 'Root@example.com', name: 'Root', passwordHash: await hashPassword(NEW_PASSWORD) }
    const { clock, newId } = app()
    await app().db.transaction((tx) => setCredentials({ tx, clock, newId }, id, credentials))
    expect(await isSignedIn(cookie)).toBe(false)
    expect((await app().post('sign-in/email', { email: ANN, password: PASSWORD })).status).toBe(401)
    const answer = await app().post('sign-in/email', { email: 'root@example.com', password: NEW_PASSWORD })
    expect(answer).toMatchObject({ status: 200, body: { user: { id, name: 'Root' } } })
  })

  it('two accounts cannot have the same e-mail, in any case, also if created concurrently', async () => {
    const made = await Promise.allSettled(['c@x.org', 'C@x.org', 'c@X.org'].map((email) => app().addAccount(email)))
    expect(made.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected'])
    const { id } = await app().addAccount(ANN)
    const { clock, newId, db } = app()
    const taken = { email: 'C@x.org', name: 'C', passwordHash: 'x' }
    await expect(db.transaction((tx) => setCredentials({ tx, clock, newId }, id, taken))).rejects.toMatchObject({
      status: 409,
    })
  })
})
