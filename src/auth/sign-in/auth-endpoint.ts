/** What the endpoints under /api/auth have in common. */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { NewId } from '../../base/ids.ts'
import type { Logger } from '../../base/log.ts'
import type { MailOutbox } from '../../mail/mail-outbox.ts'
import type { OidcSettings } from '../../sign-in-config.ts'
import type { Db, Queries } from '../../storage/db.ts'
import { type ActiveSession, insertSession } from '../accounts/session-queries.ts'
import type { Origin, SecurityEvents } from '../audit/security-events.ts'
import type { SecondFactorSealer } from '../second-factor/second-factor-records.ts'
import type { BodyShape, Fields } from './auth-requests.ts'
import type { Throttle, ThrottleDeps } from './login-throttle.ts'

export type AuthOptions = {
  db: Db
  clock: Clock
  newId: NewId
  /** Signs cookies. */
  secret: string
  /** Encrypts the secrets of second factors. */
  sealer: SecondFactorSealer
  publicUrl: string
  openSignup: boolean
  /** Undefined if the server sends no e-mail. */
  mails: MailOutbox | undefined
  /** Undefined if users sign in with passwords only. */
  oidc: OidcSettings | undefined
  isPasswordLoginAllowed: boolean
  log: Logger
  /** Receives every successful and failed sign-in. */
  events: Pick<SecurityEvents, 'report'>
} & Pick<ThrottleDeps, 'sleep' | 'random'>

/** A validated request. `session` is defined if `token` belongs to an active session. */
export type Call = {
  request: Request
  address: string
  requestId: string
  fields: Fields
  token: string | undefined
  session: ActiveSession | undefined
}

export type SignedInCall = Call & { session: ActiveSession }

export type Endpoint = { method: 'GET' | 'POST'; body: BodyShape | undefined } & (
  | { for: 'anyone'; run(call: Call): Promise<Response> }
  | { for: 'signed-in'; run(call: SignedInCall): Promise<Response> }
)

/** The session of a finished sign-in. `cookies` are set in addition to that of the session. */
export type StartedSession = { userId: string; token: string; cookies: string[] }

export type EndpointDeps = {
  options: AuthOptions
  throttle: Throttle
  /** Checks the current password of a session. Throws `wrong` as 400. */
  requirePassword(call: SignedInCall, password: string, wrong: string): Promise<{ id: string; hash: string }>
  /** The response to a user who has proven everything that is needed. */
  completeSignIn(call: Call, session: StartedSession): Promise<Response>
}

/** Returns the token of the new session. `tx` is the transaction of the checks that allow it, so that no change can come between. */
export async function startSession(
  tx: Queries,
  { clock, newId }: Pick<AuthOptions, 'clock' | 'newId'>,
  { call, userId }: { call: Call; userId: string },
): Promise<string> {
  const token = newSecret()
  const userAgent = call.request.headers.get('user-agent') ?? ''
  await insertSession(tx, clock, { id: newId(), userId, token, address: call.address, userAgent })
  return token
}

/** 256 random bits. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

export function exactFields(...required: string[]): BodyShape {
  return { required, unknownFields: 'rejected' }
}

export function originOf({ address, requestId }: Call): Origin {
  return { address, requestId }
}
