/**
 * The second factor under /api/auth: codes of an authenticator app and recovery codes.
 *
 * A code works once: its use, what it allows, and the end of the challenge are one transaction, which locks the second factor first.
 */
import { randomInt } from 'node:crypto'
import { timestamp } from '../../base/clock.ts'
import { badRequest, conflict, tooManyRequests, unauthorized } from '../../base/errors.ts'
import type { Queries } from '../../storage/db.ts'
import { findPassword } from '../accounts/account-queries.ts'
import { recordAccountAudit } from '../accounts/manage-accounts.ts'
import { endSessions } from '../accounts/session-queries.ts'
import { hashSecret } from '../api-keys/api-key-format.ts'
import type { AuditAction } from '../audit/audit.ts'
import {
  type Call,
  type Endpoint,
  type EndpointDeps,
  exactFields,
  originOf,
  type SignedInCall,
  type StartedSession,
  startSession,
} from '../sign-in/auth-endpoint.ts'
import { type BodyShape, json, signedIn } from '../sign-in/auth-requests.ts'
import { deviceCookie } from '../sign-in/device-cookie.ts'
import { consumeVerification, lockVerification } from '../sign-in/verification-queries.ts'
import { findRequiringApplication } from './required-factor-queries.ts'
import {
  claimCode,
  confirmSecondFactor,
  deleteSecondFactor,
  findPendingUser,
  findSecondFactor,
  lockSecondFactor,
  updateRecoveryCodes,
  upsertUnconfirmedFactor,
} from './second-factor-queries.ts'
import {
  openRecoveryCodes,
  openTotpSecret,
  type SealedFactor,
  sealedLocation,
  sealRecoveryCodes,
} from './second-factor-records.ts'
import { allowCode, readChallenge, trustDevice } from './second-step.ts'
import { CODE_LIFETIME_MS, hasTotpFormat, isTotpCode, newTotpSecret, totpUri } from './totp.ts'

export function secondFactorEndpoints(deps: EndpointDeps): [string, Endpoint][] {
  const { options, throttle, requirePassword, completeSignIn } = deps
  const { db, clock, newId, sealer } = options

  async function show({ session }: SignedInCall): Promise<Response> {
    const factor = await findSecondFactor(db.read, session.userId)
    // Without one the account is signed in to at a provider, which decides about its factors.
    const hasPassword = (await findPassword(db.read, session.userId)) !== undefined
    if (!factor) return json(200, { isEnabled: false, recoveryCodesLeft: 0, hasPassword })
    const codes = openRecoveryCodes(sealer, factor)
    return json(200, { isEnabled: true, recoveryCodesLeft: codes.length, hasPassword })
  }

  /** The second factor works only after a first code has confirmed it. */
  async function enable(call: SignedInCall): Promise<Response> {
    const { userId, email } = call.session
    const [secret, recoveryCodes] = [newTotpSecret(), newRecoveryCodes()]
    // Sealed before the password is checked: without a secret key, there is no need to ask for it.
    const sealed = {
      secret: sealer.seal(secret, sealedLocation(userId, 'secret')),
      backupCodes: sealRecoveryCodes(sealer, userId, recoveryCodes),
    }
    await requirePassword(call, call.fields.password ?? '', WRONG_PASSWORD)
    const isStored = await db.transaction((tx) => upsertUnconfirmedFactor(tx, { id: newId(), userId, ...sealed }))
    if (!isStored) throw conflict(ALREADY_ENABLED)
    return json(200, { totpUri: totpUri(secret, email), recoveryCodes })
  }

  async function confirm(call: SignedInCall): Promise<Response> {
    const { userId, email, name } = call.session
    if (await findSecondFactor(db.read, userId)) throw conflict(ALREADY_ENABLED)
    const { outcome, value: token } = await throttle.tryAsOwner(codeSubject(userId), () =>
      db.transaction((tx) => passFirstCode(tx, call)),
    )
    if (outcome === 'wrong') throw badRequest(WRONG_CODE)
    if (token === undefined) throw conflict('Set up the second factor again; this one is no longer valid')
    const known = deviceCookie(call.request.headers.get('cookie') ?? '', options, email)
    return signedIn(options, { token, user: { id: userId, email, name }, cookies: [known] })
  }

  /** Returns the token of the session that replaces all others. */
  async function passFirstCode(tx: Queries, call: SignedInCall) {
    const { userId } = call.session
    const factor = await lockSecondFactor(tx, userId, 'unconfirmed')
    if (!factor) return NEITHER
    if (!(await claimTimeCode(tx, factor, withoutSpaces(call.fields.code ?? '')))) return WRONG
    await confirmSecondFactor(tx, userId)
    await endSessions(tx, userId)
    await record(call, userId, 'account.second-factor-enabled', tx)
    return { outcome: 'right', value: await startSession(tx, options, { call, userId }) } as const
  }

  async function renewRecoveryCodes(call: SignedInCall): Promise<Response> {
    const { userId } = call.session
    if (!(await findSecondFactor(db.read, userId))) throw conflict(OFF)
    await requirePassword(call, call.fields.password ?? '', WRONG_PASSWORD)
    const recoveryCodes = newRecoveryCodes()
    const sealed = sealRecoveryCodes(sealer, userId, recoveryCodes)
    await db.transaction(async (tx) => {
      if (!(await updateRecoveryCodes(tx, userId, sealed))) throw conflict(OFF)
      await record(call, userId, 'account.recovery-codes-created', tx)
    })
    return json(200, { recoveryCodes })
  }

  async function disable(call: SignedInCall): Promise<Response> {
    const { userId, id } = call.session
    await requirePassword(call, call.fields.password ?? '', WRONG_PASSWORD)
    await db.transaction(async (tx) => {
      const application = await findRequiringApplication(tx, userId)
      if (application !== undefined) throw conflict(requiredBy(application))
      if (!(await deleteSecondFactor(tx, userId))) return
      await endSessions(tx, userId, { except: id })
      await record(call, userId, 'account.second-factor-disabled', tx)
    })
    return json(200, { success: true })
  }

  /** The second step of signing in. */
  async function verify(call: Call): Promise<Response> {
    const { challenge = '', trustDevice: trust = 'false' } = call.fields
    if (trust !== 'true' && trust !== 'false') throw badRequest('The field trustDevice must be "true" or "false"')
    const identifier = readChallenge(challenge, options)
    const userId = identifier && (await findPendingUser(db.read, identifier, timestamp(clock.now())))
    if (!identifier || !userId) throw badRequest(EXPIRED)
    // Wrong codes count like wrong passwords, but more strictly: the caller knows the password.
    const { outcome, value, waitSeconds } = await throttle.tryAsOwner(codeSubject(userId), async () => {
      if (!(await allowCode(options, identifier))) return NEITHER
      return db.transaction((tx) => passSecondStep(tx, call, { identifier, userId }))
    })
    if (outcome === 'wrong') {
      options.events.report({ kind: 'second-factor-failed', userId }, originOf(call))
      if (waitSeconds > 0) throw tooManyRequests(WRONG_AND_WAIT, waitSeconds)
      throw unauthorized(WRONG_CODE)
    }
    if (!value) throw badRequest(EXPIRED)
    return completeSignIn(call, value)
  }

  async function passSecondStep(
    tx: Queries,
    call: Call,
    { identifier, userId }: { identifier: string; userId: string },
  ): Promise<{ outcome: 'right'; value: StartedSession } | typeof WRONG | typeof NEITHER> {
    const { code: entered = '', trustDevice: trust } = call.fields
    const code = withoutSpaces(entered)
    const factor = await lockSecondFactor(tx, userId, 'confirmed')
    const row = { identifier, now: timestamp(clock.now()) }
    if (!factor || (await lockVerification(tx, row)) !== userId) return NEITHER
    const isRecovery = !hasTotpFormat(code)
    const isUsed = isRecovery ? await useRecoveryCode(tx, factor, code) : await claimTimeCode(tx, factor, code)
    if (!isUsed) return WRONG
    await consumeVerification(tx, row)
    if (isRecovery) await record(call, userId, 'account.recovery-code-used', tx)
    const cookies = trust === 'true' ? [await trustDevice(tx, options, userId)] : []
    return { outcome: 'right', value: { userId, token: await startSession(tx, options, { call, userId }), cookies } }
  }

  /** False for a wrong code, and for one that was used before. */
  async function claimTimeCode(tx: Queries, factor: SealedFactor, code: string): Promise<boolean> {
    const now = clock.now()
    if (!isTotpCode(await openTotpSecret(options, factor), code, now)) return false
    const times = { now: timestamp(now), reusableBefore: timestamp(now - CODE_LIFETIME_MS) }
    return claimCode(tx, { userId: factor.userId, codeHash: hashSecret(code) }, times)
  }

  async function useRecoveryCode(tx: Queries, factor: SealedFactor, code: string): Promise<boolean> {
    const codes = openRecoveryCodes(sealer, factor)
    if (!codes.includes(code)) return false
    const left = codes.filter((other) => other !== code)
    return updateRecoveryCodes(tx, factor.userId, sealRecoveryCodes(sealer, factor.userId, left))
  }

  function record(call: Call, userId: string, action: AuditAction, tx: Queries) {
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

function requiredBy(application: string): string {
  return `The application ${application} requires a second factor of its members; leave it before you turn yours off, or ask one of its admins to change that`
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
const OFF = 'The second factor is off'

const WRONG = { outcome: 'wrong', value: undefined } as const
/** There is nothing to check the code with. */
const NEITHER = { outcome: 'neither', value: undefined } as const

function codeSubject(userId: string): string {
  return `second-factor:${userId}`
}

const RECOVERY_CODES = 10
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

function newRecoveryCodes(): string[] {
  const letters = (count: number) => Array.from({ length: count }, () => LETTERS[randomInt(LETTERS.length)]).join('')
  return Array.from({ length: RECOVERY_CODES }, () => `${letters(5)}-${letters(5)}`)
}

/** Apps show codes with a space. */
function withoutSpaces(code: string): string {
  return code.replace(/\s/g, '')
}
