/**
 * The endpoints under /api/auth. The library handles passwords. Listing and ending sessions is implemented here,
 * because the library identifies sessions by their token, of which only the hash is stored.
 */
import { badRequest, conflict, forbidden, notFound, tooManyRequests, unauthorized } from '../../base/errors.ts'
import { isUuid } from '../../base/ids.ts'
import { findPassword } from '../accounts/account-queries.ts'
import { checkEmail, createAccount, renewPasswordHash } from '../accounts/accounts.ts'
import { passwordResetEndpoints } from '../accounts/password-reset-endpoints.ts'
import { checkPassword, hashPassword } from '../accounts/passwords.ts'
import { endSession, endSessionOfToken, endSessions, listActiveSessions } from '../accounts/session-queries.ts'
import { oidcEndpoints } from '../oidc/oidc-endpoints.ts'
import { secondFactorEndpoints } from '../second-factor/second-factor-endpoints.ts'
import {
  type AuthOptions,
  type Call,
  type CallLibrary,
  type Endpoint,
  type EndpointDeps,
  exactFields,
  originOf,
  type SignedInCall,
} from './auth-endpoint.ts'
import {
  asRecord,
  json,
  libraryError,
  libraryRequest,
  readLibraryResponse,
  readTrustCookie,
  signedIn,
  signedOut,
} from './auth-requests.ts'
import { deviceCookie, readKnownDevice } from './device-cookie.ts'
import { deviceEndpoints } from './device-endpoints.ts'
import { createThrottle } from './login-throttle.ts'

export function createEndpoints(options: AuthOptions): ReadonlyMap<string, Endpoint> {
  const { db, clock, newId, publicUrl } = options
  const throttle = createThrottle(options)
  let loading: Promise<(request: Request) => Promise<Response>> | undefined

  const callLibrary: CallLibrary = async (path, call, body) => {
    loading ??= import('./better-auth-instance.ts').then(({ createBetterAuth }) => createBetterAuth(options))
    const library = await loading
    const url = `${new URL(publicUrl).origin}/api/auth/${path}`
    return readLibraryResponse(await library(libraryRequest(url, call, body)), publicUrl)
  }

  async function signIn(call: Call): Promise<Response> {
    rejectPasswords()
    const { email = '', password = '' } = call.fields
    checkEmail(email)
    const cookies = call.request.headers.get('cookie') ?? ''
    const attempt = { email, address: call.address, device: readKnownDevice(cookies, options, email) }
    const { outcome, value, waitSeconds } = await throttle.tryPassword(attempt, async () => {
      const cookie = readTrustCookie(cookies, publicUrl)
      const response = await callLibrary('sign-in/email', { ...call, session: undefined, cookie }, { email, password })
      if (response.status !== 200 && response.status !== 401) throw libraryError(response)
      return { outcome: response.status === 200 ? 'right' : 'wrong', value: response }
    })
    if (outcome === 'wrong') {
      options.events.report({ kind: 'sign-in-failed', email }, originOf(call))
      if (waitSeconds > 0) throw tooManyRequests(WRONG_AND_WAIT, waitSeconds)
      throw unauthorized('E-mail or password is wrong')
    }
    if (value.body.twoFactorRedirect === true)
      return json(200, { secondFactor: 'required', challenge: value.challenge })
    const userId = String(asRecord(value.body.user).id)
    await renewPasswordHash(db, userId, password)
    return completeSignIn(call, value, { userId, email })
  }

  function rejectPasswords(): void {
    if (!options.isPasswordLoginAllowed)
      throw forbidden(`Passwords are turned off on this server; sign in with ${options.oidc?.name}`)
  }

  const completeSignIn: EndpointDeps['completeSignIn'] = async (call, response, { userId, email }) => {
    options.events.report({ kind: 'signed-in', userId }, originOf(call))
    // Signing in again replaces the session that the client had.
    if (call.token !== undefined) await endSessionOfToken(db, call.token)
    return signedIn(response, deviceCookie(call.request.headers.get('cookie') ?? '', options, email))
  }

  async function signUp(call: Call): Promise<Response> {
    rejectPasswords()
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
    rejectPasswords()
    const { currentPassword, newPassword = '' } = call.fields
    const { email, userId } = call.session
    checkPassword(newPassword, { email, names: [call.session.name] })
    if (!(await findPassword(db.read, userId))?.hash)
      throw conflict(`Your account has no password; you sign in with ${options.oidc?.name ?? 'a provider'}`)
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
  ])
  const deps = { options, throttle, callLibrary, completeSignIn }
  const others = [
    ...secondFactorEndpoints(deps),
    ...deviceEndpoints(deps),
    ...passwordResetEndpoints(deps),
    ...oidcEndpoints(deps),
  ]
  for (const [path, endpoint] of others) endpoints.set(path, endpoint)
  if (!options.openSignup) return endpoints
  return endpoints.set('sign-up/email', { method: 'POST', for: 'anyone', body: SIGN_UP_BODY, run: signUp })
}

const WRONG_AND_WAIT = 'E-mail or password is wrong. Too many attempts; wait before you try again'

const SIGN_UP_BODY = exactFields('email', 'name', 'password')
const CHANGE_BODY = exactFields('currentPassword', 'newPassword')

/** Without the token: scripts in the page must not be able to read it. */
async function showSession({ session }: Call): Promise<Response> {
  if (!session) return json(200, null)
  const { userId, email, name, ...rest } = session
  return json(200, { session: { ...rest, userId }, user: { id: userId, email, name } })
}
