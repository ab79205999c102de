/** The endpoints under /api/auth: passwords and sessions here, the others in files of their own. */
import { badRequest, conflict, forbidden, notFound, tooManyRequests, unauthorized } from '../../base/errors.ts'
import { isUuid } from '../../base/ids.ts'
import type { Queries } from '../../storage/db.ts'
import {
  findCredentials,
  findPassword,
  findSignedInUser,
  lockCredentials,
  type StoredCredentials,
} from '../accounts/account-queries.ts'
import { changePassword, checkEmail, createAccount, renewPasswordHash } from '../accounts/accounts.ts'
import { passwordResetEndpoints } from '../accounts/password-reset-endpoints.ts'
import { checkPassword, hashPassword, verifyPassword } from '../accounts/passwords.ts'
import { endSession, endSessionOfToken, endSessions, listActiveSessions } from '../accounts/session-queries.ts'
import { oidcEndpoints } from '../oidc/oidc-endpoints.ts'
import { secondFactorEndpoints } from '../second-factor/second-factor-endpoints.ts'
import { findSecondFactor } from '../second-factor/second-factor-queries.ts'
import { openTotpSecret } from '../second-factor/second-factor-records.ts'
import { createChallenge, renewTrust } from '../second-factor/second-step.ts'
import { limitRows } from './allow-event.ts'
import {
  type AuthOptions,
  type Call,
  type Endpoint,
  type EndpointDeps,
  exactFields,
  originOf,
  type SignedInCall,
  type StartedSession,
  startSession,
} from './auth-endpoint.ts'
import { json, signedIn, signedOut } from './auth-requests.ts'
import { deviceCookie, readKnownDevice } from './device-cookie.ts'
import { deviceEndpoints } from './device-endpoints.ts'
import { type CheckResult, createThrottle } from './login-throttle.ts'

export function createEndpoints(options: AuthOptions): ReadonlyMap<string, Endpoint> {
  const { db, clock, newId, publicUrl } = options
  const throttle = createThrottle(options)

  async function signIn(call: Call): Promise<Response> {
    rejectPasswords()
    const { email = '', password = '' } = call.fields
    checkEmail(email)
    const device = readKnownDevice(cookiesOf(call), options, email)
    const { value: checked, waitSeconds } = await throttle.tryPassword({ email, address: call.address, device }, () =>
      checkCredentials(email, password),
    )
    if (!checked) {
      options.events.report({ kind: 'sign-in-failed', email }, originOf(call))
      if (waitSeconds > 0) throw tooManyRequests(WRONG_AND_WAIT, waitSeconds)
      throw unauthorized(WRONG)
    }
    const next = await db.transaction((tx) => passFirstStep(tx, call, checked))
    if ('challenge' in next) return json(200, { secondFactor: 'required', challenge: next.challenge })
    await renewPasswordHash(db, checked.userId, password)
    return completeSignIn(call, next)
  }

  async function checkCredentials(
    email: string,
    password: string,
  ): Promise<CheckResult<StoredCredentials | undefined>> {
    const stored = await findCredentials(db.read, email)
    if (stored && (await verifyPassword(password, stored.passwordHash))) return { outcome: 'right', value: stored }
    // As much work as for a wrong password: the time must not reveal which addresses have an account.
    if (!stored) await hashPassword(password)
    return { outcome: 'wrong', value: undefined }
  }

  /** Starts a session, or returns the challenge for the second factor. */
  async function passFirstStep(
    tx: Queries,
    call: Call,
    { userId, passwordHash }: StoredCredentials,
  ): Promise<StartedSession | { challenge: string }> {
    const locked = await lockCredentials(tx, call.fields.email ?? '')
    // A new password has ended all sessions while the old one was checked.
    if (locked?.passwordHash !== passwordHash) throw unauthorized(WRONG)
    const start = async (cookies: string[]) => {
      return { userId, token: await startSession(tx, options, { call, userId }), cookies }
    }
    if (!locked.hasSecondFactor) return start([])
    const trust = await renewTrust(tx, options, { cookies: cookiesOf(call), userId })
    if (trust) return start([trust])
    const factor = await findSecondFactor(tx, userId)
    // Fails here if it cannot be decrypted, because no code would be right.
    if (factor) await openTotpSecret(options, factor)
    return { challenge: await createChallenge(tx, options, userId) }
  }

  function rejectPasswords(): void {
    if (!options.isPasswordLoginAllowed)
      throw forbidden(`Passwords are turned off on this server; sign in with ${options.oidc?.name}`)
  }

  const completeSignIn: EndpointDeps['completeSignIn'] = async (call, { userId, token, cookies }) => {
    options.events.report({ kind: 'signed-in', userId }, originOf(call))
    // Signing in again replaces the session that the client had.
    if (call.token !== undefined) await endSessionOfToken(db, call.token)
    const user = await findSignedInUser(db.read, userId)
    const known = deviceCookie(cookiesOf(call), options, user.email)
    return signedIn(options, { token, user, cookies: [...cookies, known] })
  }

  async function signUp(call: Call): Promise<Response> {
    rejectPasswords()
    const { email = '', name = '', password = '' } = call.fields
    checkEmail(email)
    if (/^\S+@\S+$/.test(name)) throw badRequest('The field name must not be an e-mail address')
    checkPassword(password, { email, names: [name] })
    // Counted regardless of the result: otherwise an attacker could find out which addresses have an account.
    await limitRows(options, 'sign-up', call.address)
    const passwordHash = await hashPassword(password)
    await db.transaction((tx) => createAccount({ tx, clock, newId }, { email, name, passwordHash }))
    return signIn(call)
  }

  const requirePassword: EndpointDeps['requirePassword'] = async ({ session: { userId } }, password, wrong) => {
    // Wrong passwords count together, wherever a session is asked for the current one.
    const { value } = await throttle.tryAsOwner(`change-password:${userId}`, async () => {
      const { id = '', hash } = (await findPassword(db.read, userId)) ?? {}
      if (hash && (await verifyPassword(password, hash))) return { outcome: 'right', value: { id, hash } }
      return { outcome: 'wrong', value: undefined }
    })
    if (!value) throw badRequest(wrong)
    return value
  }

  async function setNewPassword(call: SignedInCall): Promise<Response> {
    rejectPasswords()
    const { currentPassword = '', newPassword = '' } = call.fields
    const { email, userId } = call.session
    checkPassword(newPassword, { email, names: [call.session.name] })
    if (!(await findPassword(db.read, userId))?.hash)
      throw conflict(`Your account has no password; you sign in with ${options.oidc?.name ?? 'a provider'}`)
    const { id, hash } = await requirePassword(call, currentPassword, WRONG_CURRENT)
    const after = await hashPassword(newPassword)
    const token = await db.transaction(async (tx) => {
      // A reset link may have been used in the meantime; its password must stay.
      if (!(await changePassword(tx, userId, { id, before: hash, after }))) throw badRequest(WRONG_CURRENT)
      return startSession(tx, options, { call, userId })
    })
    const user = await findSignedInUser(db.read, userId)
    return signedIn(options, { token, user, cookies: [deviceCookie(cookiesOf(call), options, email)] })
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
    ['change-password', { method: 'POST', for: 'signed-in', body: CHANGE_BODY, run: setNewPassword }],
    ['list-sessions', { method: 'GET', for: 'signed-in', body: undefined, run: listSessions }],
    ['revoke-session', { method: 'POST', for: 'signed-in', body: exactFields('id'), run: revokeSession }],
    ['revoke-sessions', { method: 'POST', for: 'signed-in', body: undefined, run: revokeSessions }],
    ['revoke-other-sessions', { method: 'POST', for: 'signed-in', body: undefined, run: revokeOtherSessions }],
  ])
  const deps = { options, throttle, requirePassword, completeSignIn }
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

const WRONG = 'E-mail or password is wrong'
const WRONG_AND_WAIT = `${WRONG}. Too many attempts; wait before you try again`
const WRONG_CURRENT = 'The current password is wrong'

const SIGN_UP_BODY = exactFields('email', 'name', 'password')
const CHANGE_BODY = exactFields('currentPassword', 'newPassword')

/** Without the token: scripts in the page must not be able to read it. */
async function showSession({ session }: Call): Promise<Response> {
  if (!session) return json(200, null)
  const { userId, email, name, ...rest } = session
  return json(200, { session: { ...rest, userId }, user: { id: userId, email, name } })
}

function cookiesOf({ request }: Call): string {
  return request.headers.get('cookie') ?? ''
}
