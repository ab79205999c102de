/**
 * The second factor under /api/auth: codes of an authenticator app (TOTP, RFC 6238) and recovery codes, by the library. Turning it off is
 * implemented here, in one transaction.
 *
 * The library accepts a code again while its time lasts; `claimCode` prevents that.
 */
import { timestamp } from '../../base/clock.ts'
import { badRequest, conflict, tooManyRequests, unauthorized } from '../../base/errors.ts'
import { findPassword } from '../accounts/account-queries.ts'
import { recordAccountAudit } from '../accounts/manage-accounts.ts'
import { verifyPassword } from '../accounts/passwords.ts'
import { endSessions, findActiveSession } from '../accounts/session-queries.ts'
import { hashSecret } from '../api-keys/api-key-format.ts'
import type { AuditAction } from '../audit/audit.ts'
import {
  type Call,
  type Endpoint,
  type EndpointDeps,
  exactFields,
  originOf,
  type SignedInCall,
} from '../sign-in/auth-endpoint.ts'
import {
  type BodyShape,
  CHALLENGE_COOKIE,
  json,
  type LibraryResponse,
  libraryError,
  readSessionCookie,
  signedIn,
} from '../sign-in/auth-requests.ts'
import { deviceCookie } from '../sign-in/device-cookie.ts'
import {
  claimCode,
  deleteSecondFactor,
  findPendingSignIn,
  findSecondFactor,
  releaseCode,
} from './second-factor-queries.ts'
import { sealedLocation } from './second-factor-records.ts'

/** A code is valid for its 30 seconds and those before and after them. */
const CODE_LIFETIME_MS = 2 * 60 * 1_000

export function secondFactorEndpoints(deps: EndpointDeps): [string, Endpoint][] {
  const { options, throttle, callLibrary, completeSignIn } = deps
  const { db, clock, newId, sealer } = options

  async function show({ session }: SignedInCall): Promise<Response> {
    const factor = await findSecondFactor(db.read, session.userId)
    // Without one the account is signed in to at a provider, which decides about its factors.
    const hasPassword = (await findPassword(db.read, session.userId)) !== undefined
    if (!factor) return json(200, { isEnabled: false, recoveryCodesLeft: 0, hasPassword })
    const codes = sealer.open(factor.backupCodes, sealedLocation(session.userId, 'backup_codes'))
    // Codes that cannot be decrypted cannot be used either.
    return json(200, { isEnabled: true, recoveryCodesLeft: codes === undefined ? 0 : countIn(codes), hasPassword })
  }

  /** The second factor works only after a first code has confirmed it. */
  async function enable(call: SignedInCall): Promise<Response> {
    // Checked first, because the library would not report the missing setting.
    sealer.seal('', sealedLocation(call.session.userId, 'secret'))
    const { body } = await withPassword(call, 'two-factor/enable')
    return json(200, { totpUri: body.totpURI, recoveryCodes: body.backupCodes })
  }

  async function confirm(call: SignedInCall): Promise<Response> {
    const { userId, email } = call.session
    if (await findSecondFactor(db.read, userId)) throw conflict(ALREADY_ENABLED)
    const { outcome, value } = await tryCode(call, userId, (code) =>
      callLibrary('two-factor/verify-totp', call, { code }),
    )
    if (outcome === 'wrong') throw badRequest(WRONG_CODE)
    if (value?.status !== 200) throw conflict('Set up the second factor again; this one is no longer valid')
    // The library has replaced the session.
    const [cookie = ''] = value.cookies
    const token = readSessionCookie(cookie, options) ?? ''
    const session = await findActiveSession(db.read, clock, token)
    await db.transaction(async (tx) => {
      await endSessions(tx, userId, session ? { except: session.id } : {})
      await record(call, userId, 'account.second-factor-enabled', tx)
    })
    const user = { id: userId, email, name: call.session.name }
    const known = deviceCookie(call.request.headers.get('cookie') ?? '', options, email)
    return signedIn({ ...value, body: { token, user } }, known)
  }

  async function renewRecoveryCodes(call: SignedInCall): Promise<Response> {
    const { body } = await withPassword(call, 'two-factor/generate-backup-codes')
    await db.transaction((tx) => record(call, call.session.userId, 'account.recovery-codes-created', tx))
    return json(200, { recoveryCodes: body.backupCodes })
  }

  async function disable(call: SignedInCall): Promise<Response> {
    const { userId, id } = call.session
    const { password = '' } = call.fields
    const { outcome } = await throttle.tryAsOwner(passwordSubject(userId), async () => {
      const stored = await findPassword(db.read, userId)
      const isRight = await verifyPassword(password, stored?.hash ?? '')
      return { outcome: isRight ? 'right' : 'wrong', value: undefined }
    })
    if (outcome === 'wrong') throw badRequest(WRONG_PASSWORD)
    await db.transaction(async (tx) => {
      if (!(await deleteSecondFactor(tx, userId))) return
      await endSessions(tx, userId, { except: id })
      await record(call, userId, 'account.second-factor-disabled', tx)
    })
    return json(200, { success: true })
  }

  /** The second step of signing in. */
  async function verify(call: Call): Promise<Response> {
    const { challenge = '', code = '', trustDevice = 'false' } = call.fields
    if (trustDevice !== 'true' && trustDevice !== 'false')
      throw badRequest('The field trustDevice must be "true" or "false"')
    const pending = await findPendingSignIn(db.read, identifierIn(challenge), timestamp(clock.now()))
    if (!pending) throw badRequest(EXPIRED)
    const { userId, email } = pending
    const isRecovery = !isTimeCode(code)
    const path = isRecovery ? 'two-factor/verify-backup-code' : 'two-factor/verify-totp'
    const cookie = `${CHALLENGE_COOKIE}=${challenge}`
    const { outcome, value, waitSeconds } = await tryCode(call, userId, (entered) =>
      callLibrary(
        path,
        { ...call, session: undefined, cookie },
        { code: entered, trustDevice: trustDevice === 'true' },
      ),
    )
    if (outcome === 'wrong') {
      options.events.report({ kind: 'second-factor-failed', userId }, originOf(call))
      if (waitSeconds > 0) throw tooManyRequests(WRONG_AND_WAIT, waitSeconds)
      throw unauthorized(WRONG_CODE)
    }
    if (value?.status !== 200) throw badRequest(EXPIRED)
    if (isRecovery) await db.transaction((tx) => record(call, userId, 'account.recovery-code-used', tx))
    return completeSignIn(call, value, { userId, email })
  }

  /** Counts wrong codes like wrong passwords, but more strictly: the caller knows the password. */
  async function tryCode(call: Call, userId: string, check: (code: string) => Promise<LibraryResponse>) {
    const code = normalized(call.fields.code ?? '')
    return throttle.tryAsOwner<LibraryResponse | undefined>(`second-factor:${userId}`, async () => {
      const used = { userId, codeHash: hashSecret(code) }
      const now = clock.now()
      const times = { now: timestamp(now), reusableBefore: timestamp(now - CODE_LIFETIME_MS) }
      const isClaimed = await db.transaction((tx) => claimCode(tx, used, times))
      if (!isClaimed) return { outcome: 'wrong', value: undefined }
      const response = await check(code)
      if (response.status === 200) return { outcome: 'right', value: response }
      await db.transaction((tx) => releaseCode(tx, used))
      if (response.status >= 500) throw libraryError(response)
      return { outcome: WRONG_CODES.has(String(response.body.code)) ? 'wrong' : 'neither', value: response }
    })
  }

  async function withPassword(call: SignedInCall, path: string): Promise<LibraryResponse> {
    const { password } = call.fields
    const { outcome, value } = await throttle.tryAsOwner(passwordSubject(call.session.userId), async () => {
      const response = await callLibrary(path, call, { password })
      if (response.body.code === 'TOTP_ALREADY_ENABLED') throw conflict(ALREADY_ENABLED)
      if (response.body.code === 'TWO_FACTOR_NOT_ENABLED') throw conflict('The second factor is off')
      const isWrong = response.body.code === 'INVALID_PASSWORD'
      if (!isWrong && response.status !== 200) throw libraryError(response)
      return { outcome: isWrong ? 'wrong' : 'right', value: response }
    })
    if (outcome === 'wrong') throw badRequest(WRONG_PASSWORD)
    return value
  }

  function record(call: Call, userId: string, action: AuditAction, tx: Parameters<typeof deleteSecondFactor>[0]) {
    const by = { kind: 'session', userId } as const
    return recordAccountAudit({ tx, by, clock, newId, ...originOf(call) }, userId, action)
  }

  return [
    ['two-factor', { method: 'GET', for: 'signed-in', body: undefined, run: show }],
    ['two-factor/enable', { method: 'POST', for: 'signed-in', body: PASSWORD_BODY, run: enable }],
    ['two-factor/confirm', { method: 'POST', for: 'signed-in', body: exactFields('code'), run: confirm }],
    ['two-factor/recovery-codes', { method: 'POST', for: 'signed-in', body: PASSWORD_BODY, run: renewRecoveryCodes }],
    ['two-factor/disable', { method: 'POST', for: 'signed-in', body: PASSWORD_BODY, run: disable }],
    ['two-factor/verify', { method: 'POST', for: 'anyone', body: VERIFY_BODY, run: verify }],
  ]
}

const PASSWORD_BODY = exactFields('password')
const VERIFY_BODY: BodyShape = {
  required: ['challenge', 'code'],
  optional: ['trustDevice'],
  unknownFields: 'rejected',
}

const WRONG_PASSWORD = 'The password is wrong'
const WRONG_CODE = 'The code is wrong or was used before'
const WRONG_AND_WAIT = `${WRONG_CODE}. Too many attempts; wait before you try again`
const EXPIRED = 'This sign-in has expired; enter your password again'
const ALREADY_ENABLED = 'The second factor is on already'

/** `409`: another request has used a recovery code at the same time. */
const WRONG_CODES = new Set(['INVALID_CODE', 'INVALID_BACKUP_CODE', 'CONFLICT'])

/** Wrong passwords count together, wherever a session asks for the current one. */
function passwordSubject(userId: string): string {
  return `change-password:${userId}`
}

function isTimeCode(code: string): boolean {
  return /^\d{6}$/.test(normalized(code))
}

/** Apps show codes with a space. */
function normalized(code: string): string {
  return code.replace(/\s/g, '')
}

/** The signed value of the library's cookie is `<identifier>.<signature>`, percent-encoded. The library checks the signature. */
function identifierIn(challenge: string): string {
  // Other characters could add cookies to the request to the library.
  if (!/^[\w.%-]{1,300}$/.test(challenge)) return ''
  try {
    const value = decodeURIComponent(challenge)
    return value.slice(0, Math.max(0, value.lastIndexOf('.')))
  } catch {
    // Not written by the library.
    return ''
  }
}

function countIn(codes: string): number {
  const list: unknown = JSON.parse(codes)
  return Array.isArray(list) ? list.length : 0
}
