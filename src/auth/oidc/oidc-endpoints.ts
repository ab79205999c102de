/**
 * Sign-in with an OpenID Connect provider: `oidc/start` returns the address of the provider, which sends the browser back to `oidc/callback`.
 *
 * A sign-in works once, for ten minutes, and only in the browser that started it: otherwise an attacker could sign a victim in to the
 * attacker's account. The second factor is left to the provider.
 */
import { timingSafeEqual } from 'node:crypto'
import { timestamp } from '../../base/clock.ts'
import { badRequest, unavailable } from '../../base/errors.ts'
import type { OidcSettings } from '../../sign-in-config.ts'
import { endSessionOfToken } from '../accounts/session-queries.ts'
import { hashSecret } from '../api-keys/api-key-format.ts'
import {
  type AuthOptions,
  type Call,
  type Endpoint,
  type EndpointDeps,
  newSecret,
  originOf,
  startSession,
} from '../sign-in/auth-endpoint.ts'
import { asRecord, type BodyShape, json, readCookie, sessionCookie } from '../sign-in/auth-requests.ts'
import { deviceCookie } from '../sign-in/device-cookie.ts'
import type { Throttle } from '../sign-in/login-throttle.ts'
import { consumeVerification, insertVerification } from '../sign-in/verification-queries.ts'
import { createOidcClient, type OidcIdentity, ProviderError } from './oidc-client.ts'
import { type OidcDenial, resolveOidcUser } from './resolve-oidc-user.ts'

const SIGN_IN_SECONDS = 600

/** None if no provider is configured. */
export function oidcEndpoints({ options, throttle }: Pick<EndpointDeps, 'options' | 'throttle'>): [string, Endpoint][] {
  return options.oidc ? endpointsOf(options, throttle, options.oidc) : []
}

function endpointsOf(options: AuthOptions, throttle: Throttle, settings: OidcSettings): [string, Endpoint][] {
  const { db, clock, newId, publicUrl, log } = options
  const isSecure = publicUrl.startsWith('https:')
  const cookieName = isSecure ? '__Host-oidc' : 'oidc'
  const client = createOidcClient(settings, `${publicUrl}/api/auth/oidc/callback`, clock.now)

  async function start(call: Call): Promise<Response> {
    const { next = '/' } = call.fields
    if (!isLocalPath(next)) throw badRequest('The field next must be a path of this server')
    await throttle.countRequest('oidc', call.address)
    const [state, nonce, verifier] = [newSecret(), newSecret(), newSecret()]
    const url = await client.authorizationUrl({ state, nonce, verifier }).catch((error: unknown) => {
      throw unavailable(`${settings.name} does not respond; try again later`, error)
    })
    // Tabs of one browser share it, so that each of them can finish its sign-in.
    const browser = readBrowser(call) ?? newSecret()
    const now = clock.now()
    const signIn = {
      id: newId(),
      identifier: identifierOf(state),
      value: JSON.stringify({ nonce, verifier, next, browserHash: hashSecret(browser) }),
      createdAt: timestamp(now),
      expiresAt: timestamp(now + SIGN_IN_SECONDS * 1_000),
    }
    await db.transaction((tx) => insertVerification(tx, signIn))
    const secure = isSecure ? '; Secure' : ''
    const attributes = `Max-Age=${SIGN_IN_SECONDS}; Path=/; HttpOnly; SameSite=Lax${secure}`
    return json(200, { url }, { 'set-cookie': `${cookieName}=${browser}; ${attributes}` })
  }

  /** The browser comes from another site and shows the response, so every result is a redirect to a page. */
  async function callback(call: Call): Promise<Response> {
    const parameters = new URL(call.request.url).searchParams
    const signIn = await consume(call, parameters.get('state') ?? '')
    if (!signIn) return toSignIn('expired')
    const code = parameters.get('code')
    // The user has cancelled, or the provider denies access.
    if (code === null) return toSignIn('denied')
    let identity: OidcIdentity
    try {
      identity = await client.redeem({ code, iss: parameters.get('iss') ?? undefined }, signIn)
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error
      log.warn({ err: error, requestId: call.requestId }, 'sign-in with OpenID Connect failed')
      return toSignIn('failed')
    }
    return enter(call, identity, signIn.next)
  }

  /** The sign-in of this state, if this browser has started it. */
  async function consume(call: Call, state: string) {
    const browser = readBrowser(call)
    if (!SECRET.test(state) || browser === undefined) return undefined
    const row = { identifier: identifierOf(state), now: timestamp(clock.now()) }
    const stored = await db.transaction((tx) => consumeVerification(tx, row))
    if (stored === undefined) return undefined
    const { nonce, verifier, next, browserHash } = asRecord(JSON.parse(stored))
    if (!timingSafeEqual(Buffer.from(hashSecret(browser)), Buffer.from(String(browserHash)))) return undefined
    return { nonce: String(nonce), verifier: String(verifier), next: String(next) }
  }

  async function enter(call: Call, identity: OidcIdentity, next: string): Promise<Response> {
    const resolved = await db
      .transaction(async (tx) => {
        const found = await resolveOidcUser({ tx, clock, newId, ...originOf(call) }, identity, settings)
        if ('denial' in found) throw new Denied(found.denial)
        return { ...found.user, token: await startSession(tx, options, { call, userId: found.user.id }) }
      })
      .catch((error: unknown) => {
        if (error instanceof Denied) return error.reason
        throw error
      })
    if (typeof resolved === 'string') {
      log.warn({ reason: resolved, requestId: call.requestId }, 'sign-in with OpenID Connect denied')
      options.events.report({ kind: 'sign-in-failed', email: identity.email }, originOf(call))
      return toSignIn(resolved)
    }
    options.events.report({ kind: 'signed-in', userId: resolved.id }, originOf(call))
    // Signing in again replaces the session that the browser had.
    if (call.token !== undefined) await endSessionOfToken(db, call.token)
    const response = redirect(next)
    response.headers.append('set-cookie', sessionCookie(resolved.token, options))
    const cookies = call.request.headers.get('cookie') ?? ''
    response.headers.append('set-cookie', deviceCookie(cookies, options, resolved.email))
    return response
  }

  function readBrowser({ request }: Call): string | undefined {
    const value = readCookie(request.headers.get('cookie') ?? '', cookieName)
    return value !== undefined && SECRET.test(value) ? value : undefined
  }

  function toSignIn(reason: 'expired' | 'denied' | 'failed' | OidcDenial): Response {
    return redirect(`/sign-in?problem=${reason}`)
  }

  function redirect(path: string): Response {
    return new Response(null, {
      status: 303,
      headers: { location: `${publicUrl}${path}`, 'cache-control': 'no-store' },
    })
  }

  return [
    ['oidc/start', { method: 'POST', for: 'anyone', body: START_BODY, run: start }],
    ['oidc/callback', { method: 'GET', for: 'anyone', body: undefined, run: callback }],
  ]
}

/** Undoes the transaction: a user who may not sign in must not exist afterwards. */
class Denied extends Error {
  readonly reason: OidcDenial

  constructor(reason: OidcDenial) {
    super(reason)
    this.reason = reason
  }
}

const START_BODY: BodyShape = { required: [], optional: ['next'], unknownFields: 'rejected' }

const SECRET = /^[\w-]{43}$/

function identifierOf(state: string): string {
  return `oidc:${hashSecret(state)}`
}

/** Browsers read `//host` and `/\host` as another site. */
function isLocalPath(path: string): boolean {
  return /^\/(?![/\\])[\x21-\x7e]*$/.test(path)
}
