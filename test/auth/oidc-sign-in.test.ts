import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { disableAccount } from '../../src/auth/accounts/manage-accounts.ts'
import { idGenerator } from '../../src/base/ids.ts'
import { createTestDatabase, describeEngines, type TestDatabase } from '../harness/each-engine.ts'
import { freePort } from '../harness/free-port.ts'
import {
  CLIENT,
  type IdentityProvider,
  type ProviderUser,
  startIdentityProvider,
} from '../harness/identity-provider.ts'
import { PASSWORD, startTestApp, type TestApp } from '../harness/test-app.ts'

/** A browser as far as redirects and cookies need one. */
class Visitor {
  readonly cookies = new Map<string, string>()

  /** Follows redirects until a page, or until the predicate is true for the address of a redirect. */
  async visit(url: string, init: RequestInit = {}, stopAt: (url: URL) => boolean = () => false): Promise<Visited> {
    const { origin } = new URL(url)
    const headers = new Headers(init.headers)
    headers.set('cookie', [...this.cookies].map((cookie) => cookie.join('=')).join('; '))
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      this.cookies.set(name, value)
    }
    const location = response.headers.get('location')
    const text = await response.text()
    if (location === null) return { url: new URL(url), status: response.status, text }
    const next = new URL(location, origin)
    if (stopAt(next)) return { url: next, status: response.status, text }
    return this.visit(next.href, {}, stopAt)
  }
}

type Visited = { url: URL; status: number; text: string }

describeEngines('sign-in with OpenID Connect', (engine) => {
  let provider: IdentityProvider
  let app: TestApp
  let database: TestDatabase

  async function start(environment: Record<string, string> = {}): Promise<TestApp> {
    const settings = {
      PORT: new URL(app?.url ?? `http://127.0.0.1:${await freePort()}`).port,
      TOUCHSTONE_OIDC_ISSUER: provider.issuer,
      TOUCHSTONE_OIDC_CLIENT_ID: CLIENT.id,
      TOUCHSTONE_OIDC_CLIENT_SECRET: CLIENT.secret,
      TOUCHSTONE_OIDC_NAME: 'Example ID',
      TOUCHSTONE_OIDC_EMAIL_DOMAINS: 'example.com',
      ...environment,
    }
    return startTestApp(database.url, { environment: settings })
  }

  beforeAll(async () => {
    const port = await freePort()
    provider = await startIdentityProvider(`http://127.0.0.1:${port}/api/auth/oidc/callback`)
    database = await createTestDatabase(engine, 'migrated')
    app = await start({ PORT: String(port) })
  })

  afterAll(async () => {
    await app.close()
    await provider.close()
    database.remove()
  })

  const newUser = (change: Partial<ProviderUser> = {}): ProviderUser => {
    const sub = randomUUID()
    return { sub, email: `${sub}@example.com`, email_verified: true, name: 'Pat Provider', ...change }
  }

  async function begin(visitor: Visitor, next = '/'): Promise<string> {
    const headers = { 'content-type': 'application/json', origin: app.url }
    const body = JSON.stringify({ next })
    const { status, text } = await visitor.visit(`${app.url}/api/auth/oidc/start`, { method: 'POST', headers, body })
    expect({ status, text }).toMatchObject({ status: 200 })
    return JSON.parse(text).url
  }

  /** Signs in at the provider. Returns the address to which it sends the browser back. */
  async function authenticate(visitor: Visitor, authorizationUrl: string, user: ProviderUser): Promise<URL> {
    provider.user = user
    const form = await visitor.visit(authorizationUrl)
    const isBack = ({ origin }: URL) => origin === app.url
    return (await visitor.visit(form.url.href, { method: 'POST' }, isBack)).url
  }

  const isPage = ({ origin, pathname }: URL) => origin === app.url && !pathname.startsWith('/api/')
  const finish = (visitor: Visitor, back: URL) => visitor.visit(back.href, {}, isPage)

  async function signIn(user: ProviderUser, { visitor = new Visitor(), next = '/' } = {}) {
    const back = await authenticate(visitor, await begin(visitor, next), user)
    const { url } = await finish(visitor, back)
    return { visitor, back, page: url.pathname + url.search }
  }

  async function sessionOf(visitor: Visitor): Promise<Record<string, unknown> | null> {
    const { text } = await visitor.visit(`${app.url}/api/auth/get-session`)
    return JSON.parse(text)
  }

  async function invite(email: string) {
    const { workspaceId } = await app.newWorkspace()
    const owner = app.asPerson(await app.newPerson([{ workspaceId, role: 'owner' }]), workspaceId)
    const { body } = await owner.post('/members', { email, role: 'annotator' })
    return { workspaceId, owner, invitationUrl: String(body.invitationUrl) }
  }

  const usersWith = (email: string) =>
    app.storage.read.selectFrom('users').selectAll().where('email', '=', email).execute()

  describe('a new user', () => {
    it('an invited user gets an account and joins, without a password', async () => {
      const user = newUser()
      const { workspaceId, owner } = await invite(user.email)
      const { visitor, page } = await signIn(user, { next: '/docs?q=x' })
      expect(page).toBe('/docs?q=x')
      expect(await sessionOf(visitor)).toMatchObject({ user: { email: user.email, name: 'Pat Provider' } })
      const members = await owner.list('/members')
      expect(members).toContainEqual(expect.objectContaining({ email: user.email, role: 'annotator', state: 'member' }))
      const headers = { 'x-ai-application-id': workspaceId }
      const me = await visitor.visit(`${app.url}/api/v1/me`, { headers })
      expect(JSON.parse(me.text)).toMatchObject({ role: 'annotator', email: user.email })
      const factor = await visitor.visit(`${app.url}/api/auth/two-factor`)
      expect(JSON.parse(factor.text)).toEqual({ isEnabled: false, recoveryCodesLeft: 0, hasPassword: false })
      const password = { email: user.email, password: PASSWORD }
      expect((await app.anonymous.post('/api/auth/sign-in/email', password)).status).toBe(401)
    })

    it('a user without an invitation is rejected, and no account is created', async () => {
      const user = newUser()
      const { visitor, page } = await signIn(user)
      expect(page).toBe('/sign-in?problem=unknown')
      expect(await sessionOf(visitor)).toBeNull()
      expect(await usersWith(user.email)).toEqual([])
    })

    it('is the same account at the next sign-in, also after the address has changed at the provider', async () => {
      const user = newUser()
      await invite(user.email)
      const first = await sessionOf((await signIn(user)).visitor)
      const renamed = { ...user, email: `new-${user.email}` }
      const second = await sessionOf((await signIn(renamed)).visitor)
      expect(second?.user).toEqual(first?.user)
    })
  })

  it.each([
    ['an address that the provider has not verified', { email_verified: false }, 'unverified'],
    ['an address of another domain', { email: `${randomUUID()}@example.org` }, 'domain'],
    ['an address that only ends like an allowed one', { email: `${randomUUID()}@notexample.com` }, 'domain'],
    ['an address in a subdomain', { email: `${randomUUID()}@sub.example.com` }, 'domain'],
  ])('%s is rejected, also if it was invited', async (_, change, problem) => {
    const user = newUser(change)
    await invite(user.email)
    expect((await signIn(user)).page).toBe(`/sign-in?problem=${problem}`)
    expect(await usersWith(user.email)).toEqual([])
  })

  describe('an existing account', () => {
    it('is linked by the verified address; its password, second factor, sessions and keys end', async () => {
      const { workspaceId } = await app.newWorkspace()
      const person = await app.newPerson([{ workspaceId, role: 'editor' }])
      const created = await app.asPerson(person, workspaceId).post('/api-keys', { name: 'own', expiresAt: null })
      const key = app.withKey(String(created.body.key))
      expect((await key.get('/me')).status).toBe(200)
      const { visitor } = await signIn(newUser({ email: person.email }))
      expect((await key.get('/me')).status).toBe(401)
      expect(await sessionOf(visitor)).toMatchObject({ user: { id: person.userId } })
      expect((await app.asPerson(person, workspaceId).get('/me')).status).toBe(401)
      const password = { email: person.email, password: PASSWORD }
      expect((await app.anonymous.post('/api/auth/sign-in/email', password)).status).toBe(401)
      const events = await app.storage.read
        .selectFrom('audit_events')
        .select(['action', 'detail'])
        .where('workspace_id', '=', workspaceId)
        .execute()
      expect(events).toContainEqual({ action: 'account.linked', detail: provider.issuer })
      expect(events).toContainEqual({ action: 'api-key.revoked', detail: 'editor' })
    })

    it('is not linked by an unverified address, and does not change', async () => {
      const person = await app.newPerson()
      const { page } = await signIn(newUser({ email: person.email, email_verified: false }))
      expect(page).toBe('/sign-in?problem=unverified')
      const password = { email: person.email, password: PASSWORD }
      expect((await app.anonymous.post('/api/auth/sign-in/email', password)).status).toBe(200)
    })

    it('belongs to one identity: a later owner of the same address does not get it', async () => {
      const person = await app.newPerson()
      await signIn(newUser({ email: person.email }))
      const { page, visitor } = await signIn(newUser({ email: person.email }))
      expect(page).toBe('/sign-in?problem=linked')
      expect(await sessionOf(visitor)).toBeNull()
    })

    it('that is disabled cannot be used, linked or not', async () => {
      const person = await app.newPerson()
      const linked = newUser({ email: (await app.newPerson()).email })
      await signIn(linked)
      const by = { kind: 'command-line', userId: person.userId } as const
      const work = { clock: app.clock, newId: idGenerator(app.clock), requestId: 'test', address: '', by }
      for (const email of [person.email, linked.email])
        await app.storage.transaction((tx) => disableAccount({ ...work, tx }, email))
      expect((await signIn(newUser({ email: person.email }))).page).toBe('/sign-in?problem=disabled')
      expect((await signIn(linked)).page).toBe('/sign-in?problem=disabled')
    })

    it('signs in without the second factor of this server, which is left to the provider', async () => {
      const user = newUser()
      await invite(user.email)
      await signIn(user)
      await app.storage.transaction((tx) =>
        tx.updateTable('users').set({ two_factor_enabled: 1 }).where('email', '=', user.email).execute(),
      )
      expect(await sessionOf((await signIn(user)).visitor)).toMatchObject({ user: { email: user.email } })
    })
  })

  describe('a response of the provider', () => {
    it('works once', async () => {
      const user = newUser()
      await invite(user.email)
      const { visitor, back } = await signIn(user)
      const again = await finish(visitor, back)
      expect(again.url.search).toBe('?problem=expired')
    })

    it('works only in the browser that started the sign-in', async () => {
      const user = newUser()
      await invite(user.email)
      const attacker = new Visitor()
      const back = await authenticate(attacker, await begin(attacker), user)
      const victim = new Visitor()
      expect((await finish(victim, back)).url.search).toBe('?problem=expired')
      expect(await sessionOf(victim)).toBeNull()
      const other = new Visitor()
      await begin(other)
      expect((await finish(other, back)).url.search).toBe('?problem=expired')
      expect(await sessionOf(other)).toBeNull()
    })

    it('with another state, or without one, is rejected', async () => {
      const user = newUser()
      await invite(user.email)
      for (const state of ['x'.repeat(43), '', undefined]) {
        const visitor = new Visitor()
        const back = await authenticate(visitor, await begin(visitor), user)
        if (state === undefined) back.searchParams.delete('state')
        else back.searchParams.set('state', state)
        expect((await finish(visitor, back)).url.search).toBe('?problem=expired')
        expect(await sessionOf(visitor)).toBeNull()
      }
    })

    it('cannot be mixed with another sign-in of the same browser', async () => {
      const user = newUser()
      await invite(user.email)
      const visitor = new Visitor()
      const first = await authenticate(visitor, await begin(visitor), user)
      const second = new URL(await begin(visitor))
      first.searchParams.set('state', second.searchParams.get('state') ?? '')
      expect((await finish(visitor, first)).url.search).toBe('?problem=failed')
      expect(await sessionOf(visitor)).toBeNull()
    })

    it('from another issuer is rejected', async () => {
      const user = newUser()
      await invite(user.email)
      const visitor = new Visitor()
      const back = await authenticate(visitor, await begin(visitor), user)
      expect(back.searchParams.get('iss')).toBe(provider.issuer)
      back.searchParams.set('iss', 'https://evil.example')
      expect((await finish(visitor, back)).url.search).toBe('?problem=failed')
    })

    it('that is an error leads back to the sign-in page', async () => {
      const visitor = new Visitor()
      const state = new URL(await begin(visitor)).searchParams.get('state')
      const back = new URL(`${app.url}/api/auth/oidc/callback?error=access_denied&state=${state}`)
      expect((await finish(visitor, back)).url.search).toBe('?problem=denied')
    })

    it('two tabs of one browser can both finish', async () => {
      const user = newUser()
      await invite(user.email)
      const visitor = new Visitor()
      const [first, second] = [await begin(visitor), await begin(visitor, '/docs')]
      expect((await finish(visitor, await authenticate(visitor, first, user))).url.pathname).toBe('/')
      expect((await finish(visitor, await authenticate(visitor, second, user))).url.pathname).toBe('/docs')
    })
  })

  it('the request to the provider has state, nonce and an S256 challenge, all of them new each time', async () => {
    const [first, second] = await Promise.all([begin(new Visitor()), begin(new Visitor())])
    const parameters = [first, second].map((url) => Object.fromEntries(new URL(url).searchParams))
    for (const one of parameters)
      expect(one).toMatchObject({ response_type: 'code', code_challenge_method: 'S256', client_id: CLIENT.id })
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(parameters[0]?.[name]).toMatch(/^[\w-]{43}$/)
      expect(parameters[0]?.[name]).not.toBe(parameters[1]?.[name])
    }
  })

  it.each(['//evil.example', '/\\evil.example', 'https://evil.example', 'x', '/a b', '/\t/evil.example'])(
    'the sign-in does not lead to %j',
    async (next) => {
      expect((await app.anonymous.post('/api/auth/oidc/start', { next })).status).toBe(400)
    },
  )

  it('another site cannot start a sign-in', async () => {
    const headers = { origin: 'https://evil.example' }
    expect((await app.anonymous.post('/api/auth/oidc/start', {}, headers)).status).toBe(403)
  })

  it('the sign-in page gets the name of the provider', async () => {
    expect((await app.anonymous.get('/instance')).body).toMatchObject({ oidcName: 'Example ID', oidcOnly: false })
  })

  describe('with other settings', () => {
    async function restart(environment: Record<string, string>) {
      await app.close()
      app = await start(environment)
    }

    it('TOUCHSTONE_OIDC_NEW_USERS=all creates an account for every user of the allowed domains', async () => {
      await restart({ TOUCHSTONE_OIDC_NEW_USERS: 'all' })
      expect(await sessionOf((await signIn(newUser())).visitor)).toMatchObject({ user: { name: 'Pat Provider' } })
      expect((await signIn(newUser({ email: `${randomUUID()}@example.org` }))).page).toBe('/sign-in?problem=domain')
    })

    it('TOUCHSTONE_PASSWORD_LOGIN=off rejects right passwords, and does not start without a first account', async () => {
      const off = { TOUCHSTONE_PASSWORD_LOGIN: 'off' }
      const person = await app.newPerson()
      await app.close()
      await expect(start(off)).rejects.toThrow(/needs a first account/)
      await app.close()
      app = await start({ ...off, TOUCHSTONE_ADMIN_EMAIL: 'owner@example.com', TOUCHSTONE_ADMIN_PASSWORD: PASSWORD })
      const password = { email: person.email, password: PASSWORD }
      const denied = await app.anonymous.post('/api/auth/sign-in/email', password)
      expect(denied).toMatchObject({ status: 403, body: { error: expect.stringContaining('Example ID') } })
      expect((await app.anonymous.get('/instance')).body).toMatchObject({ oidcOnly: true })
      const { visitor } = await signIn(newUser({ email: 'owner@example.com' }))
      expect(await sessionOf(visitor)).toMatchObject({ user: { email: 'owner@example.com' } })
    })

    it('a provider that is down does not prevent the start, and is reported to the user', async () => {
      await provider.close()
      await restart({})
      const started = await app.anonymous.post('/api/auth/oidc/start', {})
      expect(started).toMatchObject({ status: 503, body: { error: 'Example ID does not respond; try again later' } })
    })
  })
})
