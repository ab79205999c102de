import { randomBytes } from 'node:crypto'
import { betterAuth } from 'better-auth/minimal'
import { bearer } from 'better-auth/plugins/bearer'
import { twoFactor } from 'better-auth/plugins/two-factor'
import type { Clock } from '../../base/clock.ts'
import type { NewId } from '../../base/ids.ts'
import type { Logger } from '../../base/log.ts'
import type { Db } from '../../storage/db.ts'
import { hashPassword, verifyPassword } from '../accounts/passwords.ts'
import { SESSION_ABSOLUTE_MS } from '../accounts/session-queries.ts'
import type { SecondFactorSealer } from '../second-factor/second-factor-records.ts'
import { authAdapter, authTables, secondFactorTables } from './auth-adapter.ts'
import { ADDRESS_HEADER, CHALLENGE_COOKIE, sessionCookieName, trustCookieName } from './auth-requests.ts'

type Options = {
  db: Db
  clock: Clock
  newId: NewId
  secret: string
  sealer: SecondFactorSealer
  publicUrl: string
  log: Logger
}

/** Configures the library. Import this file only when it is needed: loading needs about 0.3 s and 30 to 50 MB. */
export function createBetterAuth({ db, clock, newId, secret, sealer, publicUrl, log }: Options) {
  const { origin, protocol } = new URL(publicUrl)
  const secure = protocol === 'https:'
  const auth = betterAuth({
    appName: 'Touchstone',
    baseURL: origin,
    basePath: '/api/auth',
    // Both options are set, because the library would read the second from the environment.
    secret,
    secrets: [{ version: 1, value: secret }],
    database: authAdapter(db, clock, sealer),
    user: authTables.user,
    account: authTables.account,
    verification: authTables.verification,
    session: {
      ...authTables.session,
      expiresIn: SESSION_ABSOLUTE_MS / 1_000,
      disableSessionRefresh: true,
      cookieCache: { enabled: false },
    },
    emailAndPassword: {
      enabled: true,
      // Accounts are created by our code, in one transaction and with our password rules.
      disableSignUp: true,
      minPasswordLength: 1,
      maxPasswordLength: 1_000,
      password: { hash: hashPassword, verify: ({ password, hash }) => verifyPassword(password, hash) },
    },
    databaseHooks: { session: { create: { before: async () => ({ data: { token: randomToken() } }) } } },
    advanced: {
      // With this option, the library would add its own cookie prefix.
      useSecureCookies: false,
      defaultCookieAttributes: { secure, httpOnly: true, sameSite: 'lax', path: '/' },
      cookies: {
        session_token: { name: sessionCookieName(publicUrl) },
        two_factor: { name: CHALLENGE_COOKIE },
        trust_device: { name: trustCookieName(publicUrl) },
      },
      database: { generateId: () => newId() },
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER], ipv6Subnet: 128 },
      // Both are checked before the library is called; its own checks reject clients that are not browsers.
      disableCSRFCheck: true,
      disableOriginCheck: true,
    },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { level: 'error', log: (_level, message, ...details) => log.error({ details }, message) },
    // Throws unexpected errors instead of printing them.
    onAPIError: { throw: true },
    plugins: [
      bearer(),
      twoFactor({
        issuer: 'Touchstone',
        // Sealed by the adapter.
        backupCodeOptions: { storeBackupCodes: 'plain' },
        // Attempts are limited by `login-throttle.ts`.
        accountLockout: { enabled: false },
        schema: secondFactorTables,
      }),
    ],
  })
  return auth.handler
}

function randomToken(): string {
  return randomBytes(32).toString('base64url')
}
