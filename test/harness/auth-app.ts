import { afterEach, beforeEach, vi } from 'vitest'
import { createAccount } from '../../src/auth/accounts/accounts.ts'
import { hashPassword } from '../../src/auth/accounts/passwords.ts'
import { createSecurityEvents, type SecurityEvents } from '../../src/auth/audit/security-events.ts'
import { insertMember } from '../../src/auth/members/member-queries.ts'
import { type AuthHandler, createAuthHandler } from '../../src/auth/sign-in/auth-handler.ts'
import { type Clock, systemClock, timestamp } from '../../src/base/clock.ts'
import { idGenerator, type NewId } from '../../src/base/ids.ts'
import { createLogger } from '../../src/base/log.ts'
import type { Role } from '../../src/base/principal.ts'
import { createSealer, type RotatingSealer } from '../../src/secrets/sealed-secret.ts'
import { openStorage, type Storage } from '../../src/storage/storage.ts'
import { insertWorkspace } from '../../src/workspaces/workspace-queries.ts'
import './cheap-passwords.ts'
import { createTestDatabase, describeEngines, type TestDatabase } from './each-engine.ts'

export const PASSWORD = 'correct horse battery'
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

type Sent = { headers?: Record<string, string>; address?: string }

export type AuthApp = {
  db: Storage
  clock: Clock
  newId: NewId
  sealer: RotatingSealer
  events: SecurityEvents
  library(options: { openSignup: boolean }): AuthHandler
  wait(ms: number): void
  get(path: string, sent?: Sent): Promise<Answer>
  post(path: string, body?: unknown, sent?: Sent): Promise<Answer>
  addAccount(email: string): Promise<{ id: string }>
  /** An application in which the user has this role. */
  addWorkspace(userId: string, role?: Role): Promise<{ workspaceId: string }>
  /** Signs in and answers the headers that a browser and a program would send from then on. */
  signIn(email: string): Promise<{ token: string; cookie: Record<string, string>; bearer: Record<string, string> }>
}

/** `body` is read as JSON; `text` is what was sent. */
export type Answer = { status: number; headers: Headers; text: string; body: Record<string, unknown> }

/** Runs the tests once per engine, each on an empty database, with a `Date` that only `wait` moves. */
export function describeOnEachEngine(name: string, tests: (app: () => AuthApp) => void): void {
  describeEngines(name, (engine) => {
    let database: TestDatabase | undefined
    let app: AuthApp | undefined

    beforeEach(async () => {
      database = await createTestDatabase(engine, 'migrated')
      vi.useFakeTimers({ toFake: ['Date'] })
      app = await openAuthApp(database.url)
    })

    afterEach(async () => {
      await app?.events.flush()
      await app?.db.close()
      database?.remove()
      vi.useRealTimers()
    })

    tests(() => {
      if (!app) throw new Error('The app is open only while a test runs')
      return app
    })
  })
}

/** Made once: it takes longer than most of these tests. */
let passwordHash: Promise<string> | undefined

async function openAuthApp(url: string): Promise<AuthApp> {
  const clock = systemClock()
  const newId = idGenerator(clock)
  const log = createLogger('silent')
  const db = await openStorage({
    url,
    log,
    use: 'server',
    onFatal: () => {},
    poolSizeMax: 5,
    statementTimeoutMs: 120_000,
  })
  const events = createSecurityEvents({ db, newId, log })
  const sealer = createSealer({ secretKeys: [Buffer.alloc(32, 7)], secretKeyFile: undefined })
  passwordHash ??= hashPassword(PASSWORD)
  const hash = await passwordHash

  function library({ openSignup }: { openSignup: boolean }): AuthHandler {
    const secret = 'a secret of at least thirty-two characters'
    return createAuthHandler({
      ...{ db, clock, newId, secret, log, openSignup, events },
      sealer,
      // Calls that have to wait do so at once, and later.
      sleep: async (ms) => void vi.setSystemTime(clock.now() + ms),
      random: () => 0,
      publicUrl: 'https://touchstone.example',
      mails: undefined,
      oidc: undefined,
      isPasswordLoginAllowed: true,
    })
  }

  const closed = library({ openSignup: false })
  const app: AuthApp = {
    db,
    clock,
    newId,
    sealer,
    events,
    library,
    wait: (ms) => void vi.setSystemTime(clock.now() + ms),
    get: (path, sent) => send(closed, 'GET', path, sent),
    post: (path, body, sent) => send(closed, 'POST', path, { ...sent, body }),
    addAccount: (email) =>
      db.transaction((tx) => createAccount({ tx, clock, newId }, { email, name: 'Ann', passwordHash: hash })),
    async addWorkspace(userId, role = 'owner') {
      const workspaceId = newId()
      const createdAt = timestamp(clock.now())
      await db.transaction(async (tx) => {
        await insertWorkspace(tx, { id: workspaceId, name: 'Support', description: null, createdAt })
        await insertMember(tx, { workspaceId, userId, role, createdAt })
      })
      return { workspaceId }
    },
    async signIn(email) {
      const { body, headers } = await app.post('sign-in/email', { email, password: PASSWORD })
      const token = String(body.token)
      const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';')
      return { token, cookie: { cookie }, bearer: { authorization: `Bearer ${token}` } }
    },
  }
  return app
}

/** A body that is a string is sent as it is. */
export async function send(
  library: AuthHandler,
  method: string,
  path: string,
  { body, headers = {}, address = '192.0.2.1' }: Sent & { body?: unknown } = {},
): Promise<Answer> {
  const url = `https://touchstone.example/api/auth/${path}`
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const payload = typeof body === 'string' ? body : JSON.stringify(body)
  const request = new Request(url, {
    method,
    headers: { ...type, ...headers },
    ...(body === undefined ? {} : { body: payload }),
  })
  const response = await library.handle(request, { address, requestId: 'request-1' })
  const text = await response.text()
  const parsed: unknown = JSON.parse(text)
  return { status: response.status, headers: response.headers, text, body: { ...Object(parsed) } }
}
