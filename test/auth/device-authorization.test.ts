import { expect, it } from 'vitest'
import { deleteExpiredSessions, endSessions } from '../../src/auth/session-queries.ts'
import { DEVICE_GRANT, describeOnEachEngine, PASSWORD } from '../harness/auth-app.ts'

const ANN = 'ann@example.com'

describeOnEachEngine('device authorization (RFC 8628)', (app) => {
  async function start() {
    const { body } = await app().post('device/code', { client_id: 'cli', scope: 'all' })
    const grant = { grant_type: DEVICE_GRANT, device_code: body.device_code, client_id: 'cli' }
    const poll = (change = {}) => app().post('device/token', { ...grant, ...change })
    return { code: body, userCode: String(body.user_code), poll }
  }

  async function startAndSignIn() {
    const { id } = await app().addAccount(ANN)
    const { cookie } = await app().signIn(ANN)
    const device = await start()
    const show = () => app().get(`device?user_code=${device.userCode}`, { headers: cookie })
    const decide = (decision: 'approve' | 'deny', headers = cookie) =>
      app().post(`device/${decision}`, { userCode: device.userCode }, { headers })
    return { ...device, userId: id, cookie, show, decide }
  }

  it('a device learns where to send its person, how long it may wait and how often it may ask', async () => {
    const { code, userCode } = await start()
    expect(userCode).toMatch(/^[A-Z2-9]{8}$/)
    expect(code).toEqual({
      device_code: expect.stringMatching(/^[\w-]{43}$/),
      user_code: userCode,
      verification_uri: 'https://touchstone.example/device',
      verification_uri_complete: `https://touchstone.example/device?user_code=${userCode}`,
      expires_in: 600,
      interval: 5,
    })
  })

  it('a device gets a session only after a signed-in person has seen and approved its code, and only once', async () => {
    const { poll, show, decide, userId } = await startAndSignIn()
    expect(await poll()).toMatchObject({ status: 400, text: '{"error":"authorization_pending"}' })
    expect(await show()).toMatchObject({ status: 200, body: { status: 'pending', client_id: 'cli', scope: 'all' } })
    expect(await decide('approve')).toMatchObject({ status: 200, body: { success: true } })
    app().wait(5_000)
    const granted = await poll()
    expect(granted).toMatchObject({ status: 200, body: { token_type: 'Bearer', scope: 'all' } })
    const headers = { authorization: `Bearer ${granted.body.access_token}` }
    expect((await app().get('get-session', { headers })).body.user).toMatchObject({ id: userId, email: ANN })
    app().wait(5_000)
    expect(await poll()).toMatchObject({ status: 400, text: '{"error":"invalid_grant"}' })
  })

  it('two devices that poll with one code at the same moment do not both get a session', async () => {
    const { poll, show, decide } = await startAndSignIn()
    await show()
    await decide('approve')
    const statuses = (await Promise.all([poll(), poll(), poll(), poll()])).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 400, 400, 400])
  })

  it('a device that asks too often is told to slow down', async () => {
    const { poll } = await start()
    await poll()
    app().wait(4_999)
    expect(await poll()).toMatchObject({ status: 400, text: '{"error":"slow_down"}' })
    app().wait(1)
    expect(await poll()).toMatchObject({ status: 400, text: '{"error":"authorization_pending"}' })
  })

  it('a denied device is told so and gets nothing', async () => {
    const { poll, show, decide } = await startAndSignIn()
    await show()
    await decide('deny')
    expect(await poll()).toMatchObject({ status: 400, text: '{"error":"access_denied"}' })
    expect(await app().db.read.selectFrom('sessions').selectAll().execute()).toHaveLength(1)
  })

  it('a code is worth nothing after ten minutes, to the device and to the person', async () => {
    const { poll, show, decide } = await startAndSignIn()
    await show()
    app().wait(600_001)
    expect(await decide('approve')).toMatchObject({ status: 400, body: { error: expect.stringMatching(/expired/i) } })
    expect(await poll()).toMatchObject({ status: 400, text: '{"error":"expired_token"}' })
  })

  it('a code that was approved and not redeemed ends with the sessions of its person', async () => {
    const { poll, show, decide, userId } = await startAndSignIn()
    await show()
    await decide('approve')
    await app().db.transaction((tx) => endSessions(tx, userId))
    expect(await poll()).toMatchObject({ status: 400, text: '{"error":"invalid_grant"}' })
    expect(await app().db.read.selectFrom('sessions').selectAll().execute()).toEqual([])
  })

  it('a code that was approved and not redeemed ends with a change of the password', async () => {
    const { poll, show, decide, cookie } = await startAndSignIn()
    await show()
    await decide('approve')
    const change = { currentPassword: PASSWORD, newPassword: 'another horse battery' }
    expect((await app().post('change-password', change, { headers: cookie })).status).toBe(200)
    expect(await poll()).toMatchObject({ status: 400, text: '{"error":"invalid_grant"}' })
  })

  it('the code of one client is of no use to another', async () => {
    const { poll } = await start()
    expect(await poll({ client_id: 'other' })).toMatchObject({ status: 400, text: '{"error":"invalid_grant"}' })
  })

  it('nobody decides without signing in, nor about a code that another person has opened', async () => {
    const { show, decide } = await startAndSignIn()
    expect(await decide('approve', { cookie: '' })).toMatchObject({ status: 401, body: { error: 'Sign in first' } })
    await app().addAccount('bob@example.com')
    const bob = await app().signIn('bob@example.com')
    await show()
    expect((await decide('approve', bob.cookie)).status).toBe(403)
    expect((await decide('deny', bob.cookie)).status).toBe(403)
  })

  it('a device cannot choose whom it will be', async () => {
    const { id } = await app().addAccount(ANN)
    await app().post('device/code', { client_id: 'cli', user_id: id })
    expect(await app().db.read.selectFrom('device_codes').select('user_id').execute()).toEqual([{ user_id: null }])
  })

  it('codes that people type cannot be guessed faster than passwords', async () => {
    await app().addAccount(ANN)
    const { cookie } = await app().signIn(ANN)
    const statuses: number[] = []
    for (let guess = 0; guess < 21; guess += 1) {
      statuses.push((await app().get('device?user_code=ABCDEFGH', { headers: cookie })).status)
    }
    expect(statuses).toEqual([...Array.from({ length: 5 }, () => 400), ...Array.from({ length: 16 }, () => 429)])
  })

  it.each([
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
    [{ device_code: 'unknown' }, 'invalid_grant'],
    [{ device_code: 5 }, 'invalid_request'],
    [{ client_id: null }, 'invalid_request'],
    [{ device_code: '\0' }, 'invalid_request'],
  ])('a wrong token request %j is answered with a code that clients know', async (change, error) => {
    const { poll } = await start()
    expect(await poll(change)).toMatchObject({ status: 400, text: JSON.stringify({ error }) })
  })

  it('the housekeeper removes codes and sessions that have run out, and no others', async () => {
    await app().addAccount(ANN)
    await app().signIn(ANN)
    await start()
    const rows = async () => [
      await app().db.read.selectFrom('sessions').selectAll().execute(),
      await app().db.read.selectFrom('device_codes').selectAll().execute(),
    ]
    const clean = () => app().db.transaction((tx) => deleteExpiredSessions(tx, app().clock))
    await clean()
    expect((await rows()).map(({ length }) => length)).toEqual([1, 1])
    app().wait(600_000)
    await clean()
    expect((await rows()).map(({ length }) => length)).toEqual([1, 0])
    app().wait(12 * 3_600_000)
    await clean()
    expect((await rows()).map(({ length }) => length)).toEqual([0, 0])
  })
})
