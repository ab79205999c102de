import { recordAudit } from '../auth/audit.ts'
import { AppError, badRequest, conflict, notFound } from '../base/errors.ts'
import { createdAtOf } from '../base/ids.ts'
import { invariant } from '../base/invariant.ts'
import type { Principal } from '../base/principal.ts'
import type { Egress } from '../egress/egress-guard.ts'
import type { Context } from '../http/route.ts'
import type { Sealer } from '../secrets/sealed-secret.ts'
import type { OutsideDb } from '../storage/db.ts'
import { lockWorkspaceExclusive } from '../storage/dialect.ts'
import { countConnections, findConnectionIdByName, insertConnection } from './connection-queries.ts'
import type { Connection, CreateConnection } from './connection-schemas.ts'

const CONNECTIONS_MAX = 50
const CONCURRENCY_DEFAULT = 4

/** What connections need beside the database: a way to keep their keys, and a judge of where they may lead. */
export type ConnectionDeps = { secrets: Sealer; egress: Egress }

/** `baseUrl` is what `checkBaseUrl` returned. */
export async function createConnection(
  { secrets, ...context }: Context & Pick<ConnectionDeps, 'secrets'>,
  by: Principal,
  { baseUrl, ...input }: Omit<CreateConnection, 'baseUrl'> & { baseUrl: CheckedUrl },
): Promise<Connection> {
  const { workspaceId } = by
  const { name, apiKey } = input
  const id = context.newId()
  const createdAt = createdAtOf(id)
  const connection = {
    workspaceId,
    id,
    name,
    baseUrl: baseUrl.text,
    sealedKey: apiKey === undefined ? null : sealKey(secrets, apiKey, { workspaceId, id }),
    models: [...new Set(input.models ?? [])],
    concurrency: input.concurrency ?? CONCURRENCY_DEFAULT,
    requestsPerMinute: input.requestsPerMinute ?? null,
    createdAt,
    updatedAt: createdAt,
  }
  return context.db.transaction(async (tx) => {
    // Held while counting and looking for the name: otherwise many at once would all find room, and the name free.
    if (!(await lockWorkspaceExclusive(tx, workspaceId))) throw notFound('Workspace')
    if ((await countConnections(tx, workspaceId)) >= CONNECTIONS_MAX) {
      throw conflict(`An application has at most ${CONNECTIONS_MAX} connections; delete one first`)
    }
    if (await findConnectionIdByName(tx, workspaceId, name)) throw nameTaken()
    const stored = await insertConnection(tx, connection)
    await recordAudit(tx, context, { by, workspaceId, action: 'connection.created', resourceId: id })
    return stored
  })
}

export function nameTaken() {
  return conflict('A connection of this application has this name already')
}

/** An address that a connection may lead to, as it is stored: in one spelling, so that a change can be recognized. */
export type CheckedUrl = { readonly text: string }

/** Asks DNS, so it is never called inside a transaction. */
export async function checkBaseUrl(
  { db, egress }: { db: OutsideDb; egress: Egress },
  text: string,
): Promise<CheckedUrl> {
  invariant(!db.inTransaction, 'a transaction must not wait for DNS')
  try {
    const { origin, pathname, search } = await egress.check(text)
    return { text: `${origin}${pathname.replace(/\/+$/, '')}${search}` }
  } catch (error) {
    // A name that nobody knows is, in something just written, the writer's mistake.
    if (!(error instanceof AppError) || (error.status !== 400 && error.status !== 503)) throw error
    const [first = '', ...rest] = error.message
    throw badRequest(`The field baseUrl cannot be used: ${first.toLowerCase()}${rest.join('')}`)
  }
}

/** Where the key of a connection is; it can be opened nowhere else. */
export function keyPlace({ workspaceId, id }: { workspaceId: string; id: string }) {
  return { workspaceId, table: 'model_connections', column: 'sealed_key', rowId: id }
}

export function sealKey(secrets: Sealer, apiKey: string, connection: { workspaceId: string; id: string }): string {
  // It is sent as a header, and a line break that was copied along would make every call fail.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw badRequest('The field apiKey must have printable ASCII characters only, without spaces and line breaks')
  }
  return secrets.seal(apiKey, keyPlace(connection))
}
