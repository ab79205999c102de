import { expect, it } from 'vitest'
import { deleteExpiredSessions, endSessions } from '../../src/auth/accounts/session-queries.ts'
import { hashSecret } from '../../src/auth/api-keys/api-key-format.ts'
import { createApiKey } from '../../src/auth/api-keys/create-api-key.ts'
import { updateMemberRole } from '../../src/auth/members/member-queries.ts'
import type { Role } from '../../src/base/principal.ts'
import { DEVICE_GRANT, describeOnEachEngine, PASSWORD } from '../harness/auth-app.ts'

const ANN = 'ann@example.com'

describeOnEachEngine('device authorization (RFC 8628)', (app) => {
  async function start(change = {}) {
    const { body } = await app().post('device/code', { client_id: 'cli', device_name: 'laptop', ...change })
    const grant = { grant_type: DEVICE_GRANT, device_code: body.device_code, client_id: 'cli' }
    const poll = (change = {}) => app().post('device/token', { ...grant, ...change })
    return { code: body, userCode: String(body.user_code), poll }
  }

  async function startAndSignIn(own: Role = 'owner') {
    const { id } = await app().addAccount(ANN)
    const { workspaceId } = await app().addWorkspace(id, own)
    const { cookie } = await app().signIn(ANN)
    const device = await start()
    const show = (headers = cookie) => app().get(`device?user_code=${device.userCode}`, { headers })
    const decide = (decision: 'approve' | 'deny', headers = cookie, change = {}) => {
      const key = decision === 'approve' ? { workspaceId, role: 'viewer', ...change } : {}
      return app().post(`device/${decision}`, { userCode: device.userCode, ...key }, { headers })
    }
    return { ...device, userId: id, workspaceId, cookie, show, decide }
  }

  const keys = () => app().db.read.selectFrom('api_keys').selectAll().execute()

  it('a device gets the address for its user, the time limit and the polling interval', async () => {
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

  it('a device gets a key only after a signed-in user has seen and approved its code, and only once', async () => {
    const { poll, show, decide, userId, workspaceId, userCode } = await startAndSignIn()
    expect(await poll()).toMatchObject({ status: 400, text: '{"error":"authorization_pending"}' })
    expect(await show()).toMatchObject({
      status: 200,
      body: { user_code: userCode, status: 'pending', key_name: 'CLI on laptop', address: '192.0.2.1' },
    })
    expect(await decide('approve')).toMatchObject({ status: 200, body: { success: true } })
    expect(await keys()).toEqual([])
    app().wait(5_000)
    const granted = await poll()
    const [key] = await keys()
    expect(granted).toMatchObject({ status: 200 })
    expect(granted.body).toEqual({
      access_token: expect.stringMatching(/^[\w-]{50,}$/),
      token_type: 'Bearer',
      expires_in: 90 * 24 * 3_600,
      key_id: key?.id,
      role: 'viewer',
      workspace_id: workspaceId,
      workspace_name: 'Support',
    })
    expect(key).toMatchObject({
      name: 'CLI on laptop',
      role: 'viewer',
      workspace_id: workspaceId,
      created_by: userId,
      key_hash: hashSecret(String(granted.body.access_token)),
    })
    const events = await app().db.read.selectFrom('audit_events').select(['action', 'actor_id']).execute()
    expect(events).toContainEqual({ action: 'api-key.created', actor_id: userId })
    app().wait(5_000)
    expect(await poll()).toMatchObject({ status: 400, text: '{"error":"invalid_grant"}' })
  })

  it('polls with one code at the same moment create one key', async () => {
    const { poll, show, decide } = await startAndSignIn()
    await show()
    await decide('approve')
    const statuses = (await Promise.all([poll(), poll(), poll(), poll()])).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 400, 400, 400])
    expect(await keys()).toHaveLength(1)
  })

  it('OAuth clients may send forms, in which no parameter is given twice', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const { body } = await app().post('device/code', 'client_id=cli&device_name=my%20laptop&scope=all', { headers })
    const grant = `grant_type=${encodeURIComponent(DEVICE_GRANT)}&device_code=${body.device_code}&client_id=cli`
    const polled = await app().post('device/token', grant, { headers })
    expect(polled).toMatchObject({ status: 400, text: '{"error":"authorization_pending"}' })
    const twice = await app().post('device/token', `${grant}&client_id=other`, { headers })
    expect(twice).toMatchObject({ status: 400, text: '{"error":"invalid_request"}' })
  })

  it.each(['', 'x'.repeat(101), 'a\u0007b', 'a\u202eb', 'a\nb'])('a device cannot call itself %j', async (name) => {
    const { status } = await app().post('device/code', { client_id: 'cli', device_name: name })
    expect(status).toBe(400)
  })

  it('a device without a name gets a key with a name', async () => {
    await app().addAccount(ANN)
    const { cookie } = await app().signIn(ANN)
    const { body } = await app().post('device/code', { client_id: 'cli' })
    const shown = await app().get(`device?user_code=${body.user_code}`, { headers: cookie })
    expect(shown.body).toMatchObject({ key_name: 'CLI' })
  })

  it('a user grants at most the own role, at most editor, and only for applications of the user', async () => {
    const { show, decide, cookie, poll } = await startAndSignIn('annotator')
    await show()
    expect((await decide('approve', cookie, { role: 'editor' })).status).toBe(403)
    expect((await decide('approve', cookie, { role: 'admin' })).status).toBe(400)
    expect((await decide('approve', cookie, { role: 'nothing' })).status).toBe(400)
    const { id } = await app().addAccount('bob@example.com')
    const foreign = await app().addWorkspace(id)
    const denied = await decide('approve', cookie, foreign)
    const missing = await decide('approve', cookie, { workspaceId: app().newId() })
    expect([denied.status, missing.status]).toEqual([404, 404])
    expect(denied.text).toBe(missing.text)
    expect((await decide('approve', cookie, { workspaceId: 'x' })).status).toBe(400)
    expect(await poll()).toMatchObject({ status: 400, text: '{"error":"authorization_pending"}' })
  })

  it('an approval is worth nothing after its user has lost the role', async () => {
    const { show, decide, cookie, poll, userId, workspaceId } = await startAndSignIn('editor')
    await show()
    await decide('approve', cookie, { role: 'editor' })
    await app().db.transaction((tx) => updateMemberRole(tx, workspaceId, userId, 'viewer'))
    expect(await poll()).toMatchObject({ status: 400, text: '{"error":"access_denied"}' })
    app().wait(5_000)
    expect(await poll()).toMatchObject({ status: 400, text: '{"error":"invalid_grant"}' })
    expect(await keys()).toEqual([])
  })

  it('a user with the maximum number of keys gets an error before approving', async () => {
    const { show, decide, userId, workspaceId } = await startAndSignIn()
    await show()
    const key = { workspaceId, createdBy: userId, name: 'one of many', expiresAt: null }
    await app().db.transaction(async (tx) => {
      for (let count = 0; count < 50; count += 1) await createApiKey(tx, app(), key)
    })
    expect(await decide('approve')).toMatchObject({ status: 409, body: { error: expect.stringMatching(/at most 50/) } })
  })

  it('an address gets twenty codes, then one in thirty seconds, and does not use up those of others', async () => {
    const request = (address: string) => app().post('device/code', { client_id: 'cli' }, { address })
    const codes = await Promise.all(Array.from({ length: 60 }, () => request('203.0.113.5')))
    expect(codes.filter(({ status }) => status === 200)).toHaveLength(20)
    const rejected = codes.find(({ status }) => status === 429)
    expect(rejected?.headers.get('retry-after')).toBe('30')
    expect((await request('203.0.113.6')).status).toBe(200)
    app().wait(30_000)
    expect((await request('203.0.113.5')).status).toBe(200)
    expect((await request('203.0.113.5')).status).toBe(429)
  })

  it('a decision is final', async () => {
    const { show, decide } = await startAndSignIn()
    await show()
    expect((await decide('approve')).status).toBe(200)
    expect((await decide('deny')).status).toBe(409)
    expect((await decide('approve')).status).toBe(409)
    expect((await show()).body).toMatchObject({ status: 'approved' })
  })

  it('a code must be opened before it is decided', async () => {
    const { decide } = await startAndSignIn()
    expect((await decide('approve')).status).toBe(400)
    expect((await decide('deny')).status).toBe(400)
  })

  it('a device that polls too often gets slow_down', async () => {
    const { poll } = await start()
    await poll()
    app().wait(4_999)
    expect(await poll()).toMatchObject({ status: 400, text: '{"error":"slow_down"}' })
    app().wait(1)
    expect(await poll()).toMatchObject({ status: 400, text: '{"error":"authorization_pending"}' })
  })

  it('a denied device gets access_denied and no key', async () => {
    const { poll, show, decide } = await startAndSignIn()
    await show()
    await decide('deny')
    expect(await poll()).toMatchObject({ status: 400, text: '{"error":"access_denied"}' })
    expect(await keys()).toEqual([])
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
    expect(await keys()).toEqual([])
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

  it('no one decides without signing in, nor about a code that another user has opened', async () => {
    const { show, decide } = await startAndSignIn()
    expect(await decide('approve', { cookie: '' })).toMatchObject({ status: 401, body: { error: 'Sign in first' } })
    await app().addAccount('bob@example.com')
    const bob = await app().signIn('bob@example.com')
    await show()
    expect((await show(bob.cookie)).status).toBe(403)
    expect((await decide('approve', bob.cookie)).status).toBe(403)
    expect((await decide('deny', bob.cookie)).status).toBe(403)
  })

  it('a device cannot choose its user', async () => {
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
  ])('a wrong token request %j gets a standard error code', async (change, error) => {
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
