import { expect, it } from 'vitest'
import { describeOnEachEngine, send } from '../harness/auth-app.ts'

const ANN = 'ann@example.com'

/** Every endpoint with a body, and a body that would be right. */
const BODIES: Record<string, Record<string, string>> = {
  'sign-in/email': { email: ANN, password: 'correct horse battery' },
  'sign-up/email': { email: 'bob@example.com', name: 'Bob', password: 'correct horse battery' },
  'change-password': { currentPassword: 'correct horse battery', newPassword: 'another horse battery' },
  'revoke-session': { id: '01a1dd0a-0b0f-725d-be5d-3d9779ecbd62' },
  'device/code': { client_id: 'cli' },
  'device/token': { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: 'x', client_id: 'cli' },
  'device/approve': {
    userCode: 'ABCDEFGH',
    workspaceId: '01a1dd0a-0b0f-725d-be5d-3d9779ecbd62',
    role: 'viewer',
  },
  'device/deny': { userCode: 'ABCDEFGH' },
}

const GARBAGE = [
  '{"email":',
  'null',
  '[]',
  '"x"',
  '42',
  '{}',
  '',
  '\ufeff',
  '['.repeat(60_000),
  '{"__proto__":{"a":1}}',
]

const VALUES = [5, true, null, [], {}, '', '\0', '\ud800', 'x'.repeat(1_001), ['a'], { $ne: '' }]

describeOnEachEngine('errors of /api/auth', (app) => {
  async function signedIn() {
    await app().addAccount(ANN)
    const { cookie } = await app().signIn(ANN)
    const library = app().library({ openSignup: true })
    let address = 0
    // From a new address each time: this is about the message, not the rate.
    return (path: string, body: unknown, headers = {}) => {
      address += 1
      const from = `198.51.100.${address % 250}`
      return send(library, 'POST', path, { body, headers: { ...cookie, ...headers }, address: `${from}.${address}` })
    }
  }

  it('garbage in a body gets 4xx and one message, on every endpoint', async () => {
    const post = await signedIn()
    for (const path of Object.keys(BODIES)) {
      for (const body of GARBAGE) {
        const answer = await post(path, body)
        expect([path, body.slice(0, 20), answer.status]).toEqual([path, body.slice(0, 20), 400])
        expect(Object.keys(answer.body)).toEqual(['error'])
        expect(answer.body.error).toEqual(expect.any(String))
      }
    }
  })

  it('a body above the size limit is rejected with 413', async () => {
    const answer = await app().post('sign-in/email', { email: ANN, password: 'x'.repeat(65_536) })
    expect(answer).toMatchObject({ status: 413, body: { error: 'The request body is larger than 65536 bytes' } })
  })

  it('a field of another type, empty, too long or not storable gets 400 and its name, on every endpoint', async () => {
    const post = await signedIn()
    for (const [path, right] of Object.entries(BODIES)) {
      for (const field of Object.keys(right)) {
        for (const value of VALUES) {
          const answer = await post(path, { ...right, [field]: value })
          const status = [path, field, JSON.stringify(value)?.slice(0, 20), answer.status]
          expect(status).toEqual([...status.slice(0, 3), 400])
          expect(Object.keys(answer.body)).toEqual(['error'])
        }
      }
    }
    const { body } = await post('sign-in/email', { email: ANN, password: 5 })
    expect(body).toEqual({ error: 'The field password must be a string' })
  })

  it('an unknown field is rejected, except where OAuth requires to ignore it', async () => {
    const post = await signedIn()
    for (const [path, right] of Object.entries(BODIES)) {
      const answer = await post(path, { ...right, callbackURL: 'https://evil.example' })
      if (path === 'device/code') expect(answer.status).toBe(200)
      else if (path === 'device/token') expect(answer.body).toEqual({ error: 'invalid_grant' })
      else expect(answer.body).toEqual({ error: 'The field callbackURL is not known' })
    }
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/jsonx'])(
    'a body sent as %s, which another site could send without a preflight, is rejected with 415',
    async (type) => {
      const post = await signedIn()
      // OAuth clients send forms to these two, which use no session.
      const isForm = type === 'application/x-www-form-urlencoded'
      const needJson = Object.entries(BODIES).filter(([path]) => !isForm || !/^device\/(code|token)$/.test(path))
      for (const [path, right] of needJson) {
        expect((await post(path, right, { 'content-type': type })).status).toBe(415)
      }
    },
  )

  it.each(['a', 'a@', '@b.org', 'a b@c.org', 'a@b', `${'a'.repeat(250)}@b.org`, "' or 1=1 --", 'a@b.org\n'])(
    'the e-mail %j is rejected before it is looked up',
    async (email) => {
      const answer = await app().post('sign-in/email', { email, password: 'x' })
      expect(answer).toMatchObject({
        status: 400,
        body: { error: 'The e-mail address must have the format name@example.com' },
      })
    },
  )

  it.each([
    '',
    'ok',
    'error',
    'update-user',
    'delete-user',
    'sign-in/social',
    'reset-password',
    'verify-password',
    'list-accounts',
  ])("the library's endpoint %j does not exist here", async (path) => {
    for (const answer of [await app().get(path), await app().post(path, {})]) {
      expect([answer.status, answer.text]).toEqual([404, '{"error":"Not found"}'])
    }
  })

  it('another method on a known path gets 405 and the right one', async () => {
    const answer = await app().get('sign-in/email')
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
    const other = await app().post('get-session', {})
    expect([other.status, other.headers.get('allow'), other.text]).toEqual([
      405,
      'GET',
      '{"error":"Method not allowed"}',
    ])
  })

  it('endpoints that need a session reject a request without one before they read the body', async () => {
    for (const path of [
      'change-password',
      'revoke-session',
      'revoke-sessions',
      'revoke-other-sessions',
      'device/approve',
      'device/deny',
    ]) {
      const answer = await app().post(path, '{')
      expect([path, answer.status, answer.text]).toEqual([path, 401, '{"error":"Sign in first"}'])
    }
    expect((await app().get('list-sessions')).status).toBe(401)
    expect((await app().get('device?user_code=ABCDEFGH')).status).toBe(401)
  })

  it.each([
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Basic YTpi',
    "Bearer ' or 1=1 --",
    `Bearer ${'x'.repeat(10_000)}`,
    'Bearer %00',
  ])('the credential %j opens nothing', async (authorization) => {
    expect((await app().get('list-sessions', { headers: { authorization } })).status).toBe(401)
  })

  it.each([
    '__Host-session=',
    '__Host-session=%E0%A4%A',
    '__Host-session=.',
    '__Host-session=a.b',
    'session=a.b',
    ';;;',
    '=',
  ])('the cookie %j opens nothing', async (cookie) => {
    expect((await app().get('list-sessions', { headers: { cookie } })).status).toBe(401)
  })

  it('every response forbids caching', async () => {
    for (const answer of [
      await app().get('get-session'),
      await app().get('nothing'),
      await app().post('sign-in/email', {}),
    ]) {
      expect(answer.headers.get('cache-control')).toBe('no-store')
    }
  })

  it('a database error becomes a response without its message, and grants no access', async () => {
    await app().addAccount(ANN)
    const signIn = () => app().post('sign-in/email', { email: ANN, password: 'correct horse battery' })
    const rename = (from: string, to: string) =>
      app().db.transaction((tx) => tx.schema.alterTable(from).renameTo(to).execute())
    for (const table of ['login_attempts', 'users', 'sessions']) {
      await rename(table, 'gone')
      const answer = await signIn()
      expect([table, answer.status, answer.text]).toEqual([table, 500, '{"error":"Internal server error"}'])
      await rename('gone', table)
    }
    expect(await app().db.read.selectFrom('sessions').selectAll().execute()).toEqual([])
    expect((await signIn()).status).toBe(200)
  })
})
