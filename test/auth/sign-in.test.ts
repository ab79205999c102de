import { createHook } from 'node:async_hooks'
import { expect, it, onTestFinished, vi } from 'vitest'
import { usePasswordCost } from '../../src/auth/accounts/passwords.ts'
import { hashSecret } from '../../src/auth/api-keys/api-key-format.ts'
import { DEVICE_GRANT, describeOnEachEngine, PASSWORD, send } from '../harness/auth-app.ts'
import { CHEAP } from '../harness/cheap-passwords.ts'

const ANN = 'ann@example.com'
const WRONG = { error: 'E-mail or password is wrong' }

describeOnEachEngine('POST /api/auth/sign-in/email', (app) => {
  it('the right password, with the e-mail in any case, opens a session and sets a cookie that scripts and other hosts cannot touch', async () => {
    await app().addAccount(ANN)
    const { status, headers, body } = await app().post('sign-in/email', {
      email: 'ANN@Example.com',
      password: PASSWORD,
    })
    expect(status).toBe(200)
    expect(body.user).toMatchObject({ email: ANN })
    expect(headers.get('set-auth-token')).toBe(body.token)
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-session=[\w-]{43}\.[\w%]+; Max-Age=1209600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
      expect.stringMatching(
        /^__Host-device=[\w-]{22}\.[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ])
  })

  it('the token opens the session as a cookie and as a bearer token, and a changed signature does not', async () => {
    await app().addAccount(ANN)
    const { cookie, bearer } = await app().signIn(ANN)
    expect((await app().get('get-session', { headers: cookie })).body.user).toMatchObject({ email: ANN })
    expect((await app().get('get-session', { headers: bearer })).body.user).toMatchObject({ email: ANN })
    const tampered = String(cookie.cookie).replace(/.(%3D)$/, (all) => (all.startsWith('A') ? 'B%3D' : 'A%3D'))
    expect((await app().get('get-session', { headers: { cookie: tampered } })).text).toBe('null')
  })

  it('a wrong bearer token is not rescued by a good cookie', async () => {
    await app().addAccount(ANN)
    const { cookie } = await app().signIn(ANN)
    const both = { ...cookie, authorization: 'Bearer wrong' }
    expect((await app().get('get-session', { headers: both })).text).toBe('null')
    expect((await app().get('list-sessions', { headers: both })).status).toBe(401)
  })

  it('an unknown e-mail and a wrong password get the same response, byte for byte', async () => {
    await app().addAccount(ANN)
    const wrong = await app().post('sign-in/email', { email: ANN, password: 'something else entirely' })
    const unknown = await app().post('sign-in/email', { email: 'bob@example.com', password: 'something else entirely' })
    expect([wrong.status, wrong.body]).toEqual([401, WRONG])
    expect([unknown.status, unknown.text]).toEqual([401, wrong.text])
    expect([...unknown.headers]).toEqual([...wrong.headers])
  })

  it('an unknown e-mail needs as many password hashes as a wrong password, so that time does not distinguish them', async () => {
    await app().addAccount(ANN)
    const attempt = (email: string) => app().post('sign-in/email', { email, password: 'something else entirely' })
    expect(await hashesDuring(() => attempt(ANN))).toBe(1)
    expect(await hashesDuring(() => attempt('bob@example.com'))).toBe(1)
  })

  it('guesses for an account are delayed, and the right password works after the delay', async () => {
    await app().addAccount(ANN)
    const guess = (password: string) => app().post('sign-in/email', { email: ANN, password })
    const statuses: number[] = []
    for (let attempt = 1; attempt <= 6; attempt += 1) statuses.push((await guess('something else entirely')).status)
    expect(statuses).toEqual([401, 401, 401, 429, 429, 429])
    const last = await guess('something else entirely')
    expect([last.status, last.headers.get('retry-after'), last.body]).toEqual([
      429,
      '5',
      { error: 'E-mail or password is wrong. Too many attempts; wait before you try again' },
    ])
    const before = app().clock.now()
    expect((await guess(PASSWORD)).status).toBe(200)
    expect(app().clock.now() - before).toBe(5_000)
  })

  it('guesses of strangers delay the owner neither at another address nor on a known device', async () => {
    await app().addAccount(ANN)
    const { headers } = await app().post('sign-in/email', { email: ANN, password: PASSWORD })
    const device = {
      cookie: headers
        .getSetCookie()
        .map((cookie) => cookie.split(';', 1)[0])
        .join('; '),
    }
    for (let attempt = 1; attempt <= 40; attempt += 1) {
      await app().post('sign-in/email', { email: ANN, password: 'x' }, { address: '198.51.100.9' })
    }
    const before = app().clock.now()
    const known = { address: '198.51.100.9', headers: device }
    expect((await app().post('sign-in/email', { email: ANN, password: PASSWORD }, known)).status).toBe(200)
    expect((await app().post('sign-in/email', { email: ANN, password: PASSWORD })).status).toBe(200)
    expect(app().clock.now()).toBe(before)
  })

  it('twenty wrong attempts from an address that all share do not close sign-in: others get in, a second later each', async () => {
    await app().addAccount(ANN)
    for (let index = 0; index < 25; index += 1) {
      await app().post('sign-in/email', { email: `a${index}@example.com`, password: 'x' })
    }
    const before = app().clock.now()
    expect((await app().post('sign-in/email', { email: ANN, password: PASSWORD })).status).toBe(200)
    expect(app().clock.now() - before).toBeLessThanOrEqual(1_000)
  })

  it('concurrent guesses do not exceed the free ones', async () => {
    await app().addAccount(ANN)
    const guesses = Array.from({ length: 12 }, (_, index) =>
      app().post('sign-in/email', { email: ANN, password: `something else ${index}` }),
    )
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(3)
  })

  it('a device is known only to the accounts that have signed in on it, for any content of the cookie', async () => {
    await app().addAccount(ANN)
    await app().addAccount('bob@example.com')
    const { headers } = await app().post('sign-in/email', { email: ANN, password: PASSWORD })
    const cookie =
      headers
        .getSetCookie()
        .find((text) => text.startsWith('__Host-device='))
        ?.split(';', 1)[0] ?? ''
    const [id = '', mark = ''] = cookie.slice('__Host-device='.length).split('.')
    const fail = (value: string) =>
      app().post(
        'sign-in/email',
        { email: 'bob@example.com', password: 'x' },
        { headers: { cookie: `__Host-device=${value}` } },
      )
    for (const value of [`${id}.${mark}`, id, `${id}.`, `${'A'.repeat(22)}.${mark}`]) await fail(value)
    expect((await fail(`${id}.${mark}`)).status).toBe(429)
    const subjects = await app().db.read.selectFrom('login_attempts').select('subject').execute()
    expect(subjects.filter(({ subject }) => subject.startsWith('device:'))).toEqual([])
  })

  it('signing in again returns a new token and ends the previous session of the browser', async () => {
    await app().addAccount(ANN)
    const first = await app().signIn(ANN)
    const again = await app().post('sign-in/email', { email: ANN, password: PASSWORD }, { headers: first.cookie })
    expect(again.body.token).not.toBe(first.token)
    expect((await app().get('get-session', { headers: first.cookie })).text).toBe('null')
    expect(await app().db.read.selectFrom('sessions').selectAll().execute()).toHaveLength(1)
  })

  it('a password hashed with weaker parameters is hashed again at sign-in', async () => {
    usePasswordCost('recommended')
    onTestFinished(() => usePasswordCost(CHEAP))
    const { id } = await app().addAccount(ANN)
    const weak = '$argon2id$v=19$m=1024,t=1,p=1$YWFhYWFhYWFhYWFhYWFhYQ$J6sqknmstOrydFiLfc4B9Sdp3+gEQ8xB0hb+YSGR3V8'
    await app().db.transaction((tx) =>
      tx.updateTable('accounts').set({ password: weak }).where('user_id', '=', id).execute(),
    )
    expect((await app().post('sign-in/email', { email: ANN, password: PASSWORD })).status).toBe(200)
    const row = await app().db.read.selectFrom('accounts').select('password').executeTakeFirst()
    expect(row?.password).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect((await app().post('sign-in/email', { email: ANN, password: PASSWORD })).status).toBe(200)
  })

  it('a session that was not used for twelve hours, or is fourteen days old, opens nothing', async () => {
    await app().addAccount(ANN)
    const { cookie, token } = await app().signIn(ANN)
    const signedIn = async () => (await app().get('get-session', { headers: cookie })).text !== 'null'
    app().wait(12 * 3_600_000 - 1)
    expect(await signedIn()).toBe(true)
    app().wait(1)
    expect(await signedIn()).toBe(false)
    const used = (at: string) =>
      app().db.transaction((tx) =>
        tx.updateTable('sessions').set({ updated_at: at }).where('token_hash', '=', hashSecret(token)).execute(),
      )
    app().wait(13 * 24 * 3_600_000 + 12 * 3_600_000 - 1)
    await used('2100-01-01T00:00:00.000Z')
    expect(await signedIn()).toBe(true)
    app().wait(1)
    expect(await signedIn()).toBe(false)
  })

  it('neither session tokens nor device codes are anywhere in the database', async () => {
    const { id } = await app().addAccount(ANN)
    const { workspaceId } = await app().addWorkspace(id)
    const { token, cookie } = await app().signIn(ANN)
    const device = await app().post('device/code', { client_id: 'cli' })
    const approval = { userCode: device.body.user_code, workspaceId, role: 'viewer' }
    await app().get(`device?user_code=${device.body.user_code}`, { headers: cookie })
    await app().post('device/approve', approval, { headers: cookie })
    const kept = async () =>
      JSON.stringify([
        await app().db.read.selectFrom('sessions').selectAll().execute(),
        await app().db.read.selectFrom('device_codes').selectAll().execute(),
        await app().db.read.selectFrom('api_keys').selectAll().execute(),
        await app().db.read.selectFrom('accounts').selectAll().execute(),
        await app().db.read.selectFrom('verifications').selectAll().execute(),
        await app().db.read.selectFrom('login_attempts').selectAll().execute(),
      ])
    const before = await kept()
    expect(before).toContain(hashSecret(token))
    const grant = { grant_type: DEVICE_GRANT, client_id: 'cli', device_code: device.body.device_code }
    const granted = await app().post('device/token', grant)
    for (const secret of [token, device.body.device_code, granted.body.access_token]) {
      expect(secret).toMatch(/^[\w-]{43,}$/)
      expect(before + (await kept())).not.toContain(secret)
    }
  })

  it('nothing is printed to the console by the library', async () => {
    const printed = (['log', 'info', 'warn', 'error', 'debug'] as const).map((name) => vi.spyOn(console, name))
    await app().addAccount(ANN)
    await app().signIn(ANN)
    await app().post('sign-in/email', { email: ANN, password: 'wrong' })
    await app().post('sign-in/email', '{')
    for (const spy of printed) expect(spy).not.toHaveBeenCalled()
    vi.restoreAllMocks()
  })
})

describeOnEachEngine('POST /api/auth/sign-up/email', (app) => {
  const newcomer = { email: 'Bob@example.com', name: 'Bob', password: PASSWORD }

  it('does not exist while sign-up is closed', async () => {
    expect(await app().post('sign-up/email', newcomer)).toMatchObject({ status: 404, text: '{"error":"Not found"}' })
    expect(await app().db.read.selectFrom('users').selectAll().execute()).toEqual([])
  })

  it('creates an account that is signed in, once per e-mail, when it is open', async () => {
    const open = app().library({ openSignup: true })
    const first = await send(open, 'POST', 'sign-up/email', { body: newcomer })
    expect(first).toMatchObject({ status: 200, body: { user: { email: 'bob@example.com', name: 'Bob' } } })
    const second = await send(open, 'POST', 'sign-up/email', { body: newcomer })
    expect(second).toMatchObject({ status: 409, body: { error: 'Another account has this e-mail address' } })
    expect((await app().signIn('bob@example.com')).token).toMatch(/^[\w-]{43}$/)
  })

  it('rejects a password that is easily guessed', async () => {
    const open = app().library({ openSignup: true })
    const answer = await send(open, 'POST', 'sign-up/email', { body: { ...newcomer, password: 'password2026' } })
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringContaining('easy to guess') } })
  })
})

/** How often this process begins an argon2 hash meanwhile: the work itself, because times depend on the machine. */
async function hashesDuring(work: () => Promise<unknown>): Promise<number> {
  let hashes = 0
  const hook = createHook({
    init(_id, type) {
      if (type === 'ARGON2REQUEST') hashes += 1
    },
  }).enable()
  await work()
  hook.disable()
  return hashes
}
