/**
 * Prepares an empty installation: creates an AI application, a first user who owns it, and a key.
 *
 * The first user exists from the first start, without e-mail address and password, so that the first key has a creator. The
 * set-up link, or TOUCHSTONE_ADMIN_EMAIL and _PASSWORD, later set its credentials. There is never a default password.
 */
import { randomBytes } from 'node:crypto'
import { timestamp } from '../../base/clock.ts'
import { NIL_ID } from '../../base/ids.ts'
import type { Context } from '../../http/route.ts'
import type { Queries } from '../../storage/db.ts'
import { lockInstallation } from '../../storage/dialect.ts'
import type { Storage } from '../../storage/storage.ts'
import { findUserByEmail, insertUser } from '../accounts/account-queries.ts'
import { checkEmail, createAccount, setCredentials } from '../accounts/accounts.ts'
import { checkPassword, hashPassword } from '../accounts/passwords.ts'
import { hashSecret } from '../api-keys/api-key-format.ts'
import { findApiKeyByHash, isRevoked } from '../api-keys/api-key-queries.ts'
import { createApiKey } from '../api-keys/create-api-key.ts'
import { insertMember } from '../members/member-queries.ts'
import { findFirstOwner, insertFirstWorkspace } from './first-start-queries.ts'
import { deleteSetting, findSetting, saveSetting } from './instance-setting-queries.ts'

const SETUP_TOKEN_MINUTES = 60

/** The name of an admin who has given none. Never the address: names are on shared reports and in the directory. */
export const FIRST_NAME = 'Admin'

/** Long enough to try the product; permanent keys are created explicitly. */
const FIRST_KEY_HOURS = { terminal: 90 * 24, log: 24 }

export type FirstStartOptions = {
  adminEmail: string | undefined
  adminPassword: string | undefined
  apiKey: string | undefined
  /**
   * Where the first key and the set-up link are printed. Many people may read a log, so a key that is printed there expires after a day.
   * `nowhere` is for commands: they create no key and do not replace the link that the server has printed.
   */
  shownOn: 'terminal' | 'log' | 'nowhere'
}

export type FirstStart = {
  /** A new key, which cannot be read again later. */
  apiKey: string | undefined
  /** The lifetime of that key. */
  apiKeyHours: number | undefined
  /** TOUCHSTONE_API_KEY was revoked, so it was not created again. */
  isApiKeyRevoked: boolean
  /** The token of the set-up link; undefined once there is an account. */
  setupToken: string | undefined
}

export const NO_CHANGES: FirstStart = {
  apiKey: undefined,
  apiKeyHours: undefined,
  isApiKeyRevoked: false,
  setupToken: undefined,
}

type Operation = Pick<Context, 'clock' | 'newId'>

/** Rejects settings that are invalid for an account, before anything is created. */
export function checkAdmin({
  adminEmail,
  adminPassword,
}: Pick<FirstStartOptions, 'adminEmail' | 'adminPassword'>): void {
  if (adminEmail === undefined || adminPassword === undefined) return
  checkEmail(adminEmail)
  checkPassword(adminPassword, { email: adminEmail })
}

/** Idempotent, and safe on several servers at once: creates only what is missing. */
export async function prepareInstallation(
  storage: Pick<Storage, 'exclusiveTransaction'>,
  context: Operation,
  options: FirstStartOptions,
): Promise<FirstStart> {
  const { adminEmail, adminPassword } = options
  // Hashing is slow by design, so it runs before the transaction.
  const admin =
    adminEmail !== undefined && adminPassword !== undefined
      ? { email: adminEmail, name: FIRST_NAME, passwordHash: await hashPassword(adminPassword) }
      : undefined
  return storage.exclusiveTransaction(async (tx) => {
    const { workspaceId, ownerId, isNew } = await ensureFirstWorkspace(tx, context)
    if (admin) await ensureAdmin(tx, context, workspaceId, admin)
    if (options.shownOn === 'nowhere') return NO_CHANGES
    const apiKeyHours = FIRST_KEY_HOURS[options.shownOn]
    const keyOptions = { workspaceId, ownerId, isNew, configuredKey: options.apiKey, hours: apiKeyHours }
    const key = await ensureApiKey(tx, context, keyOptions)
    return { ...NO_CHANGES, ...key, apiKeyHours, setupToken: await freshSetupToken(tx, context) }
  })
}

/** Sets the credentials of the first user. Returns undefined if the token is wrong, used or expired. */
export async function completeSetup(
  tx: Queries,
  context: Operation,
  { token, email, name, passwordHash }: { token: string; email: string; name: string; passwordHash: string },
): Promise<string | undefined> {
  await lockInstallation(tx)
  const expected = await findSetting(tx, 'setup-token-hash')
  const owner = await findSetting(tx, 'first-user-id')
  if (!expected || !owner || expected.value !== hashSecret(token)) return undefined
  if (expected.expiresAt !== null && Date.parse(expected.expiresAt) <= context.clock.now()) return undefined
  await setCredentials({ tx, ...context }, owner.value, { email, name, passwordHash })
  await finishSetup(tx)
  return owner.value
}

export async function isSetupNeeded(q: Queries): Promise<boolean> {
  return (await findSetting(q, 'first-user-id')) !== undefined
}

/** The first application of the installation, or the given one, with its longest-standing owner. */
export async function findFirstApplication(q: Queries, workspaceId?: string) {
  const id = workspaceId ?? (await findSetting(q, 'first-workspace-id'))?.value ?? NIL_ID
  const ownerId = await findFirstOwner(q, id)
  return ownerId === undefined ? undefined : { workspaceId: id, ownerId }
}

async function ensureFirstWorkspace(tx: Queries, { clock, newId }: Operation) {
  const first = await findSetting(tx, 'first-workspace-id')
  if (first) {
    const found = await findFirstApplication(tx)
    return { workspaceId: first.value, ownerId: found?.ownerId, isNew: false }
  }
  const createdAt = timestamp(clock.now())
  const ownerId = newId()
  const workspaceId = newId()
  await insertUser(tx, { id: ownerId, email: `${ownerId}@setup.invalid`, name: 'First user', createdAt })
  await insertFirstWorkspace(tx, { workspaceId, name: 'My first application', createdAt })
  await insertMember(tx, { workspaceId, userId: ownerId, role: 'owner', createdAt })
  await saveSetting(tx, 'first-workspace-id', workspaceId, null)
  await saveSetting(tx, 'first-user-id', ownerId, null)
  return { workspaceId, ownerId, isNew: true }
}

async function ensureAdmin(
  tx: Queries,
  context: Operation,
  workspaceId: string,
  admin: { email: string; name: string; passwordHash: string },
): Promise<void> {
  if (await findUserByEmail(tx, admin.email)) return
  const placeholder = await findSetting(tx, 'first-user-id')
  if (placeholder) {
    await setCredentials({ tx, ...context }, placeholder.value, admin)
    await finishSetup(tx)
    return
  }
  const { id } = await createAccount({ tx, ...context }, admin)
  await insertMember(tx, { workspaceId, userId: id, role: 'owner', createdAt: timestamp(context.clock.now()) })
}

async function finishSetup(tx: Queries): Promise<void> {
  await deleteSetting(tx, 'first-user-id')
  await deleteSetting(tx, 'setup-token-hash')
}

type FirstKeyOptions = {
  workspaceId: string
  ownerId: string | undefined
  isNew: boolean
  /** TOUCHSTONE_API_KEY. It does not expire; the operator can change it. */
  configuredKey: string | undefined
  /** The lifetime of a generated key. */
  hours: number
}

async function ensureApiKey(
  tx: Queries,
  context: Operation,
  { workspaceId, ownerId, isNew, configuredKey, hours }: FirstKeyOptions,
): Promise<Partial<FirstStart>> {
  // The first application may have been deleted or may have lost its owner; then no key is needed.
  if (ownerId === undefined) return {}
  const key = { workspaceId, createdBy: ownerId, by: 'operator' } as const
  if (configuredKey === undefined) {
    if (!isNew) return {}
    const expiresAt = timestamp(context.clock.now() + hours * 60 * 60_000)
    return { apiKey: (await createApiKey(tx, context, { ...key, name: 'First key', expiresAt })).key }
  }
  const keyHash = hashSecret(configuredKey)
  if (await findApiKeyByHash(tx, workspaceId, keyHash)) return {}
  if (await isRevoked(tx, workspaceId, keyHash)) return { isApiKeyRevoked: true }
  await createApiKey(tx, context, { ...key, name: 'From TOUCHSTONE_API_KEY', expiresAt: null, key: configuredKey })
  return {}
}

/** Creates a new link at each start until one has been used; older links stop working. */
async function freshSetupToken(tx: Queries, { clock }: Operation): Promise<string | undefined> {
  if (!(await isSetupNeeded(tx))) return undefined
  const token = randomBytes(32).toString('base64url')
  await saveSetting(tx, 'setup-token-hash', hashSecret(token), timestamp(clock.now() + SETUP_TOKEN_MINUTES * 60_000))
  return token
}
