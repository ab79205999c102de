/**
 * Records sign-ins, failed sign-ins and denied requests in the server log and in the audit log of the affected workspaces.
 *
 * Clients can cause such events at any rate, so they are aggregated: the first of a kind, subject and address is recorded at
 * once, the others of the same minute together at its end, with their count. A process that is killed loses only that count.
 * Recording never delays or fails a response, and a failed sign-in needs the same time whether the account exists or not.
 */
import { setTimeout as later } from 'node:timers'
import type { NewId } from '../../base/ids.ts'
import type { Logger } from '../../base/log.ts'
import type { Caller, Principal } from '../../base/principal.ts'
import type { Db } from '../../storage/db.ts'
import { findUserByEmail, listWorkspaceIdsOfUser } from '../accounts/account-queries.ts'
import { type CountedEvent, insertCountedEvents } from './security-event-queries.ts'

/** The origin of a request: the client address, after trusted proxies, and the request id. */
export type Origin = { address: string; requestId: string }

type SecurityEvent =
  | { kind: 'signed-in'; userId: string }
  | { kind: 'sign-in-failed'; email: string }
  /** After the right password. */
  | { kind: 'second-factor-failed'; userId: string }
  /** `ending`: the last characters of the key. */
  | { kind: 'key-rejected'; ending: string }
  | { kind: 'key-expired'; ending: string; keyId: string; workspaceId: string }
  | { kind: 'denied'; caller: Caller | Principal; target: string; reason: string }

export type SecurityEvents = {
  report(event: SecurityEvent, origin: Origin): void
  /** Records the current counts and waits until everything is written. */
  flush(): Promise<void>
}

type Window = { event: SecurityEvent; origin: Origin; more: number }

const WINDOW_MS = 60_000
/** Beyond this, all events of a kind are counted together. */
const WINDOWS_MAX = 500

export function createSecurityEvents({ db, newId, log }: { db: Db; newId: NewId; log: Logger }): SecurityEvents {
  const windows = new Map<string, Window>()
  let written: Promise<void> = Promise.resolve()
  let isTimed = false

  /** Writes events one after another, so that the audit log is in chronological order. */
  function record(event: SecurityEvent, origin: Origin, count: number): void {
    written = written
      .then(() => write({ db, newId, log }, event, { ...origin, count }))
      .catch((error: unknown) => log.warn({ err: error }, 'an event could not be written to the audit log'))
  }

  function endWindows(): void {
    isTimed = false
    for (const { event, origin, more } of windows.values()) if (more > 0) record(event, origin, more)
    windows.clear()
  }

  return {
    report(event, origin) {
      const own = JSON.stringify([keyOf(event), origin.address])
      const key = windows.has(own) || windows.size < WINDOWS_MAX ? own : event.kind
      const known = windows.get(key)
      if (known) {
        known.more += 1
        known.event = event
        known.origin = origin
        return
      }
      windows.set(key, { event, origin, more: 0 })
      record(event, origin, 1)
      if (isTimed) return
      isTimed = true
      later(endWindows, WINDOW_MS).unref()
    },
    async flush() {
      endWindows()
      await written
    },
  }
}

function keyOf(event: SecurityEvent): unknown[] {
  switch (event.kind) {
    case 'signed-in':
    case 'second-factor-failed':
      return [event.kind, event.userId]
    case 'sign-in-failed':
      return [event.kind, event.email.toLowerCase()]
    case 'key-rejected':
    case 'key-expired':
      return [event.kind, event.ending]
    case 'denied':
      return [event.kind, event.caller.userId, event.target, 'workspaceId' in event.caller && event.caller.workspaceId]
  }
}

type Deps = { db: Db; newId: NewId; log: Logger }

async function write(
  { db, newId, log }: Deps,
  event: SecurityEvent,
  origin: Origin & { count: number },
): Promise<void> {
  const rows = await toAuditFields(db, log, event, origin)
  if (rows && rows.workspaceIds.length > 0)
    await db.transaction((tx) => insertCountedEvents(tx, newId, { ...rows, ...origin }))
}

type AuditFields = Omit<CountedEvent, keyof Origin | 'count'>

/** Logs the event, and returns the fields for the audit log, if it belongs there. */
async function toAuditFields(
  db: Db,
  log: Logger,
  event: SecurityEvent,
  origin: Origin & { count: number },
): Promise<AuditFields | undefined> {
  switch (event.kind) {
    case 'signed-in': {
      const { userId } = event
      log.info({ ...origin, userId }, 'signed in')
      const workspaceIds = await newestWorkspacesOf(db, userId)
      return { workspaceIds, actorId: userId, actorKind: 'session', action: 'session.created', resourceId: userId }
    }
    case 'sign-in-failed': {
      const account = await findUserByEmail(db.read, event.email)
      // Does not log the address, because users may type a password into the wrong field.
      log.warn({ ...origin, userId: account?.id ?? null }, 'sign-in failed')
      if (!account) return undefined
      const workspaceIds = await newestWorkspacesOf(db, account.id)
      const anonymous = { actorId: undefined, actorKind: 'anonymous' } as const
      return { workspaceIds, ...anonymous, action: 'session.rejected', resourceId: account.id }
    }
    case 'second-factor-failed': {
      const { userId } = event
      log.warn({ ...origin, userId }, 'second factor failed')
      const workspaceIds = await newestWorkspacesOf(db, userId)
      const anonymous = { actorId: undefined, actorKind: 'anonymous' } as const
      return { workspaceIds, ...anonymous, action: 'session.code-rejected', resourceId: userId }
    }
    case 'key-rejected':
      log.warn({ ...origin, endsWith: event.ending }, 'API key rejected: unknown key')
      return undefined
    case 'key-expired': {
      const { keyId, workspaceId } = event
      log.warn({ ...origin, endsWith: event.ending, keyId, workspaceId }, 'API key rejected: expired key')
      const anonymous = { actorId: undefined, actorKind: 'anonymous' } as const
      return { workspaceIds: [workspaceId], ...anonymous, action: 'api-key.rejected', resourceId: keyId }
    }
    case 'denied': {
      const { caller, target, reason } = event
      const workspaceId = 'workspaceId' in caller ? caller.workspaceId : null
      log.info({ ...origin, userId: caller.userId, workspaceId, target }, `denied: ${reason}`)
      if (workspaceId === null) return undefined
      const { userId: actorId, kind: actorKind } = caller
      return { workspaceIds: [workspaceId], actorId, actorKind, action: 'access.denied', resourceId: target }
    }
  }
}

const WORKSPACES_MAX = 100

/** A sign-in concerns all workspaces of the user; limited to the newest ones. */
async function newestWorkspacesOf(db: Db, userId: string): Promise<string[]> {
  return (await listWorkspaceIdsOfUser(db.read, userId)).slice(-WORKSPACES_MAX)
}
