import { randomBytes } from 'node:crypto'
import { type AppDeps, startApp } from '../../src/app.ts'
import { createAccount } from '../../src/auth/accounts/accounts.ts'
import { hashPassword } from '../../src/auth/accounts/passwords.ts'
import { insertSession } from '../../src/auth/accounts/session-queries.ts'
import { createApiKey } from '../../src/auth/api-keys/create-api-key.ts'
import { insertMember } from '../../src/auth/members/member-queries.ts'
import { cookieSecret } from '../../src/auth/setup/instance-setting-queries.ts'
import { sessionCookie } from '../../src/auth/sign-in/auth-requests.ts'
import { type Clock, systemClock, timestamp } from '../../src/base/clock.ts'
import { idGenerator } from '../../src/base/ids.ts'
import type { Logger } from '../../src/base/log.ts'
import type { Role } from '../../src/base/principal.ts'
import { readConfig } from '../../src/config.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { insertWorkspace } from '../../src/workspaces/workspace-queries.ts'
import './cheap-passwords.ts'
import { type Client, createClient } from './client.ts'

/** Tests wait for jobs; the program looks for them less often. */
const POLL_MS = 25
const PAUSE_SECONDS = 0.05

export const PASSWORD = 'correct horse, charged battery'

export type StartOptions = {
  environment?: Record<string, string>
  works?: boolean
  clock?: Clock
  /** How a sign-in that has to wait does so; where the clock is a test's, it moves it. */
  sleep?: (ms: number) => Promise<unknown>
  leaseSeconds?: number
  /** To read what is logged. */
  log?: Logger
  /** Of one call of a model, and before it is asked a second time: short, where a test waits for them. */
  modelTimeoutMs?: number
  retryPauseMs?: number
  /** Of a preview of an evaluation. */
  previewTimeoutMs?: number
  /** How often a trial looks whether what it waits for has ended. */
  pauseSeconds?: number
  /** How long a job may work while others wait. */
  turnMs?: number
}

export type Person = { userId: string; email: string; cookie: string; token: string }

export type SeededWorkspace = { workspaceId: string; owner: { userId: string }; key: string; client: Client }

export type TestApp = {
  url: string
  /** Only if the environment switches it on. */
  grpcUrl: string | undefined
  /** Only if the environment switches them on. */
  metricsUrl: string | undefined
  storage: Storage
  clock: Clock
  /** Sends requests without credentials. */
  anonymous: Client
  /** Sends requests with an API key. */
  withKey(key: string): Client
  /** Sends requests as a browser would: session cookie, application, same origin. */
  asPerson(person: Person, workspaceId?: string): Client
  /** A workspace of its own, with a person who owns it and a key. Nothing in it is shared with other tests. */
  newWorkspace(name?: string): Promise<SeededWorkspace>
  /** Someone who can sign in, and has a session. It is stored, not signed in for: checking a password takes longer than most tests. */
  newPerson(memberships?: { workspaceId: string; role: Role }[]): Promise<Person>
  close(): Promise<void>
}

/** Made once for all servers: it takes longer than most tests. */
let passwordHash: Promise<string> | undefined

export async function startTestApp(databaseUrl: string, options: StartOptions = {}): Promise<TestApp> {
  const clock = options.clock ?? systemClock()
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    PORT: '0',
    TOUCHSTONE_LOG_LEVEL: 'silent',
    TOUCHSTONE_OTLP_GRPC_PORT: 'off',
    // A busy machine must not fail a test; a statement that waits forever still does.
    TOUCHSTONE_STATEMENT_TIMEOUT_SECONDS: '120',
    // Tests of pages need longer lists than people do.
    TOUCHSTONE_WORKSPACES_PER_PERSON_MAX: '1000',
    // Where the models of tests are; and a key, because not every engine has a place to keep one.
    TOUCHSTONE_ALLOWED_EGRESS: '127.0.0.1',
    TOUCHSTONE_SECRET_KEY: '5e'.repeat(32),
    ...options.environment,
  })
  const { environment: _, works = true, ...given } = options
  const parts: AppDeps = {
    config,
    serves: true,
    works,
    pollMs: POLL_MS,
    pauseSeconds: PAUSE_SECONDS,
    ...given,
    clock,
  }
  const app = await startApp(parts)
  const { url, grpcUrl, metricsUrl, storage } = app
  const newId = idGenerator(clock)

  async function newUser(): Promise<{ userId: string; email: string }> {
    passwordHash ??= hashPassword(PASSWORD)
    const email = `${newId()}@example.com`
    const credentials = { email, name: 'Test Person', passwordHash: await passwordHash }
    const { id } = await storage.transaction((tx) => createAccount({ tx, clock, newId }, credentials))
    return { userId: id, email }
  }

  return {
    url,
    grpcUrl,
    metricsUrl,
    storage,
    clock,
    anonymous: createClient(url, {}),
    withKey: (key) => createClient(url, { authorization: `Bearer ${key}` }),
    asPerson: (person, workspaceId) =>
      createClient(url, {
        cookie: person.cookie,
        origin: url,
        ...(workspaceId === undefined ? {} : { 'x-ai-application-id': workspaceId }),
      }),
    async newWorkspace(name = 'Test workspace') {
      const owner = await newUser()
      const workspaceId = newId()
      const createdAt = timestamp(clock.now())
      const { key } = await storage.transaction(async (tx) => {
        await insertWorkspace(tx, { id: workspaceId, name, description: null, createdAt })
        await insertMember(tx, { workspaceId, userId: owner.userId, role: 'owner', createdAt })
        return createApiKey(
          tx,
          { clock, newId },
          { workspaceId, createdBy: owner.userId, name: 'Test key', expiresAt: null },
        )
      })
      return { workspaceId, owner, key, client: createClient(url, { authorization: `Bearer ${key}` }) }
    },
    async newPerson(memberships = []) {
      const user = await newUser()
      const token = randomBytes(32).toString('base64url')
      await storage.transaction(async (tx) => {
        const createdAt = timestamp(clock.now())
        for (const { workspaceId, role } of memberships)
          await insertMember(tx, { workspaceId, userId: user.userId, role, createdAt })
        await insertSession(tx, clock, {
          id: newId(),
          userId: user.userId,
          token,
          address: '127.0.0.1',
          userAgent: null,
        })
      })
      const secret = await cookieSecret(storage)
      const [cookie = ''] = sessionCookie(token, { publicUrl: config.publicUrl, secret }).split(';')
      return { ...user, cookie, token }
    },
    close: () => app.close(),
  }
}
