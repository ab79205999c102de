import { type Clock, timestamp } from '../base/clock.ts'
import { AppError, conflict } from '../base/errors.ts'
import { yieldToEventLoop } from '../base/event-loop.ts'
import { type Db, type DbOutsideTransaction, dbWithin, type Queries } from './db.ts'

/** Identifies a request: the same key of another caller, or on another route, is another request. */
export type RequestIdentity = { workspaceId: string; scope: string; key: string; bodyHash: string }

export type StoredResponse = { status: number; body?: unknown }

const KEEP_MS = 24 * 60 * 60_000
const KEYS_PER_CHUNK = 200

export type RequestWork = {
  /** Work that must run outside of the transaction, such as a request to a provider. It writes nothing. Undefined if there is none. */
  prepare: (() => Promise<unknown>) | undefined
  handle(db: Db, prepared: unknown): Promise<StoredResponse>
}

/**
 * Handles a request with a new key, and returns the stored response if the key was used before. The response is stored in the transaction
 * of the request: if the connection or the process fails, a retry never does the work twice.
 */
export function createIdempotency(clock: Clock) {
  const running = new Set<string>()

  return async function withIdempotency(
    db: DbOutsideTransaction,
    request: RequestIdentity,
    { prepare, handle }: RequestWork,
  ): Promise<StoredResponse> {
    const name = JSON.stringify([request.workspaceId, request.scope, request.key])
    if (running.has(name))
      throw conflict('A request with this Idempotency-Key is still running; try again when it is finished')
    running.add(name)
    try {
      const known = prepare && (await findResponse(db.read, clock, request))
      if (known) return known
      const prepared = await prepare?.()
      return await db.transaction(async (tx) => {
        const isFirst = await claimKey(tx, clock, request)
        const first = isFirst ? undefined : await findResponse(tx, clock, request)
        if (first) return first
        const response = await handle(dbWithin(tx), prepared)
        await storeResponse(tx, request, response)
        return response
      })
    } finally {
      running.delete(name)
    }
  }
}

/** On a database that several servers share, this waits for another server's request with the same key to end. */
async function claimKey(
  tx: Queries,
  clock: Clock,
  { workspaceId, scope, key, bodyHash }: RequestIdentity,
): Promise<boolean> {
  await tx
    .deleteFrom('idempotency_keys')
    .where('workspace_id', '=', workspaceId)
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('created_at', '<=', timestamp(clock.now() - KEEP_MS))
    .execute()
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('idempotency_keys')
    .values({
      workspace_id: workspaceId,
      scope,
      key,
      body_hash: bodyHash,
      status: 0,
      body: '',
      created_at: timestamp(clock.now()),
    })
    .onConflict((known) => known.doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** The stored response; undefined if there is none. Throws 422 if the key belongs to another request. */
async function findResponse(
  q: Queries,
  clock: Clock,
  { workspaceId, scope, key, bodyHash }: RequestIdentity,
): Promise<StoredResponse | undefined> {
  const first = await q
    .selectFrom('idempotency_keys')
    .select(['body_hash', 'status', 'body'])
    .where('workspace_id', '=', workspaceId)
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('created_at', '>', timestamp(clock.now() - KEEP_MS))
    .executeTakeFirst()
  if (!first) return undefined
  if (first.body_hash !== bodyHash) throw new AppError(422, 'This Idempotency-Key was used before with another request')
  return first.body === '' ? { status: first.status } : { status: first.status, body: JSON.parse(first.body) }
}

async function storeResponse(
  tx: Queries,
  { workspaceId, scope, key }: RequestIdentity,
  { status, body }: StoredResponse,
): Promise<void> {
  await tx
    .updateTable('idempotency_keys')
    .set({ status, body: body === undefined ? '' : JSON.stringify(body) })
    .where('workspace_id', '=', workspaceId)
    .where('scope', '=', scope)
    .where('key', '=', key)
    .execute()
}

/** Called by housekeeping. Deletes expired keys in chunks, because the keys of a day may be many, each with a response. */
export async function deleteOldIdempotencyKeys(db: Db, clock: Clock): Promise<void> {
  const before = timestamp(clock.now() - KEEP_MS)
  while ((await db.transaction((tx) => deleteKeys(tx, before))) === KEYS_PER_CHUNK) await yieldToEventLoop()
}

async function deleteKeys(tx: Queries, before: string): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('idempotency_keys')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('workspace_id', 'scope', 'key'),
        'in',
        selectFrom('idempotency_keys')
          .select(['workspace_id', 'scope', 'key'])
          .where('created_at', '<=', before)
          .limit(KEYS_PER_CHUNK)
          .$asTuple('workspace_id', 'scope', 'key'),
      ),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
