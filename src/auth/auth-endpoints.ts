/**
 * The endpoints under /api/auth. The library handles passwords and device codes. Listing and ending sessions is implemented here,
 * because the library identifies sessions by their token, of which only the hash is stored.
 */
import type { Clock } from '../base/clock.ts'
import { AppError, badRequest, notFound, tooManyRequests, unauthorized } from '../base/errors.ts'
import { isUuid, type NewId } from '../base/ids.ts'
import type { Logger } from '../base/log.ts'
import type { Db } from '../storage/db.ts'
import { checkEmail, createAccount, renewPasswordHash } from './accounts.ts'
import {
  asRecord,
  type BodyShape,
  type Fields,
  json,
  type LibraryResponse,
  libraryError,
  libraryRequest,
  readFields,
  readLibraryResponse,
  signedIn,
  signedOut,
} from './auth-requests.ts'
import { deviceCookie, readKnownDevice } from './device-cookie.ts'
import { createThrottle, type ThrottleDeps } from './login-throttle.ts'
import { checkPassword, hashPassword } from './passwords.ts'
import type { Origin, SecurityEvents } from './security-events.ts'
import {
  type ActiveSession,
  endSession,
  endSessionOfToken,
  endSessions,
  listActiveSessions,
} from './session-queries.ts'

export type AuthOptions = {
  db: Db
  clock: Clock
  newId: NewId
  /** Signs the session cookie. */
  secret: string
  publicUrl: string
  openSignup: boolean
  log: Logger
  /** Receives every successful and failed sign-in. */
  events: Pick<SecurityEvents, 'report'>
} & Pick<ThrottleDeps, 'sleep' | 'random'>

/** A validated request. `session` is defined if `token` belongs to an active session. */
type Call = {
  request: Request
  address: string
  requestId: string
  fields: Fields
  token: string | undefined
  session: ActiveSession | undefined
}

type SignedInCall = Call & { session: ActiveSession }

export type Endpoint = { method: 'GET' | 'POST'; body: BodyShape | undefined } & (
  | { for: 'anyone'; run(call: Call): Promise<Response> }
  | { for: 'signed-in'; run(call: SignedInCall): Promise<Response> }
)

export function createEndpoints(options: AuthOptions): ReadonlyMap<string, Endpoint> {
  const { db, clock, newId, publicUrl } = options
  const throttle = createThrottle(options)
  let loading: Promise<(request: Request) => Promise<Response>> | undefined

  async function callLibrary(path: string, call: Call, body?: Record<string, unknown>): Promise<LibraryResponse> {
    loading ??= import('./better-auth-instance.ts').then(({ createBetterAuth }) => createBetterAuth(options))
    const library = await loading
    const url = `${new URL(publicUrl).origin}/api/auth/${path}`
    return readLibraryResponse(await library(libraryRequest(url, call, body)), publicUrl)
  }

  async function signIn(call: Call): Promise<Response> {
    const { email = '', password = '' } = call.fields
    checkEmail(email)
    const cookies = call.request.headers.get('cookie') ?? ''
    const attempt = { email, address: call.address, device: readKnownDevice(cookies, options, email) }
    const { outcome, value, waitSeconds } = await throttle.tryPassword(attempt, async () => {
      const response = await callLibrary('sign-in/email', { ...call, session: undefined }, { email, password })
      if (response.status !== 200 && response.status !== 401) throw libraryError(response)
      return { outcome: response.status === 200 ? 'right' : 'wrong', value: response }
    })
    if (outcome === 'wrong') {
      options.events.report({ kind: 'sign-in-failed', email }, originOf(call))
      if (waitSeconds > 0) throw tooManyRequests(WRONG_AND_WAIT, waitSeconds)
      throw unauthorized('E-mail or password is wrong')
    }
    const userId = String(asRecord(value.body.user).id)
    options.events.report({ kind: 'signed-in', userId }, originOf(call))
    await renewPasswordHash(db, userId, password)
    // Signing in again replaces the session that the client had.
    if (call.token !== undefined) await endSessionOfToken(db, call.token)
    return signedIn(value, deviceCookie(cookies, options, email))
  }

  async function signUp(call: Call): Promise<Response> {
    const { email = '', name = '', password = '' } = call.fields
    checkEmail(email)
    checkPassword(password, { email, names: [name] })
    // Counted regardless of the result: otherwise an attacker could find out which addresses have an account.
    await throttle.countRequest('sign-up', call.address)
    const passwordHash = await hashPassword(password)
    await db.transaction((tx) => createAccount({ tx, clock, newId }, { email, name, passwordHash }))
    return signIn(call)
  }

  async function changePassword(call: SignedInCall): Promise<Response> {
    const { currentPassword, newPassword = '' } = call.fields
    const { email, userId } = call.session
    checkPassword(newPassword, { email, names: [call.session.name] })
    const change = { currentPassword, newPassword, revokeOtherSessions: true }
    const { outcome, value } = await throttle.tryAsOwner(`change-password:${userId}`, async () => {
      const response = await callLibrary('change-password', call, change)
      const isWrong = response.body.code === 'INVALID_PASSWORD'
      if (!isWrong && response.status !== 200) throw libraryError(response)
      return { outcome: isWrong ? 'wrong' : 'right', value: response }
    })
    if (outcome === 'wrong') throw badRequest('The current password is wrong')
    return signedIn(value, deviceCookie(call.request.headers.get('cookie') ?? '', options, email))
  }

  async function deviceCode(call: Call): Promise<Response> {
    await throttle.countRequest('device-code', call.address)
    const response = await callLibrary('device/code', { ...call, session: undefined }, call.fields)
    if (response.status !== 200) throw libraryError(response)
    return json(200, response.body)
  }

  /** Errors are the codes of RFC 8628, which clients handle. */
  async function deviceToken(call: Call): Promise<Response> {
    const fields = await readFields(call.request, DEVICE_TOKEN_BODY).catch((error: unknown) => {
      throw error instanceof AppError && error.status === 400 ? new AppError(400, 'invalid_request') : error
    })
    if (fields.grant_type !== DEVICE_GRANT) throw new AppError(400, 'unsupported_grant_type')
    const response = await callLibrary('device/token', { ...call, session: undefined }, fields)
    if (response.status === 200) return json(200, response.body)
    if (response.status < 500 && typeof response.body.error === 'string') throw new AppError(400, response.body.error)
    throw libraryError(response)
  }

  /** User codes are short, so wrong ones are throttled like wrong passwords. */
  async function withUserCode(call: SignedInCall, path: string, body?: Fields): Promise<Response> {
    const { value } = await throttle.tryAsOwner(`user-code:${call.session.userId}`, async () => {
      const response = await callLibrary(path, call, body)
      // A correct code proves nothing: anyone can request codes.
      return { outcome: response.body.error === 'invalid_request' ? 'wrong' : 'neither', value: response }
    })
    if (value.status === 200) return json(200, value.body)
    throw libraryError(value)
  }

  async function showDevice(call: SignedInCall): Promise<Response> {
    const userCode = new URL(call.request.url).searchParams.get('user_code') ?? ''
    if (!/^[\w -]{1,100}$/.test(userCode))
      throw badRequest('The query parameter user_code must be the code on the device')
    return withUserCode(call, `device?${new URLSearchParams({ user_code: userCode })}`)
  }

  async function signOut({ token }: Call): Promise<Response> {
    if (token !== undefined) await endSessionOfToken(db, token)
    return signedOut(publicUrl)
  }

  async function listSessions({ session }: SignedInCall): Promise<Response> {
    const sessions = await listActiveSessions(db.read, clock, session.userId)
    return json(200, { data: sessions.map((entry) => ({ ...entry, isCurrent: entry.id === session.id })) })
  }

  async function revokeSession({ session, fields: { id = '' } }: SignedInCall): Promise<Response> {
    if (!isUuid(id)) throw badRequest('The field id must be a UUID')
    if (!(await endSession(db, session.userId, id.toLowerCase()))) throw notFound('Session')
    return json(200, { success: true })
  }

  async function revokeSessions({ session }: SignedInCall): Promise<Response> {
    await db.transaction((tx) => endSessions(tx, session.userId))
    return signedOut(publicUrl)
  }

  async function revokeOtherSessions({ session }: SignedInCall): Promise<Response> {
    await db.transaction((tx) => endSessions(tx, session.userId, { except: session.id }))
    return json(200, { success: true })
  }

  const endpoints = new Map<string, Endpoint>([
    ['sign-in/email', { method: 'POST', for: 'anyone', body: exactFields('email', 'password'), run: signIn }],
    ['sign-out', { method: 'POST', for: 'anyone', body: undefined, run: signOut }],
    ['get-session', { method: 'GET', for: 'anyone', body: undefined, run: showSession }],
    ['change-password', { method: 'POST', for: 'signed-in', body: CHANGE_BODY, run: changePassword }],
    ['list-sessions', { method: 'GET', for: 'signed-in', body: undefined, run: listSessions }],
    ['revoke-session', { method: 'POST', for: 'signed-in', body: exactFields('id'), run: revokeSession }],
    ['revoke-sessions', { method: 'POST', for: 'signed-in', body: undefined, run: revokeSessions }],
    ['revoke-other-sessions', { method: 'POST', for: 'signed-in', body: undefined, run: revokeOtherSessions }],
    ['device', { method: 'GET', for: 'signed-in', body: undefined, run: showDevice }],
    ['device/code', { method: 'POST', for: 'anyone', body: DEVICE_CODE_BODY, run: deviceCode }],
    ['device/token', { method: 'POST', for: 'anyone', body: undefined, run: deviceToken }],
  ])
  for (const path of ['device/approve', 'device/deny']) {
    const run = (call: SignedInCall) => withUserCode(call, path, call.fields)
    endpoints.set(path, { method: 'POST', for: 'signed-in', body: exactFields('userCode'), run })
  }
  if (!options.openSignup) return endpoints
  return endpoints.set('sign-up/email', { method: 'POST', for: 'anyone', body: SIGN_UP_BODY, run: signUp })
}

function originOf({ address, requestId }: Call): Origin {
  return { address, requestId }
}

const WRONG_AND_WAIT = 'E-mail or password is wrong. Too many attempts; wait before you try again'

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

const SIGN_UP_BODY = exactFields('email', 'name', 'password')
const CHANGE_BODY = exactFields('currentPassword', 'newPassword')
// OAuth requires servers to ignore unknown parameters.
const DEVICE_CODE_BODY: BodyShape = { required: ['client_id'], optional: ['scope'], unknownFields: 'ignored' }
const DEVICE_TOKEN_BODY: BodyShape = { required: ['grant_type', 'device_code', 'client_id'], unknownFields: 'ignored' }

function exactFields(...required: string[]): BodyShape {
  return { required, unknownFields: 'rejected' }
}

/** Without the token: scripts in the page must not be able to read it. */
async function showSession({ session }: Call): Promise<Response> {
  if (!session) return json(200, null)
  const { userId, email, name, ...rest } = session
  return json(200, { session: { ...rest, userId }, user: { id: userId, email, name } })
}
