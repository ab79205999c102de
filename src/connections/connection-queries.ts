import { sql } from 'kysely'
import type { Listing, Page } from '../base/page.ts'
import type { ProviderKind } from '../llm/chat.ts'
import type { Queries } from '../storage/db.ts'
import { listPage } from '../storage/list-page.ts'
import { deleteScoped, selectScoped, updateScoped } from '../storage/query-building.ts'
import type { Connection, Retirement } from './connection-schemas.ts'

/** Contains whether there is a key, but never the sealed key. */
const COLUMNS = [
  'id',
  'name',
  'kind',
  'base_url as baseUrl',
  sql<unknown>`sealed_key is not null`.as('hasKey'),
  'models',
  'retirements',
  'concurrency',
  'requests_per_minute as requestsPerMinute',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const

function storedRetirements(retirements: readonly Retirement[]): string | null {
  return retirements.length === 0 ? null : JSON.stringify(retirements)
}

export type ConnectionRow = {
  workspaceId: string
  id: string
  name: string
  kind: ProviderKind
  baseUrl: string
  sealedKey: string | null
  models: readonly string[]
  retirements: readonly Retirement[]
  concurrency: number
  requestsPerMinute: number | null
  createdAt: string
  updatedAt: string
}

export async function listConnections(q: Queries, workspaceId: string, page: Page): Promise<Listing<Connection>> {
  const connections = selectScoped(q, 'model_connections', { workspace_id: workspaceId })
    .select(COLUMNS)
    .orderBy('id', 'desc')
  const { rows, ...extent } = await listPage(q, connections, page)
  return { rows: rows.map(toConnection), ...extent }
}

export async function findConnectionById(
  q: Queries,
  workspaceId: string,
  connectionId: string,
): Promise<Connection | undefined> {
  const row = await selectScoped(q, 'model_connections', { workspace_id: workspaceId, id: connectionId })
    .select(COLUMNS)
    .executeTakeFirst()
  return row && toConnection(row)
}

/** With its sealed key, for calling the model. */
export async function findSealedConnection(
  q: Queries,
  workspaceId: string,
  { column, value }: { column: 'id' | 'name'; value: string },
) {
  const row = await selectScoped(q, 'model_connections', { workspace_id: workspaceId })
    .select([...COLUMNS, 'sealed_key as sealedKey'])
    .where(column, '=', value)
    .executeTakeFirst()
  return row && { ...toConnection(row), sealedKey: row.sealedKey }
}

/** The connections with a key, of all workspaces, ordered by id. */
export async function listSealedKeysOfAnyWorkspace(q: Queries, { after, limit }: { after: string; limit: number }) {
  const rows = await q
    .selectFrom('model_connections')
    .select(['workspace_id as workspaceId', 'id', 'name', 'sealed_key as sealed'])
    .where('id', '>', after)
    .where('sealed_key', 'is not', null)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ sealed, ...connection }) => ({ ...connection, sealed: sealed ?? '' }))
}

/** False if the key was changed in the meantime. */
export async function replaceSealedKey(
  tx: Queries,
  { workspaceId, id, sealed }: { workspaceId: string; id: string; sealed: string },
  by: string,
): Promise<boolean> {
  const { numUpdatedRows } = await updateScoped(tx, 'model_connections', {
    workspace_id: workspaceId,
    id,
    sealed_key: sealed,
  })
    .set({ sealed_key: by })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function findConnectionIdByName(
  q: Queries,
  workspaceId: string,
  name: string,
): Promise<string | undefined> {
  const row = await selectScoped(q, 'model_connections', { workspace_id: workspaceId, name })
    .select('id')
    .executeTakeFirst()
  return row?.id
}

/** The models of the connection of this name, and when they end. */
export async function findModelsByName(q: Queries, workspaceId: string, name: string) {
  const row = await selectScoped(q, 'model_connections', { workspace_id: workspaceId, name })
    .select(COLUMNS)
    .executeTakeFirst()
  if (!row) return undefined
  const { models, retirements } = toConnection(row)
  return { models, retirements }
}

export async function countConnections(q: Queries, workspaceId: string): Promise<number> {
  const { count } = await selectScoped(q, 'model_connections', { workspace_id: workspaceId })
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function insertConnection(tx: Queries, connection: ConnectionRow): Promise<Connection> {
  const row = await tx
    .insertInto('model_connections')
    .values({
      workspace_id: connection.workspaceId,
      id: connection.id,
      name: connection.name,
      kind: connection.kind,
      base_url: connection.baseUrl,
      sealed_key: connection.sealedKey,
      models: JSON.stringify(connection.models),
      retirements: storedRetirements(connection.retirements),
      concurrency: connection.concurrency,
      requests_per_minute: connection.requestsPerMinute,
      created_at: connection.createdAt,
      updated_at: connection.updatedAt,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return toConnection(row)
}

export type ConnectionChange = {
  name: string | undefined
  kind: ProviderKind | undefined
  baseUrl: string | undefined
  /** Undefined keeps the key; null removes it. */
  sealedKey: string | null | undefined
  models: readonly string[] | undefined
  retirements: readonly Retirement[] | undefined
  concurrency: number | undefined
  requestsPerMinute: number | null | undefined
  updatedAt: string
}

/** Updates only the given fields. */
export async function updateConnection(
  tx: Queries,
  workspaceId: string,
  connectionId: string,
  change: ConnectionChange,
): Promise<Connection> {
  const row = await updateScoped(tx, 'model_connections', { workspace_id: workspaceId, id: connectionId })
    .set({
      name: change.name,
      kind: change.kind,
      base_url: change.baseUrl,
      sealed_key: change.sealedKey,
      models: change.models && JSON.stringify(change.models),
      retirements: change.retirements && storedRetirements(change.retirements),
      concurrency: change.concurrency,
      requests_per_minute: change.requestsPerMinute,
      updated_at: change.updatedAt,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return toConnection(row)
}

export async function deleteConnection(tx: Queries, workspaceId: string, connectionId: string): Promise<boolean> {
  const { numDeletedRows } = await deleteScoped(tx, 'model_connections', {
    workspace_id: workspaceId,
    id: connectionId,
  }).executeTakeFirst()
  return numDeletedRows > 0n
}

type SelectedRow = Omit<Connection, 'hasKey' | 'models' | 'retirements'> & {
  hasKey: unknown
  models: string
  retirements: string | null
}

/** Copies field by field, so that other selected columns are not returned. */
function toConnection(row: SelectedRow): Connection {
  const models: unknown = JSON.parse(row.models)
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    baseUrl: row.baseUrl,
    hasKey: Boolean(row.hasKey),
    models: Array.isArray(models) ? models.map(String) : [],
    retirements: row.retirements === null ? [] : JSON.parse(row.retirements),
    concurrency: row.concurrency,
    requestsPerMinute: row.requestsPerMinute,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}
