import { afterEach, expect, it } from 'vitest'
import { type App, type AppDeps, startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { type Client, createClient } from '../harness/client.ts'
import { collectingLog } from '../harness/collecting-log.ts'
import { createTestDatabase, describeEngines, type TestDatabase } from '../harness/each-engine.ts'
import { PASSWORD } from '../harness/test-app.ts'
import { expectError, NEW_ID } from './answer-forms.ts'
import { HOUR, type MovableClock, movableClock } from './movable-clock.ts'

describeEngines('the first start', (engine) => {
  const opened: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of opened.splice(0).reverse()) await close()
  })

  async function newDatabase(): Promise<TestDatabase> {
    const database = await createTestDatabase(engine)
    opened.push(async () => database.remove())
    return database
  }

  async function start(
    { url }: TestDatabase,
    environment: Record<string, string> = {},
    clock: MovableClock = movableClock(),
    parts: Partial<AppDeps> = {},
  ): Promise<App & { anonymous: Client; clock: MovableClock }> {
    const config = readConfig({ DATABASE_URL: url, PORT: '0', TOUCHSTONE_LOG_LEVEL: 'silent', ...environment })
    const app = await startApp({ config, serves: true, works: false, clock, ...parts })
    let isOpen = true
    const close = async () => {
      if (isOpen) await app.close()
      isOpen = false
    }
    opened.push(close)
    return { ...app, close, anonymous: createClient(app.url, {}), clock }
  }

  const account = { name: 'Ann', email: 'ann@example.com', password: PASSWORD }
  const signIn = { email: 'ann@example.com', password: PASSWORD }

  it('GET /instance 200 returns that a first account is needed and that sign-up is closed', async () => {
    const { anonymous } = await start(await newDatabase())
    const { status, body } = await anonymous.get('/instance')
    expect(status).toBe(200)
    expect(body).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      setupNeeded: true,
      signupOpen: false,
      sendsMail: false,
      oidcOnly: false,
      oidcName: null,
    })
    const open = await start(await newDatabase(), { TOUCHSTONE_OPEN_SIGNUP: 'true' })
    expect((await open.anonymous.get('/instance')).body).toMatchObject({ signupOpen: true })
  })

  it('creates one AI application and one key that works', async () => {
    const { anonymous, firstStart, url } = await start(await newDatabase())
    const client = createClient(url, { authorization: `Bearer ${firstStart.apiKey}` })
    expect((await client.get('/workspace')).status).toBe(200)
    expect((await client.post('/components', { name: 'a' })).status).toBe(201)
    expect((await anonymous.get('/instance')).body.setupNeeded).toBe(true)
  })

  it('POST /setup 201 creates the first account, which owns the application; a second time 409', async () => {
    const { anonymous, firstStart, url } = await start(await newDatabase())
    const token = String(firstStart.setupToken)
    const { status, body } = await anonymous.post('/setup', { token, ...account })
    expect(status).toBe(201)
    expect(body).toEqual({ userId: NEW_ID })
    expect((await anonymous.get('/instance')).body.setupNeeded).toBe(false)
    expectError(await anonymous.post('/setup', { token, ...account, email: 'eve@example.com' }), 409)
    const signedIn = await anonymous.post('/api/auth/sign-in/email', signIn)
    const browser = createClient(url, { authorization: `Bearer ${signedIn.body.token}` })
    const [workspace] = await browser.list('/workspaces')
    const me = await browser.get('/me', { 'x-ai-application-id': String(workspace?.id) })
    expect(me.body).toMatchObject({ userId: body.userId, role: 'owner', email: 'ann@example.com', name: 'Ann' })
  })

  it('POST /setup 401 for a wrong token, and for the right one an hour later', async () => {
    const { anonymous, firstStart, clock } = await start(await newDatabase())
    expectError(await anonymous.post('/setup', { token: 'wrong', ...account }), 401)
    clock.advance(HOUR + 1)
    expectError(await anonymous.post('/setup', { token: String(firstStart.setupToken), ...account }), 401)
    expect((await anonymous.get('/instance')).body.setupNeeded).toBe(true)
  })

  it('POST /setup 400 for a weak password, a wrong e-mail or an unknown field, and the token stays valid', async () => {
    const { anonymous, firstStart } = await start(await newDatabase())
    const token = String(firstStart.setupToken)
    expectError(await anonymous.post('/setup', { token, ...account, password: 'short' }), 400)
    expectError(await anonymous.post('/setup', { token, ...account, email: 'ann' }), 400)
    expectError(await anonymous.post('/setup', { token, ...account, role: 'owner' }), 400, /role/)
    expectError(await anonymous.post('/setup', { ...account }), 400, /token/)
    expect((await anonymous.post('/setup', { token, ...account })).status).toBe(201)
  })

  it('a restart prints a new set-up link, the older one stops working, and no second key is created', async () => {
    const database = await newDatabase()
    const first = await start(database)
    await first.close()
    const second = await start(database)
    expect(second.firstStart.apiKey).toBeUndefined()
    expectError(await second.anonymous.post('/setup', { token: String(first.firstStart.setupToken), ...account }), 401)
    expect(
      (await second.anonymous.post('/setup', { token: String(second.firstStart.setupToken), ...account })).status,
    ).toBe(201)
  })

  it('a key that is printed to a log works for a day, one that is printed to a terminal for 90 days', async () => {
    for (const [firstStartShownOn, hours] of [
      ['log', 24],
      ['terminal', 90 * 24],
    ] as const) {
      const { firstStart, url, clock } = await start(await newDatabase(), {}, movableClock(), { firstStartShownOn })
      const client = createClient(url, { authorization: `Bearer ${firstStart.apiKey}` })
      expect(firstStart.apiKeyHours).toBe(hours)
      clock.advance(hours * HOUR - HOUR)
      expect((await client.get('/workspace')).status).toBe(200)
      clock.advance(HOUR + 1)
      expect((await client.get('/workspace')).status).toBe(401)
    }
  })

  it('a process that only runs jobs leaves the key and the set-up link to the server that prints them', async () => {
    const database = await newDatabase()
    const worker = () => start(database, {}, movableClock(), { serves: false, works: true })
    await (await worker()).close()
    const server = await start(database)
    expect(server.firstStart.apiKey).toMatch(/^tsk_/)
    // Only one process at a time can have an embedded database.
    if (engine === 'sqlite') return
    await worker()
    const set = await server.anonymous.post('/setup', { token: String(server.firstStart.setupToken), ...account })
    expect(set.status).toBe(201)
  })

  it('a key of the environment that was revoked stays revoked at a restart, which is logged', async () => {
    const TOUCHSTONE_API_KEY = 'an-operators-own-key-of-forty-characters'
    const database = await newDatabase()
    const first = await start(database, { TOUCHSTONE_API_KEY })
    const { anonymous, firstStart } = first
    await anonymous.post('/setup', { token: String(firstStart.setupToken), ...account })
    const { body } = await anonymous.post('/api/auth/sign-in/email', signIn)
    const browser = createClient(first.url, { authorization: `Bearer ${body.token}` })
    const [workspace] = await browser.list('/workspaces')
    const inIt = { 'x-ai-application-id': String(workspace?.id) }
    const keys = Object((await browser.get('/api-keys', inIt)).body).data
    expect((await browser.send('DELETE', `/api-keys/${keys[0].id}`, { headers: inIt })).status).toBe(204)
    await first.close()
    const { log, logged } = collectingLog('warn')
    const second = await start(database, { TOUCHSTONE_API_KEY }, movableClock(), { log })
    const client = createClient(second.url, { authorization: `Bearer ${TOUCHSTONE_API_KEY}` })
    expect((await client.get('/workspace')).status).toBe(401)
    expect(logged.filter((line) => line.includes('It stays revoked'))).toHaveLength(1)
    expect(logged.join()).not.toContain(TOUCHSTONE_API_KEY)
  })

  it('account and key from the environment work, the same after a restart', async () => {
    const key = 'an-operators-own-key-of-forty-characters'
    const environment = {
      TOUCHSTONE_ADMIN_EMAIL: 'ann@example.com',
      TOUCHSTONE_ADMIN_PASSWORD: PASSWORD,
      TOUCHSTONE_API_KEY: key,
    }
    const database = await newDatabase()
    const first = await start(database, environment)
    const before = await createClient(first.url, { authorization: `Bearer ${key}` }).get('/workspace')
    expect(before.status).toBe(200)
    expect((await first.anonymous.get('/instance')).body.setupNeeded).toBe(false)
    await first.close()
    const second = await start(database, environment)
    const after = await createClient(second.url, { authorization: `Bearer ${key}` }).get('/workspace')
    expect(after.text).toBe(before.text)
    const signedIn = await second.anonymous.post('/api/auth/sign-in/email', signIn)
    const browser = createClient(second.url, { authorization: `Bearer ${signedIn.body.token}` })
    const [workspace] = await browser.list('/workspaces')
    const me = await browser.get('/me', { 'x-ai-application-id': String(workspace?.id) })
    expect(me.body).toMatchObject({ email: 'ann@example.com', name: 'Admin' })
  })
})
