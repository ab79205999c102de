import { describe, expect, it } from 'vitest'
import { resealSecondFactors } from '../../src/auth/second-factor/reseal-second-factors.ts'
import { createSealer } from '../../src/secrets/sealed-secret.ts'
import { type Answer, describeOnEachEngine, PASSWORD, send } from '../harness/auth-app.ts'
import { totpCode } from '../harness/totp.ts'

const ANN = 'ann@example.com'
const SECOND = 1_000

describeOnEachEngine('second factor', (app) => {
  const signIn = (headers: Record<string, string> = {}) =>
    app().post('sign-in/email', { email: ANN, password: PASSWORD }, { headers })
  const verify = (challenge: unknown, code: string, more: object = {}) =>
    app().post('two-factor/verify', { challenge, code, ...more })
  const isSignedIn = async (headers: Record<string, string>) =>
    (await app().get('get-session', { headers })).text !== 'null'
  const cookieOf = ({ headers }: Answer, name: string) =>
    headers
      .getSetCookie()
      .find((cookie) => cookie.startsWith(`${name}=`))
      ?.split(';')[0] ?? ''

  /** Ann, with her second factor on. `code` is the one of her app at this moment; no code is used twice. */
  async function withSecondFactor() {
    const { id } = await app().addAccount(ANN)
    const other = await app().signIn(ANN)
    const before = await app().signIn(ANN)
    const { body } = await app().post('two-factor/enable', { password: PASSWORD }, { headers: before.cookie })
    const uri = String(body.totpUri)
    const code = () => totpCode(uri, app().clock.now())
    const confirmed = await app().post('two-factor/confirm', { code: code() }, { headers: before.cookie })
    expect(confirmed.status).toBe(200)
    app().wait(60 * SECOND)
    const cookie = { cookie: cookieOf(confirmed, '__Host-session') }
    const recoveryCodes: string[] = Object(body.recoveryCodes)
    return { id, uri, code, recoveryCodes, cookie, confirmed, before, other }
  }

  describe('turning it on', () => {
    it('needs the password and a first code, and ends all other sessions', async () => {
      const { other, before, cookie, confirmed, recoveryCodes, uri } = await withSecondFactor()
      expect(uri).toMatch(/^otpauth:\/\/totp\/Touchstone:ann%40example\.com\?secret=[A-Z2-7]{32,}&issuer=Touchstone/)
      expect(new Set(recoveryCodes).size).toBe(10)
      expect(await isSignedIn(other.cookie)).toBe(false)
      expect(await isSignedIn(before.cookie)).toBe(false)
      expect(await isSignedIn(cookie)).toBe(true)
      expect(await isSignedIn({ authorization: `Bearer ${confirmed.body.token}` })).toBe(true)
      const { body } = await app().get('two-factor', { headers: cookie })
      expect(body).toEqual({ isEnabled: true, recoveryCodesLeft: 10, hasPassword: true })
      const again = await app().post('two-factor/enable', { password: PASSWORD }, { headers: cookie })
      expect(again).toMatchObject({ status: 409, body: { error: 'The second factor is on already' } })
    })

    it('does nothing with a wrong password or a wrong code', async () => {
      await app().addAccount(ANN)
      const { cookie } = await app().signIn(ANN)
      const wrong = await app().post('two-factor/enable', { password: 'wrong' }, { headers: cookie })
      expect(wrong).toMatchObject({ status: 400, body: { error: 'The password is wrong' } })
      await app().post('two-factor/enable', { password: PASSWORD }, { headers: cookie })
      const { status, body } = await app().post('two-factor/confirm', { code: '000000' }, { headers: cookie })
      expect([status, body.error]).toEqual([400, 'The code is wrong or was used before'])
      expect((await app().get('two-factor', { headers: cookie })).body).toEqual({
        isEnabled: false,
        recoveryCodesLeft: 0,
        hasPassword: true,
      })
      expect((await signIn()).body).toHaveProperty('token')
    })

    it('a set-up that was not finished is replaced by the next one', async () => {
      await app().addAccount(ANN)
      const { cookie } = await app().signIn(ANN)
      const setUp = async () =>
        String((await app().post('two-factor/enable', { password: PASSWORD }, { headers: cookie })).body.totpUri)
      const confirm = (uri: string) =>
        app().post('two-factor/confirm', { code: totpCode(uri, app().clock.now()) }, { headers: cookie })
      const [first, second] = [await setUp(), await setUp()]
      expect((await confirm(first)).status).toBe(400)
      expect((await confirm(second)).status).toBe(200)
    })

    it.each(['two-factor/enable', 'two-factor/confirm', 'two-factor/disable', 'two-factor/recovery-codes'])(
      '%s needs a session',
      async (path) => {
        expect((await app().post(path, { password: PASSWORD, code: '123456' })).status).toBe(401)
        expect((await app().get('two-factor')).status).toBe(401)
      },
    )

    it('stores neither the secret nor a recovery code in readable form, and none for another user', async () => {
      const { id, uri, recoveryCodes } = await withSecondFactor()
      const row = await app().db.read.selectFrom('two_factors').selectAll().executeTakeFirstOrThrow()
      const { sealer } = app()
      const location = { workspaceId: '00000000-0000-0000-0000-000000000000', table: 'two_factors', rowId: id }
      for (const column of ['secret', 'backup_codes'] as const) {
        expect(row[column]).toMatch(/^v1\./)
        expect(sealer.open(row[column], { ...location, column })).toBeDefined()
        expect(sealer.open(row[column], { ...location, column, rowId: app().newId() })).toBeUndefined()
      }
      const stored = JSON.stringify(row)
      expect(stored).not.toContain(recoveryCodes[0])
      expect(stored).not.toContain(new URL(uri).searchParams.get('secret'))
    })
  })

  describe('signing in', () => {
    it('creates no session for the password alone, and one for the code', async () => {
      const { code, id } = await withSecondFactor()
      const first = await signIn()
      expect(first.body).toEqual({ secondFactor: 'required', challenge: expect.any(String) })
      expect(first.headers.getSetCookie()).toEqual([])
      expect(first.headers.get('set-auth-token')).toBeNull()
      expect(await app().db.read.selectFrom('sessions').selectAll().execute()).toHaveLength(1)
      const second = await verify(first.body.challenge, code())
      expect(second).toMatchObject({ status: 200, body: { user: { id, email: ANN } } })
      expect(await isSignedIn({ cookie: cookieOf(second, '__Host-session') })).toBe(true)
      expect(await isSignedIn({ authorization: `Bearer ${second.body.token}` })).toBe(true)
      expect(second.headers.getSetCookie().some((cookie) => cookie.startsWith('__Host-device='))).toBe(true)
      expect(Object(second.body.user)).not.toHaveProperty('twoFactorEnabled')
    })

    it('rejects a wrong code, and one that was used before, also for another sign-in', async () => {
      const { code } = await withSecondFactor()
      const { challenge } = (await signIn()).body
      const used = code()
      const wrong = used === '000000' ? '000001' : '000000'
      expect(await verify(challenge, wrong)).toMatchObject({
        status: 401,
        body: { error: 'The code is wrong or was used before' },
      })
      expect((await verify(challenge, `${used.slice(0, 3)} ${used.slice(3)}`)).status).toBe(200)
      const next = (await signIn()).body.challenge
      expect((await verify(next, used)).status).toBe(401)
      app().wait(30 * SECOND)
      expect((await verify(next, used)).status).toBe(401)
      expect((await verify(next, code())).status).toBe(200)
    })

    it('rejects the code that turned it on', async () => {
      await app().addAccount(ANN)
      const { cookie } = await app().signIn(ANN)
      const { body } = await app().post('two-factor/enable', { password: PASSWORD }, { headers: cookie })
      const code = totpCode(String(body.totpUri), app().clock.now())
      await app().post('two-factor/confirm', { code }, { headers: cookie })
      expect((await verify((await signIn()).body.challenge, code)).status).toBe(401)
    })

    it('of concurrent requests with one code, only one gets a session', async () => {
      const { code } = await withSecondFactor()
      const challenges = [
        (await signIn()).body.challenge,
        (await signIn()).body.challenge,
        (await signIn()).body.challenge,
      ]
      const answers = await Promise.all(challenges.map((challenge) => verify(challenge, code())))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401])
    })

    it('a challenge works once, for ten minutes, and only unmodified', async () => {
      const { code } = await withSecondFactor()
      const { challenge } = (await signIn()).body
      expect((await verify(challenge, code())).status).toBe(200)
      app().wait(30 * SECOND)
      const expired = { status: 400, body: { error: 'This sign-in has expired; enter your password again' } }
      expect(await verify(challenge, code())).toMatchObject(expired)
      const late = (await signIn()).body.challenge
      app().wait(601 * SECOND)
      expect(await verify(late, code())).toMatchObject(expired)
      const forged = String((await signIn()).body.challenge).replace(/\.[^.]+$/, '.AAAA')
      expect(await verify(forged, code())).toMatchObject(expired)
      for (const odd of ['x', '%', 'a; __Host-session=b', '.', `${'a'.repeat(301)}`])
        expect(await verify(odd, code())).toMatchObject(expired)
    })

    it('a recovery code works once instead of a code', async () => {
      const { recoveryCodes, cookie } = await withSecondFactor()
      const [recovery = ''] = recoveryCodes
      expect((await verify((await signIn()).body.challenge, 'AAAAA-BBBBB')).status).toBe(401)
      expect((await verify((await signIn()).body.challenge, recovery)).status).toBe(200)
      app().wait(180 * SECOND)
      expect((await verify((await signIn()).body.challenge, recovery)).status).toBe(401)
      const { body } = await app().get('two-factor', { headers: cookie })
      expect(body).toEqual({ isEnabled: true, recoveryCodesLeft: 9, hasPassword: true })
    })

    it('new recovery codes replace the old ones, and need the password', async () => {
      const { recoveryCodes, cookie } = await withSecondFactor()
      const denied = await app().post('two-factor/recovery-codes', { password: 'wrong' }, { headers: cookie })
      expect(denied.status).toBe(400)
      const { body } = await app().post('two-factor/recovery-codes', { password: PASSWORD }, { headers: cookie })
      const [fresh = '']: string[] = Object(body.recoveryCodes)
      expect((await verify((await signIn()).body.challenge, recoveryCodes[0] ?? '')).status).toBe(401)
      expect((await verify((await signIn()).body.challenge, fresh)).status).toBe(200)
    })

    it('wrong codes make the next ones wait, also the right one, in all sign-ins together', async () => {
      const { code } = await withSecondFactor()
      for (let attempt = 0; attempt < 5; attempt += 1)
        await verify((await signIn()).body.challenge, `AAAAA-${attempt}AAAA`)
      const { challenge } = (await signIn()).body
      const denied = await verify(challenge, code())
      expect(denied.status).toBe(429)
      expect(denied.headers.get('retry-after')).toBe('1')
      app().wait(SECOND)
      expect((await verify(challenge, code())).status).toBe(200)
    })

    it('a trusted device needs no code for 30 days, until the password changes', async () => {
      const { code } = await withSecondFactor()
      const trusted = await verify((await signIn()).body.challenge, code(), { trustDevice: 'true' })
      const trust = { cookie: cookieOf(trusted, '__Host-trusted-device') }
      const cookie = trusted.headers.getSetCookie().find((text) => text.startsWith('__Host-trusted-device='))
      expect(cookie).toMatch(/HttpOnly/)
      expect(cookie).toMatch(/Secure/)
      const again = await signIn(trust)
      expect(again.body).toHaveProperty('token')
      const renewed = { cookie: cookieOf(again, '__Host-trusted-device') }
      expect((await signIn(trust)).body).toMatchObject({ secondFactor: 'required' })
      const session = { cookie: cookieOf(again, '__Host-session') }
      const change = { currentPassword: PASSWORD, newPassword: 'another horse battery' }
      expect((await app().post('change-password', change, { headers: session })).status).toBe(200)
      const last = await app().post('sign-in/email', { email: ANN, password: change.newPassword }, { headers: renewed })
      expect(last.body).toMatchObject({ secondFactor: 'required' })
    })

    it('neither the challenge nor the cookie of a trusted device serves as the other, or as a session', async () => {
      const { code } = await withSecondFactor()
      const trusted = await verify((await signIn()).body.challenge, code(), { trustDevice: 'true' })
      const trust = cookieOf(trusted, '__Host-trusted-device')
      app().wait(60 * SECOND)
      const challenge = String((await signIn()).body.challenge)
      expect((await signIn({ cookie: `__Host-trusted-device=${challenge}` })).body).toHaveProperty('challenge')
      expect((await verify(trust.split('=')[1], code())).status).toBe(400)
      expect(await isSignedIn({ cookie: `__Host-session=${challenge}` })).toBe(false)
      expect(await isSignedIn({ authorization: `Bearer ${challenge.split('.')[0]}` })).toBe(false)
      expect((await verify(challenge, code())).status).toBe(200)
    })

    it('a trusted device is trusted by one user, and only with an unmodified cookie', async () => {
      const { code } = await withSecondFactor()
      const trusted = await verify((await signIn()).body.challenge, code(), { trustDevice: 'true' })
      const cookie = cookieOf(trusted, '__Host-trusted-device')
      await app().addAccount('bob@example.com')
      const bob = await app().signIn('bob@example.com')
      const { body } = await app().post('two-factor/enable', { password: PASSWORD }, { headers: bob.cookie })
      const bobsCode = totpCode(String(body.totpUri), app().clock.now())
      await app().post('two-factor/confirm', { code: bobsCode }, { headers: bob.cookie })
      const asBob = { email: 'bob@example.com', password: PASSWORD }
      const foreign = await app().post('sign-in/email', asBob, { headers: { cookie } })
      expect(foreign.body).toMatchObject({ secondFactor: 'required' })
      for (const changed of [cookie.replace(/.%3D$/, '%3D'), cookie.replace(/\.[^.]+$/, ''), `${cookie}A`])
        expect((await signIn({ cookie: changed })).body).toMatchObject({ secondFactor: 'required' })
      const [first, second] = await Promise.all([signIn({ cookie }), signIn({ cookie })])
      expect([first, second].filter(({ body: { token } }) => token !== undefined)).toHaveLength(1)
      app().wait(30 * 24 * 3_600 * SECOND)
      const renewed = [first, second].map((answer) => cookieOf(answer, '__Host-trusted-device')).join('')
      expect((await signIn({ cookie: renewed })).body).toMatchObject({ secondFactor: 'required' })
    })

    it('a challenge accepts five codes, with any delay between them', async () => {
      const { code } = await withSecondFactor()
      const { challenge } = (await signIn()).body
      for (let attempt = 0; attempt < 5; attempt += 1) {
        expect((await verify(challenge, `AAAAA-${attempt}AAAA`)).status).not.toBe(200)
        app().wait(60 * SECOND)
      }
      expect((await verify(challenge, code())).status).toBe(400)
      expect((await verify((await signIn()).body.challenge, code())).status).toBe(200)
    })

    it('of concurrent requests to two servers with one recovery code, only one gets a session', async () => {
      const { recoveryCodes, cookie } = await withSecondFactor()
      const servers = [app().library({ openSignup: false }), app().library({ openSignup: false })]
      const challenges = await Promise.all(servers.map(async () => (await signIn()).body.challenge))
      const answers = await Promise.all(
        servers.map((server, index) => {
          const body = { challenge: challenges[index], code: recoveryCodes[0] }
          return send(server, 'POST', 'two-factor/verify', { body })
        }),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
      const { body } = await app().get('two-factor', { headers: cookie })
      expect(body).toMatchObject({ recoveryCodesLeft: 9 })
    })

    it('of concurrent requests to two servers with one challenge, only one gets a session', async () => {
      const { code, recoveryCodes, cookie } = await withSecondFactor()
      const servers = [app().library({ openSignup: false }), app().library({ openSignup: false })]
      const { challenge } = (await signIn()).body
      const codes = [code(), recoveryCodes[0]]
      const answers = await Promise.all(
        servers.map((server, index) =>
          send(server, 'POST', 'two-factor/verify', { body: { challenge, code: codes[index] } }),
        ),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
      // The one that was not needed can still be used.
      const left = answers[0]?.status === 200 ? 10 : 9
      expect((await app().get('two-factor', { headers: cookie })).body).toMatchObject({ recoveryCodesLeft: left })
    })

    it('ending all sessions also ends sign-ins that wait for a code', async () => {
      const { code, cookie } = await withSecondFactor()
      const { challenge } = (await signIn()).body
      await app().post('revoke-sessions', undefined, { headers: cookie })
      expect((await verify(challenge, code())).status).toBe(400)
    })
  })

  describe('turning it off', () => {
    it('needs the password, and ends the other sessions', async () => {
      const { cookie, code } = await withSecondFactor()
      const other = await verify((await signIn()).body.challenge, code())
      const wrong = await app().post('two-factor/disable', { password: 'wrong' }, { headers: cookie })
      expect(wrong).toMatchObject({ status: 400, body: { error: 'The password is wrong' } })
      expect((await signIn()).body).toHaveProperty('challenge')
      expect((await app().post('two-factor/disable', { password: PASSWORD }, { headers: cookie })).status).toBe(200)
      expect(await isSignedIn(cookie)).toBe(true)
      expect(await isSignedIn({ cookie: cookieOf(other, '__Host-session') })).toBe(false)
      expect((await signIn()).body).toHaveProperty('token')
      expect(await app().db.read.selectFrom('two_factors').selectAll().execute()).toEqual([])
    })
  })

  it('another secret key still opens it after rotation', async () => {
    const { code, id } = await withSecondFactor()
    const [old, fresh] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)]
    const rotating = createSealer({ secretKeys: [fresh, old], secretKeyFile: undefined })
    expect(await resealSecondFactors(app().db, rotating)).toEqual({ sealed: 1, unreadable: 0 })
    expect(await resealSecondFactors(app().db, rotating)).toEqual({ sealed: 0, unreadable: 0 })
    const row = await app()
      .db.read.selectFrom('two_factors')
      .select('secret')
      .where('user_id', '=', id)
      .executeTakeFirstOrThrow()
    expect(rotating.isCurrent(row.secret)).toBe(true)
    // The server of this test has only the old key.
    const { challenge } = (await signIn()).body
    expect(challenge).toBeUndefined()
    expect((await signIn()).status).toBe(409)
    const back = createSealer({ secretKeys: [old, fresh], secretKeyFile: undefined })
    expect(await resealSecondFactors(app().db, back)).toEqual({ sealed: 1, unreadable: 0 })
    expect((await verify((await signIn()).body.challenge, code())).status).toBe(200)
  })
})
