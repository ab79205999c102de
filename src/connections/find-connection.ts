import { conflict } from '../base/errors.ts'
import type { ProviderKind } from '../llm/chat.ts'
import type { Sealer } from '../secrets/sealed-secret.ts'
import type { Queries } from '../storage/db.ts'
import { findSealedConnection } from './connection-queries.ts'
import { keyLocation } from './create-connection.ts'

/** A connection with its decrypted key, for calling models. Never put it into a response, a log or a row. */
export type OpenConnection = {
  id: string
  name: string
  kind: ProviderKind
  baseUrl: string
  apiKey: string | undefined
  models: readonly string[]
  concurrency: number
  requestsPerMinute: number | null
}

/** The connection of this name; undefined if there is none. Throws 409 if its key cannot be decrypted. */
export async function findConnection(
  q: Queries,
  secrets: Sealer,
  workspaceId: string,
  name: string,
): Promise<OpenConnection | undefined> {
  return openConnection(
    secrets,
    workspaceId,
    await findSealedConnection(q, workspaceId, { column: 'name', value: name }),
  )
}

export async function findConnectionWithKey(
  q: Queries,
  secrets: Sealer,
  workspaceId: string,
  connectionId: string,
): Promise<OpenConnection | undefined> {
  return openConnection(
    secrets,
    workspaceId,
    await findSealedConnection(q, workspaceId, { column: 'id', value: connectionId }),
  )
}

type SealedConnection = NonNullable<Awaited<ReturnType<typeof findSealedConnection>>>

function openConnection(
  secrets: Sealer,
  workspaceId: string,
  connection: SealedConnection | undefined,
): OpenConnection | undefined {
  if (!connection) return undefined
  const { id, name, kind, baseUrl, sealedKey, models, concurrency, requestsPerMinute } = connection
  const apiKey = sealedKey === null ? undefined : secrets.open(sealedKey, keyLocation({ workspaceId, id }))
  if (sealedKey !== null && apiKey === undefined) {
    throw conflict(
      `The key of the connection ${name} was encrypted with another secret key than that of this server. Enter it again, or start the server with the previous TOUCHSTONE_SECRET_KEY`,
    )
  }
  return { id, name, kind, baseUrl, apiKey, models, concurrency, requestsPerMinute }
}
