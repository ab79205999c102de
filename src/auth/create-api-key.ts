import { timestamp } from '../base/clock.ts'
import { badRequest, conflict, notFound } from '../base/errors.ts'
import { parseDateTime } from '../base/rfc3339.ts'
import type { Context } from '../http/route.ts'
import type { Queries } from '../storage/db.ts'
import { holdWorkspace } from '../storage/dialect.ts'
import { displayParts, generateApiKey, hashSecret } from './api-key-format.ts'
import { countApiKeys, insertApiKey } from './api-key-queries.ts'

const KEYS_MAX = 50

export type NewApiKey = {
  workspaceId: string
  createdBy: string
  name: string
  /** ISO time, or null for a key that does not end. */
  expiresAt: string | null
  /** A key chosen by the operator; without it one is made. */
  key?: string
}

/** Stores the hash of a key and answers the key itself, which nobody can read again later. */
export async function createApiKey(tx: Queries, { clock, newId }: Pick<Context, 'clock' | 'newId'>, input: NewApiKey) {
  // Held while counting: otherwise many who make a key at once would all find room for one more.
  if (!(await holdWorkspace(tx, input.workspaceId))) throw notFound('Workspace')
  if ((await countApiKeys(tx, input.workspaceId)) >= KEYS_MAX) {
    throw conflict(`An application has at most ${KEYS_MAX} API keys; revoke one first`)
  }
  const key = input.key ?? generateApiKey()
  const stored = await insertApiKey(tx, {
    workspaceId: input.workspaceId,
    id: newId(),
    name: input.name,
    ...displayParts(key),
    keyHash: hashSecret(key),
    createdBy: input.createdBy,
    createdAt: timestamp(clock.now()),
    expiresAt: input.expiresAt,
  })
  return { ...stored, key }
}

/** Brings a time given by a client into our one form. */
export function readExpiry(text: string | null | undefined, now: number): string | null {
  if (text === null || text === undefined) return null
  const ns = parseDateTime(text)
  const time = ns === undefined ? Number.NaN : Number(ns / 1_000_000n)
  if (!(time > now)) throw badRequest('The field expiresAt must be a time in the future, such as 2030-01-31T00:00:00Z')
  return timestamp(time)
}
