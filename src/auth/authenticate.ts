/** Resolves credentials to a caller, or rejects them. No other code checks credentials. */
import { type Clock, timestamp } from '../base/clock.ts'
import { AccessDenied, notFound, unauthorized } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { invariant } from '../base/invariant.ts'
import type { Logger } from '../base/log.ts'
import { type Caller, isAtLeast, isRole, lowerRole, type Principal, type Role } from '../base/principal.ts'
import type { Access, Authenticator, Credentials } from '../http/route.ts'
import type { Db } from '../storage/db.ts'
import { findActiveSession } from './accounts/session-queries.ts'
import { hashSecret, mayBeApiKey } from './api-keys/api-key-format.ts'
import { KEY_ROLE_MAX } from './api-keys/create-api-key.ts'
import type { CallerLimits } from './caller-limits.ts'
import { findApiKeyOfAnyWorkspace, findMembership, touchApiKey, touchSession } from './credential-queries.ts'
import { type CookieOptions, readSessionCookie } from './sign-in/auth-requests.ts'

const TOUCH_AFTER_MS = 60_000

export const FACTOR_REQUIRED =
  'This application requires a second factor; turn one on in your account, under Second factor'

export type AuthenticatorOptions = { db: Db; clock: Clock; log: Logger; cookie: CookieOptions; limits: CallerLimits }

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { db, clock, log, cookie: cookieOptions, limits } = options
  const touched = new Map<string, number>()

  /** Updates the time of last use at most once a minute, without delaying the request. */
  function touch(id: string, last: string | null, write: (at: string) => Promise<void>): void {
    const now = clock.now()
    const isFresh = (at: number) => now - at < TOUCH_AFTER_MS
    if (isFresh(touched.get(id) ?? 0) || (last !== null && isFresh(Date.parse(last)))) return
    if (touched.size > 10_000) touched.clear()
    touched.set(id, now)
    write(timestamp(now)).catch((error: unknown) =>
      log.warn({ err: error }, 'the time of last use could not be written'),
    )
  }

  async function callerByKey(hash: string): Promise<Member | undefined> {
    const [key] = await findApiKeyOfAnyWorkspace(db.read, { hash })
    if (!key || (key.expires_at !== null && Date.parse(key.expires_at) <= clock.now())) return undefined
    touch(key.id, key.last_used_at, (at) => db.transaction((tx) => touchApiKey(tx, key.workspace_id, key.id, at)))
    const { id: credentialId, created_by: userId, workspace_id: workspaceId, lacksFactor } = key
    // Checked at each use: a key must not keep a role that its creator has lost.
    const role = lowerRole(lowerRole(roleOf(key.role), roleOf(key.creatorRole)), KEY_ROLE_MAX)
    return { kind: 'api-key', credential: 'bearer', credentialId, userId, workspaceId, role, lacksFactor }
  }

  async function callerBySession(token: string, credential: Caller['credential']): Promise<Caller | undefined> {
    const session = await findActiveSession(db.read, clock, token)
    if (!session) return undefined
    touch(session.id, session.lastUsedAt, (at) => db.transaction((tx) => touchSession(tx, session.id, at)))
    return { kind: 'session', credential, credentialId: session.userId, userId: session.userId }
  }

  /** Counts failures, and skips the lookup for an address with too many of them. */
  async function findCaller({ secret, kind }: Presented, address: string): Promise<Caller | Member | undefined> {
    const hash = hashSecret(secret)
    // The checksum of a credential that was accepted before is not computed again.
    if (limits.acceptedId(hash) === undefined) {
      if (kind !== 'cookie' && !mayBeApiKey(secret)) return undefined
      limits.assertMayTry(address)
    }
    let caller: Caller | Member | undefined
    if (kind !== 'cookie') caller = await callerByKey(hash)
    if (!caller && kind !== 'key') caller = await callerBySession(secret, kind)
    if (caller) limits.recordSuccess(hash, caller.credentialId)
    else limits.recordFailure(address, hash)
    return caller
  }

  async function memberOf(caller: Caller, workspaceId: string): Promise<Member | undefined> {
    const [member] = await findMembership(db.read, { workspaceId, userId: caller.userId })
    return member && { ...caller, workspaceId, role: roleOf(member.role), lacksFactor: member.lacksFactor }
  }

  return {
    recognize(credentials) {
      const presented = readCredentials(ANY_ACCESS, credentials, cookieOptions)
      return presented && limits.acceptedId(hashSecret(presented.secret))
    },

    async identify(access: Access, credentials: Credentials): Promise<Caller | Principal> {
      const presented = readCredentials(access, credentials, cookieOptions)
      const caller = presented && (await findCaller(presented, credentials.address))
      if (!caller) throw unauthorized()
      limits.countRequest(caller)
      if ('workspaceId' in caller) {
        if (access.auth !== 'key-or-session')
          throw new AccessDenied(401, 'This request requires a session, not an API key', caller)
        return admit(caller, access)
      }
      if (!('workspace' in access) || access.workspace === 'path') return caller
      const workspaceId = credentials.applicationId?.toLowerCase() ?? ''
      const member = isUuid(workspaceId) ? await memberOf(caller, workspaceId) : undefined
      if (!member)
        throw unauthorized('The header X-AI-Application-Id must name an AI application that you are a member of')
      return admit(member, access)
    },

    async authorize(caller: Caller, access: Access, workspaceId: string): Promise<Principal> {
      const member = await memberOf(caller, workspaceId)
      if (!member) throw notFound('Workspace')
      return admit(member, access)
    },

    requireRole,
  }
}

/** Some exporters send URL-encoded headers from their configuration unchanged, so `%20` counts as a space. */
const BEARER = /^Bearer(?: |%20)+([\x21-\x7e]+)$/i
const BASIC = /^Basic(?: |%20)+([A-Za-z0-9+/_-]+={0,2})$/i

/** A secret and what it may be. A bearer token is an API key or the token of a session. */
type Presented = { secret: string; kind: 'key' | 'bearer' | 'cookie' }

/** Any form of credentials. */
const ANY_ACCESS: Pick<Access, 'auth'> & { basic: 'password-is-key' } = {
  auth: 'key-or-session',
  basic: 'password-is-key',
}

/** The header takes precedence: if it is invalid, the cookie is not used. */
function readCredentials(
  access: Pick<Access, 'auth'>,
  { authorization, cookie }: Credentials,
  cookieOptions: CookieOptions,
): Presented | undefined {
  if (authorization === undefined) {
    const token = cookie === undefined ? undefined : readSessionCookie(cookie, cookieOptions)
    return token === undefined ? undefined : { secret: token, kind: 'cookie' }
  }
  const password = 'basic' in access ? passwordOf(authorization) : undefined
  const secret = password ?? BEARER.exec(authorization)?.[1]
  return secret === undefined ? undefined : { secret, kind: password === undefined ? 'bearer' : 'key' }
}

/** The password of Basic authentication: everything after the first colon. The user name is ignored. */
function passwordOf(authorization: string): string | undefined {
  const [, encoded] = BASIC.exec(authorization) ?? []
  if (encoded === undefined) return undefined
  const pair = Buffer.from(encoded, 'base64').toString('latin1')
  const colon = pair.indexOf(':')
  return colon < 0 ? '' : pair.slice(colon + 1)
}

/** What an Authorization header presents as a key: the token or the password, or all of it if it has another form. */
export function secretIn(authorization: string): string {
  return passwordOf(authorization) ?? BEARER.exec(authorization)?.[1] ?? authorization.replace(/^Bearer */i, '')
}

/** A principal, and 1 if the application requires a second factor that its user does not have. */
type Member = Principal & { lacksFactor: number }

function admit({ lacksFactor, ...principal }: Member, access: Access): Principal {
  if (lacksFactor === 0) return requireRole(principal, access)
  const message = principal.kind === 'session' ? FACTOR_REQUIRED : KEY_NEEDS_FACTOR
  throw new AccessDenied(403, message, principal, 'second-factor')
}

const KEY_NEEDS_FACTOR =
  'This application requires a second factor, and the member who created this API key has none; the key works again when they turn one on in their account'

function requireRole(principal: Principal, access: Access): Principal {
  invariant('workspace' in access, 'a role is checked only inside a workspace')
  if (isAtLeast(principal.role, access.role)) return principal
  throw new AccessDenied(403, `This request requires the role ${access.role}; yours is ${principal.role}`, principal)
}

function roleOf(text: string): Role {
  invariant(isRole(text), 'the database holds only known roles')
  return text
}
