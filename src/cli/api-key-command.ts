import { deleteApiKey, listApiKeys } from '../auth/api-keys/api-key-queries.ts'
import { createApiKey, KEY_DAYS_MAX, KEY_ROLE_MAX, readExpiry } from '../auth/api-keys/create-api-key.ts'
import { recordAudit } from '../auth/audit/audit.ts'
import { findFirstApplication, prepareInstallation } from '../auth/setup/first-start.ts'
import { timestamp } from '../base/clock.ts'
import { AppError } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import { isAtLeast, isRole, type Role } from '../base/principal.ts'
import type { Config } from '../config.ts'
import { openForCommand } from './open-for-command.ts'

/** A command ignores the settings for the first start: it must not create a revoked key again. */
const NO_FIRST_START = {
  adminEmail: undefined,
  adminPassword: undefined,
  apiKey: undefined,
  shownOn: 'nowhere',
} as const

type Options = {
  name?: string | undefined
  application?: string | undefined
  role?: string | undefined
  expiresInDays?: string | undefined
}

/** Creates, lists and revokes keys on the server, for operators without an account or a key. */
export async function runApiKeyCommand(
  config: Config,
  [action, keyId, ...rest]: string[],
  options: Options,
): Promise<number> {
  const isValid = action === 'revoke' ? keyId !== undefined && rest.length === 0 : keyId === undefined
  if (!isValid || !['create', 'list', 'revoke'].includes(action ?? '')) {
    throw new AppError(500, 'Use `api-key create`, `api-key list` or `api-key revoke KEY-ID`')
  }
  return openForCommand(config, async ({ storage, clock, newId }) => {
    await prepareInstallation(storage, { clock, newId }, NO_FIRST_START)
    const { workspaceId, ownerId } = await applicationOf(storage.read, options.application)
    const context = { clock, newId, requestId: 'command-line', address: '' }
    const by = { kind: 'command-line' as const, userId: ownerId }
    if (action === 'list') {
      const { rows: keys } = await listApiKeys(storage.read, workspaceId, { limit: 100, offset: 0 })
      for (const key of keys) {
        process.stdout.write(
          `${key.id}  ${key.prefix}…${key.lastFour}  ${key.role}  expires ${key.expiresAt ?? 'never'}  last used ${key.lastUsedAt ?? 'never'}  ${key.name}\n`,
        )
      }
      return 0
    }
    if (action === 'create') {
      const name = options.name ?? 'Created on the command line'
      const role = readKeyRole(options.role)
      const expiresAt = readExpiry(readDays(options.expiresInDays), clock.now())
      const { key } = await storage.transaction(async (tx) => {
        const key = { workspaceId, createdBy: ownerId, by: 'operator', name, role, expiresAt } as const
        const created = await createApiKey(tx, context, key)
        const event = { by, workspaceId, action: 'api-key.created', resourceId: created.id } as const
        await recordAudit(tx, context, { ...event, detail: role })
        return created
      })
      // Only the key goes to standard output, so that scripts can read it.
      process.stdout.write(`${key}\n`)
      if (expiresAt !== null) process.stderr.write(`It expires at ${expiresAt}; --expires-in-days sets another time.\n`)
      return 0
    }
    await storage.transaction(async (tx) => {
      const id = (keyId ?? '').toLowerCase()
      const revocation = { revokedBy: null, revokedAt: timestamp(clock.now()) }
      const revoked = isUuid(id) ? await deleteApiKey(tx, { workspaceId, keyId: id }, revocation) : undefined
      if (!revoked) throw new AppError(500, 'There is no such key; `api-key list` shows them')
      const event = { by, workspaceId, action: 'api-key.revoked', resourceId: id } as const
      await recordAudit(tx, context, { ...event, detail: revoked.role })
    })
    process.stdout.write('Revoked.\n')
    return 0
  })
}

function readKeyRole(text: string = KEY_ROLE_MAX): Role {
  if (isRole(text) && isAtLeast(KEY_ROLE_MAX, text)) return text
  throw new AppError(500, '--role must be viewer, annotator or editor')
}

function readDays(text: string | undefined): { expiresInDays?: number | null } {
  if (text === undefined) return {}
  if (text === 'never') return { expiresInDays: null }
  const days = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (days < 1 || days > KEY_DAYS_MAX) {
    throw new AppError(500, `--expires-in-days must be a number from 1 to ${KEY_DAYS_MAX}, or never`)
  }
  return { expiresInDays: days }
}

async function applicationOf(q: Parameters<typeof findFirstApplication>[0], id: string | undefined) {
  if (id !== undefined && !isUuid(id)) throw new AppError(500, '--application must be the id of an AI application')
  const found = await findFirstApplication(q, id?.toLowerCase())
  if (!found) throw new AppError(500, 'There is no such AI application, or it has no owner')
  return found
}
