/** Turns credentials into a caller, or refuses them. The only place that reads them; it returns a value and stores none. */
import { type Clock, timestamp } from '../base/clock.ts'
import { forbidden, notFound, unauthorized } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { invariant } from '../base/invariant.ts'
import type { Logger } from '../base/log.ts'
import { type Caller, isAtLeast, isRole, lowerRole, type Principal, type Role } from '../base/principal.ts'
import type { Access, Authenticator, Credentials } from '../http/route.ts'
import type { Db } from '../storage/db.ts'
import { findLiveSession } from './accounts.ts'
import { hashSecret, mayBeApiKey } from './api-key-format.ts'
import { type CookieOptions, readSessionCookie } from './auth-requests.ts'
import type { CallerLimits } from './caller-limits.ts'
import { findApiKeyOfAnyWorkspace, findMembership, touchApiKey, touchSession } from './credential-queries.ts'

const TOUCH_AFTER_MS = 60_000
/** What a key may do at most: keys are for programs, which neither make keys nor choose members. */
const KEY_ROLE_MAX: Role = 'editor'

export type AuthenticatorOptions = { db: Db; clock: Clock; log: Logger; cookie: CookieOptions; limits: CallerLimits }

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { db, clock, log, cookie: cookieOptions, limits } = options
  const touched = new Map<string, number>()

  /** Writes when something was last used, at most once a minute, without making the request wait for it. */
  function touch(id: string, last: string | null, write: (at: string) => Promise<void>): void {
    const now = clock.now()
    const isFresh = (at: number) => now - at < TOUCH_AFTER_MS
    if (isFresh(touched.get(id) ?? 0) || (last !== null && isFresh(Date.parse(last)))) return
    if (touched.size > 10_000) touched.clear()
    touched.set(id, now)
    write(timestamp(now)).catch((error: unknown) => log.warn({ err: error }, 'the time of last use was not written'))
  }

  async function callerByKey(hash: string): Promise<Principal | undefined> {
    const [key] = await findApiKeyOfAnyWorkspace(db.read, { hash })
    if (!key || (key.expires_at !== null && Date.parse(key.expires_at) <= clock.now())) return undefined
    touch(key.id, key.last_used_at, (at) => db.transaction((tx) => touchApiKey(tx, key.workspace_id, key.id, at)))
    return {
      kind: 'api-key',
      credential: 'bearer',
      credentialId: key.id,
      userId: key.created_by,
      workspaceId: key.workspace_id,
      role: lowerRole(roleOf(key.role), KEY_ROLE_MAX),
    }
  }

  async function callerBySession(token: string, credential: Caller['credential']): Promise<Caller | undefined> {
    const session = await findLiveSession(db.read, clock, token)
    if (!session) return undefined
    touch(session.id, session.lastUsedAt, (at) => db.transaction((tx) => touchSession(tx, session.id, at)))
    return { kind: 'session', credential, credentialId: session.userId, userId: session.userId }
  }

  /** A key that is there decides: a wrong one is never rescued by a good cookie beside it. */
  async function identifyAnyone(credentials: Credentials): Promise<Caller | Principal | undefined> {
    const { authorization, cookie } = credentials
    if (authorization !== undefined) {
      const [, secret] = /^Bearer +([\x21-\x7e]+)$/i.exec(authorization) ?? []
      if (secret === undefined || !mayBeApiKey(secret)) return undefined
      return lookUp(secret, credentials, async (hash) => (await callerByKey(hash)) ?? callerBySession(secret, 'bearer'))
    }
    const token = cookie === undefined ? undefined : readSessionCookie(cookie, cookieOptions)
    return token === undefined ? undefined : lookUp(token, credentials, () => callerBySession(token, 'cookie'))
  }

  /** Counts what is wrong, and looks nothing up for an address from which too much of it comes. */
  async function lookUp(
    secret: string,
    { address }: Credentials,
    find: (hash: string) => Promise<Caller | Principal | undefined>,
  ): Promise<Caller | Principal | undefined> {
    const hash = hashSecret(secret)
    limits.assertMayTry(address, hash)
    const caller = await find(hash)
    if (caller) limits.recordSuccess(hash)
    else limits.recordFailure(address, hash)
    return caller
  }

  async function membershipOf(caller: Caller, workspaceId: string): Promise<Role | undefined> {
    const [member] = await findMembership(db.read, { workspaceId, userId: caller.userId })
    return member && roleOf(member.role)
  }

  return {
    async identify(access: Access, credentials: Credentials): Promise<Caller | Principal> {
      const caller = await identifyAnyone(credentials)
      if (!caller) throw unauthorized()
      limits.countRequest(caller)
      if ('workspaceId' in caller) {
        if (access.auth !== 'key-or-session')
          throw unauthorized('This request needs a signed-in person, not an API key')
        return allowed(caller, access)
      }
      if (!('workspace' in access) || access.workspace === 'path') return caller
      const workspaceId = credentials.applicationId?.toLowerCase() ?? ''
      const role = isUuid(workspaceId) ? await membershipOf(caller, workspaceId) : undefined
      if (!role)
        throw unauthorized('The header X-AI-Application-Id must name an AI application that you are a member of')
      return allowed({ ...caller, workspaceId, role }, access)
    },

    async enter(caller: Caller, access: Access, workspaceId: string): Promise<Principal> {
      const role = await membershipOf(caller, workspaceId)
      if (!role) throw notFound('Workspace')
      return allowed({ ...caller, workspaceId, role }, access)
    },
  }
}

function allowed(principal: Principal, access: Access): Principal {
  invariant('workspace' in access, 'a role is asked for only inside a workspace')
  if (isAtLeast(principal.role, access.role)) return principal
  throw forbidden(`This needs the role ${access.role}; yours is ${principal.role}`)
}

function roleOf(text: string): Role {
  invariant(isRole(text), 'the database holds only known roles')
  return text
}
