import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Answer, Client } from '../harness/client.ts'
import { runInProcess } from '../harness/command.ts'
import { createTestDatabase, describeEngines, type TestDatabase } from '../harness/each-engine.ts'
import { PASSWORD, startTestApp, type TestApp } from '../harness/test-app.ts'
import { totpCode } from '../harness/totp.ts'
import { until } from '../harness/wait-for.ts'

const STEP_MS = 30_000

const cookieOf = ({ headers }: Answer) => (headers.get('set-cookie') ?? '').split(';')[0] ?? ''

describeEngines('second factor', (engine) => {
  let database: TestDatabase
  let app: TestApp | undefined

  beforeEach(async () => {
    database = await createTestDatabase(engine, 'migrated')
  })
  afterEach(async () => {
    await app?.close()
    database.remove()
  })

  async function start(environment: Record<string, string> = {}) {
    app = await startTestApp(database.url, { works: false, environment })
    const { workspaceId } = await app.newWorkspace()
    const person = await app.newPerson([{ workspaceId, role: 'admin' }])
    return { app, workspaceId, person, admin: app.asPerson(person, workspaceId) }
  }

  const actionsOf = async (admin: Client) =>
    (await admin.list('/audit-log?action=account,session.code-rejected')).map(({ action, actorKind, resourceId }) => [
      action,
      actorKind,
      resourceId,
    ])

  it('admins see in the audit log who turned it on and off, lost it, and sign-ins with a password but no code', async () => {
    const { app: server, workspaceId, person, admin } = await start()
    const { userId, email } = person
    const { body: setup } = await admin.post('/api/auth/two-factor/enable', { password: PASSWORD })
    const uri = String(setup.totpUri)
    const first = await admin.post('/api/auth/two-factor/confirm', { code: totpCode(uri, Date.now()) })
    const inUse = server.asPerson({ ...person, cookie: cookieOf(first) }, workspaceId)
    const [recovery]: string[] = Object(setup.recoveryCodes)
    const signIn = async () =>
      (await server.anonymous.post('/api/auth/sign-in/email', { email, password: PASSWORD })).body.challenge
    const verify = async (code: unknown) =>
      server.anonymous.post('/api/auth/two-factor/verify', { challenge: await signIn(), code })
    expect((await verify('aaaaa-aaaaa')).status).toBe(401)
    expect((await verify(recovery)).status).toBe(200)
    expect((await verify(totpCode(uri, Date.now() + STEP_MS))).status).toBe(200)
    await inUse.post('/api/auth/two-factor/recovery-codes', { password: PASSWORD })
    await inUse.post('/api/auth/two-factor/disable', { password: PASSWORD })
    const expected = [
      ['account.second-factor-disabled', 'session', userId],
      ['account.recovery-codes-created', 'session', userId],
      ['account.recovery-code-used', 'session', userId],
      ['account.second-factor-enabled', 'session', userId],
    ]
    const seen = await actionsOf(inUse)
    expect(seen.filter(([action]) => action !== 'session.code-rejected')).toEqual(expected)
    await until(async () =>
      expect(await actionsOf(inUse)).toContainEqual(['session.code-rejected', 'anonymous', userId]),
    )
  })

  it('the operator resets it for a user who has lost it, which ends all sessions', async () => {
    const { app: server, workspaceId, person, admin } = await start()
    const { email, userId } = person
    const reset = () =>
      runInProcess(['user', 'reset-second-factor', email.toUpperCase()], { DATABASE_URL: database.url })
    expect(await reset()).toMatchObject({ code: 0, output: 'The account has no second factor.\n' })
    const { body: setup } = await admin.post('/api/auth/two-factor/enable', { password: PASSWORD })
    const code = totpCode(String(setup.totpUri), Date.now())
    const first = await admin.post('/api/auth/two-factor/confirm', { code })
    const before = server.asPerson({ ...person, cookie: cookieOf(first) }, workspaceId)
    expect((await before.get('/me')).status).toBe(200)
    expect(await reset()).toMatchObject({ code: 0, output: expect.stringMatching(/^The second factor is off/) })
    expect((await before.get('/me')).status).toBe(401)
    const again = await server.anonymous.post('/api/auth/sign-in/email', { email, password: PASSWORD })
    const after = server.asPerson({ ...person, cookie: cookieOf(again) }, workspaceId)
    expect((await actionsOf(after))[0]).toEqual(['account.second-factor-reset', 'command-line', userId])
  })

  it('without a secret key to encrypt it with, it cannot be turned on, and the message names the setting', async () => {
    // The embedded database has a file for one, which is created when it is needed.
    if (engine === 'sqlite') return
    const { admin } = await start({ TOUCHSTONE_SECRET_KEY: '' })
    const { status, body } = await admin.post('/api/auth/two-factor/enable', { password: PASSWORD })
    expect(status).toBe(409)
    expect(body.error).toMatch(/TOUCHSTONE_SECRET_KEY/)
  })
})
