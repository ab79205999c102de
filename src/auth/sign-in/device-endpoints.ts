/**
 * Signs a command line in (device authorization, RFC 8628): a program requests a code, a signed-in user approves it for one application,
 * and the program gets a new API key of that user, not a session, which would open every application of the user and expire after 12 idle
 * hours.
 */
import { randomBytes, randomInt } from 'node:crypto'
import { timestamp } from '../../base/clock.ts'
import { AppError, badRequest, conflict, forbidden, notFound } from '../../base/errors.ts'
import { isUuid } from '../../base/ids.ts'
import { invariant } from '../../base/invariant.ts'
import { isAtLeast, isRole, type Principal, type Role } from '../../base/principal.ts'
import type { Queries } from '../../storage/db.ts'
import { hashSecret } from '../api-keys/api-key-format.ts'
import { createOwnApiKey, KEY_ROLE_MAX, readExpiry, rejectTooManyKeys } from '../api-keys/create-api-key.ts'
import { FACTOR_REQUIRED } from '../authenticate.ts'
import { findMembership } from '../credential-queries.ts'
import { lockAsMember } from '../members/member-rules.ts'
import { findWorkspaceName } from '../members/workspace-name-queries.ts'
import { limitRows } from './allow-event.ts'
import { type Call, type Endpoint, type EndpointDeps, exactFields, type SignedInCall } from './auth-endpoint.ts'
import { type BodyShape, json, readFields } from './auth-requests.ts'
import {
  claimDevice,
  type DeviceCode,
  decideDevice,
  deleteDeviceCode,
  findDeviceByUserCode,
  insertDeviceCode,
  lockDeviceCode,
  updatePolledAt,
} from './device-queries.ts'

/** At most ten minutes (ASVS 6.5.5): users should approve only codes that they have just requested. */
const CODE_SECONDS = 600
const POLL_SECONDS = 5

export function deviceEndpoints({
  options,
  throttle,
}: Pick<EndpointDeps, 'options' | 'throttle'>): [string, Endpoint][] {
  const { db, clock, newId, publicUrl } = options

  async function requestCode(call: Call): Promise<Response> {
    const { client_id: clientId = '', device_name: deviceName = null } = call.fields
    if (deviceName !== null && !DEVICE_NAME.test(deviceName))
      throw badRequest('The field device_name must have 1 to 100 printable characters')
    await limitRows(options, 'device-code', call.address)
    const deviceCode = randomBytes(32).toString('base64url')
    const row = {
      id: newId(),
      deviceCodeHash: hashSecret(deviceCode),
      clientId,
      deviceName,
      address: call.address,
      expiresAt: timestamp(clock.now() + CODE_SECONDS * 1_000),
      pollingIntervalMs: POLL_SECONDS * 1_000,
    }
    const userCode = newUserCode()
    const isInserted = await db.transaction((tx) => insertDeviceCode(tx, { ...row, userCode }))
    // One of 10^12 codes is taken; the program can ask again.
    if (!isInserted) throw new AppError(503, 'The code is taken; try again')
    const page = `${publicUrl}/device`
    return json(200, {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: page,
      verification_uri_complete: `${page}?user_code=${userCode}`,
      expires_in: CODE_SECONDS,
      interval: POLL_SECONDS,
    })
  }

  async function show(call: SignedInCall): Promise<Response> {
    const userCode = new URL(call.request.url).searchParams.get('user_code') ?? ''
    if (!/^[\w -]{1,100}$/.test(userCode))
      throw badRequest('The query parameter user_code must be the code on the device')
    const { id, status, deviceName, address, expiresAt } = await requireDevice(call, userCode)
    if (status === 'pending') await db.transaction((tx) => claimDevice(tx, id, call.session.userId))
    const keyName = keyNameOf(deviceName)
    return json(200, { user_code: normalized(userCode), status, key_name: keyName, address, expires_at: expiresAt })
  }

  async function approve(call: SignedInCall): Promise<Response> {
    const { userCode = '', workspaceId: given = '', role = '' } = call.fields
    const workspaceId = given.toLowerCase()
    if (!isUuid(workspaceId)) throw badRequest('The field workspaceId must be a UUID')
    if (!isRole(role) || !isAtLeast(KEY_ROLE_MAX, role))
      throw badRequest('The field role must be viewer, annotator or editor')
    const device = await requireOpenedDevice(call, userCode)
    const { userId } = call.session
    await db.transaction(async (tx) => {
      const [member] = await findMembership(tx, { workspaceId, userId })
      if (!member) throw notFound('Workspace')
      if (member.lacksFactor === 1) throw forbidden(FACTOR_REQUIRED)
      // The same checks as for the key itself: the user learns here, and not in the terminal, that there can be none.
      await lockAsMember(tx, principalOf(userId, workspaceId, role), role)
      await rejectTooManyKeys(tx, { workspaceId, createdBy: userId })
      const decision = { status: 'approved', workspaceId, role } as const
      if (!(await decideDevice(tx, { id: device.id, userId }, decision))) throw alreadyDecided()
    })
    return json(200, { success: true })
  }

  async function deny(call: SignedInCall): Promise<Response> {
    const { id } = await requireOpenedDevice(call, call.fields.userCode ?? '')
    const { userId } = call.session
    if (!(await db.transaction((tx) => decideDevice(tx, { id, userId }, { status: 'denied' })))) throw alreadyDecided()
    return json(200, { success: true })
  }

  /** User codes are short, so wrong ones are throttled like wrong passwords. */
  async function requireDevice({ session }: SignedInCall, userCode: string) {
    const { value: device } = await throttle.tryAsOwner(`user-code:${session.userId}`, async () => {
      const found = await findDeviceByUserCode(db.read, normalized(userCode))
      // A correct code proves nothing: anyone can request codes.
      return { outcome: found ? 'neither' : 'wrong', value: found }
    })
    if (!device) throw badRequest('The code is wrong')
    if (Date.parse(device.expiresAt) <= clock.now()) throw badRequest('The code has expired')
    if (device.userId !== null && device.userId !== session.userId)
      throw forbidden('Another user has opened this code; request a new one')
    return device
  }

  /** A user decides only about a request that was shown. */
  async function requireOpenedDevice(call: SignedInCall, userCode: string) {
    const device = await requireDevice(call, userCode)
    if (device.userId === null) throw badRequest('Open the code before you decide')
    return device
  }

  /** Errors are the codes of RFC 8628, which clients handle. */
  async function redeem(call: Call): Promise<Response> {
    const fields = await readFields(call.request, TOKEN_BODY).catch((error: unknown) => {
      throw error instanceof AppError && error.status === 400 ? new AppError(400, 'invalid_request') : error
    })
    if (fields.grant_type !== DEVICE_GRANT) throw new AppError(400, 'unsupported_grant_type')
    const code = { hash: hashSecret(fields.device_code ?? ''), clientId: fields.client_id ?? '' }
    const granted = await db
      .transaction((tx) => poll(tx, call, code))
      .catch(async (error: unknown) => {
        if (!(error instanceof AppError) || error.status >= 500) throw error
        // Since the approval, the user has lost the role or reached the limit of keys.
        await db.transaction((tx) => deleteDeviceCode(tx, code.hash))
        return 'access_denied'
      })
    if (typeof granted === 'string') throw new AppError(400, granted)
    return json(200, granted)
  }

  /** Returns errors instead of throwing them, because the time of a rejected poll must be committed, too. */
  async function poll(tx: Queries, call: Call, code: { hash: string; clientId: string }) {
    const device = await lockDeviceCode(tx, code)
    if (!device) return 'invalid_grant'
    const now = clock.now()
    if (device.lastPolledAt !== null && now - Date.parse(device.lastPolledAt) < (device.pollingIntervalMs ?? 0))
      return 'slow_down'
    await updatePolledAt(tx, device.id, timestamp(now))
    if (device.status === 'pending' && Date.parse(device.expiresAt) > now) return 'authorization_pending'
    await deleteDeviceCode(tx, code.hash)
    if (Date.parse(device.expiresAt) <= now) return 'expired_token'
    if (device.status !== 'approved') return 'access_denied'
    return createKey(tx, call, device)
  }

  async function createKey(tx: Queries, { address, requestId }: Call, device: DeviceCode) {
    const { userId, workspaceId, role, deviceName } = device
    // An older server approves without an application.
    if (userId === null || workspaceId === null || role === null) return 'invalid_grant'
    invariant(isRole(role), 'an approved code has a known role')
    const now = clock.now()
    const by = principalOf(userId, workspaceId, role)
    const wanted = { name: keyNameOf(deviceName), role, expiresAt: readExpiry({}, now) }
    const { id, key, expiresAt } = await createOwnApiKey({ tx, by, clock, newId, address, requestId }, wanted)
    return {
      access_token: key,
      token_type: 'Bearer',
      expires_in: Math.floor((Date.parse(expiresAt ?? '') - now) / 1_000),
      key_id: id,
      role,
      workspace_id: workspaceId,
      workspace_name: await findWorkspaceName(tx, workspaceId),
    }
  }

  return [
    ['device', { method: 'GET', for: 'signed-in', body: undefined, run: show }],
    ['device/code', { method: 'POST', for: 'anyone', body: CODE_BODY, run: requestCode }],
    ['device/token', { method: 'POST', for: 'anyone', body: undefined, run: redeem }],
    ['device/approve', { method: 'POST', for: 'signed-in', body: APPROVE_BODY, run: approve }],
    ['device/deny', { method: 'POST', for: 'signed-in', body: exactFields('userCode'), run: deny }],
  ]
}

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

// OAuth sends forms, and requires servers to ignore unknown parameters.
const CODE_BODY: BodyShape = {
  required: ['client_id'],
  optional: ['device_name'],
  unknownFields: 'ignored',
  forms: 'accepted',
}
const TOKEN_BODY: BodyShape = {
  required: ['grant_type', 'device_code', 'client_id'],
  unknownFields: 'ignored',
  forms: 'accepted',
}
const APPROVE_BODY = exactFields('userCode', 'workspaceId', 'role')

/** No control characters, and none that change the direction of the text: the user reads it before approving. */
const DEVICE_NAME = /^[^\p{C}\p{Zl}\p{Zp}]{1,100}$/u

/** Without letters and digits that look alike; 40 bits. */
const USER_CODE_LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

function newUserCode(): string {
  return Array.from({ length: 8 }, () => USER_CODE_LETTERS[randomInt(USER_CODE_LETTERS.length)]).join('')
}

/** Users type the code in small letters, and with spaces and dashes. */
function normalized(userCode: string): string {
  return userCode.replace(/[^a-zA-Z0-9]/g, '').toUpperCase()
}

function keyNameOf(deviceName: string | null): string {
  return deviceName === null ? 'CLI' : `CLI on ${deviceName}`
}

function principalOf(userId: string, workspaceId: string, role: Role): Principal {
  return { kind: 'session', credential: 'bearer', credentialId: userId, userId, workspaceId, role }
}

function alreadyDecided(): Error {
  return conflict('This code was approved or denied before')
}
