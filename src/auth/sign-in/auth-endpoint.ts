/** What the endpoints under /api/auth have in common. */
import type { Clock } from '../../base/clock.ts'
import type { NewId } from '../../base/ids.ts'
import type { Logger } from '../../base/log.ts'
import type { MailOutbox } from '../../mail/mail-outbox.ts'
import type { OidcSettings } from '../../sign-in-config.ts'
import type { Db } from '../../storage/db.ts'
import type { ActiveSession } from '../accounts/session-queries.ts'
import type { Origin, SecurityEvents } from '../audit/security-events.ts'
import type { SecondFactorSealer } from '../second-factor/second-factor-records.ts'
import type { BodyShape, Fields, LibraryResponse } from './auth-requests.ts'
import type { Throttle, ThrottleDeps } from './login-throttle.ts'

export type AuthOptions = {
  db: Db
  clock: Clock
  newId: NewId
  /** Signs the session cookie. */
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

/** Calls an endpoint of the library. `cookie` is what the library sees instead of the cookies of the client. */
export type CallLibrary = (
  path: string,
  call: Call & { cookie?: string | undefined },
  body?: Record<string, unknown>,
) => Promise<LibraryResponse>

export type EndpointDeps = {
  options: AuthOptions
  throttle: Throttle
  callLibrary: CallLibrary
  /** The response to a user who has proven everything that is needed. */
  completeSignIn(call: Call, response: LibraryResponse, user: { userId: string; email: string }): Promise<Response>
}

export function exactFields(...required: string[]): BodyShape {
  return { required, unknownFields: 'rejected' }
}

export function originOf({ address, requestId }: Call): Origin {
  return { address, requestId }
}
