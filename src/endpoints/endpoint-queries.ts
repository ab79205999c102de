import type { Listing, Page } from '../base/page.ts'
import type { Queries } from '../storage/db.ts'
import { listPage } from '../storage/list-page.ts'
import { deleteScoped, selectScoped, updateScoped } from '../storage/query-building.ts'
import type { Endpoint } from './endpoint-schemas.ts'

/** Never the sealed headers. */
const COLUMNS = [
  'id',
  'name',
  'base_url as baseUrl',
  'header_names as headerNames',
  'concurrency',
  'requests_per_minute as requestsPerMinute',
  'timeout_seconds as timeoutSeconds',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const

export type EndpointRow = Endpoint & {
  workspaceId: string
  /** Null without headers. */
  sealedHeaders: string | null
}

/** An endpoint with its sealed headers, for changing and calling it. */
export type SealedEndpoint = Endpoint & Pick<EndpointRow, 'sealedHeaders'>

export async function listEndpoints(q: Queries, workspaceId: string, page: Page): Promise<Listing<Endpoint>> {
  const endpoints = selectScoped(q, 'endpoints', { workspace_id: workspaceId }).select(COLUMNS).orderBy('id', 'desc')
  const { rows, ...extent } = await listPage(q, endpoints, page)
  return { rows: rows.map(toEndpoint), ...extent }
}

export async function findEndpointById(
  q: Queries,
  workspaceId: string,
  endpointId: string,
): Promise<Endpoint | undefined> {
  const row = await selectScoped(q, 'endpoints', { workspace_id: workspaceId, id: endpointId })
    .select(COLUMNS)
    .executeTakeFirst()
  return row && toEndpoint(row)
}

export async function findSealedEndpoint(
  q: Queries,
  workspaceId: string,
  { column, value }: { column: 'id' | 'name'; value: string },
): Promise<SealedEndpoint | undefined> {
  const row = await selectScoped(q, 'endpoints', { workspace_id: workspaceId })
    .select([...COLUMNS, 'sealed_headers as sealedHeaders'])
    .where(column, '=', value)
    .executeTakeFirst()
  return row && { ...toEndpoint(row), sealedHeaders: row.sealedHeaders }
}

/** Differs once an endpoint was added, changed or deleted. */
export async function readEndpointState(q: Queries, workspaceId: string): Promise<unknown> {
  return selectScoped(q, 'endpoints', { workspace_id: workspaceId })
    .select(['id', 'updated_at'])
    .orderBy('id')
    .execute()
}

/** The endpoints with headers, of all workspaces, ordered by id. */
export async function listSealedHeadersOfAnyWorkspace(q: Queries, { after, limit }: { after: string; limit: number }) {
  const rows = await q
    .selectFrom('endpoints')
    .select(['workspace_id as workspaceId', 'id', 'name', 'sealed_headers as sealed'])
    .where('id', '>', after)
    .where('sealed_headers', 'is not', null)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ sealed, ...endpoint }) => ({ ...endpoint, sealed: sealed ?? '' }))
}

/** False if the headers were changed in the meantime. */
export async function replaceSealedHeaders(
  tx: Queries,
  { workspaceId, id, sealed }: { workspaceId: string; id: string; sealed: string },
  by: string,
): Promise<boolean> {
  const { numUpdatedRows } = await updateScoped(tx, 'endpoints', {
    workspace_id: workspaceId,
    id,
    sealed_headers: sealed,
  })
    .set({ sealed_headers: by })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function findEndpointIdByName(q: Queries, workspaceId: string, name: string): Promise<string | undefined> {
  const row = await selectScoped(q, 'endpoints', { workspace_id: workspaceId, name }).select('id').executeTakeFirst()
  return row?.id
}

export async function countEndpoints(q: Queries, workspaceId: string): Promise<number> {
  const { count } = await selectScoped(q, 'endpoints', { workspace_id: workspaceId })
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function insertEndpoint(tx: Queries, endpoint: EndpointRow): Promise<Endpoint> {
  const row = await tx
    .insertInto('endpoints')
    .values({
      workspace_id: endpoint.workspaceId,
      id: endpoint.id,
      name: endpoint.name,
      base_url: endpoint.baseUrl,
      header_names: JSON.stringify(endpoint.headerNames),
      sealed_headers: endpoint.sealedHeaders,
      concurrency: endpoint.concurrency,
      requests_per_minute: endpoint.requestsPerMinute,
      timeout_seconds: endpoint.timeoutSeconds,
      created_at: endpoint.createdAt,
      updated_at: endpoint.updatedAt,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return toEndpoint(row)
}

export type EndpointChange = {
  [Field in 'name' | 'baseUrl' | 'concurrency' | 'requestsPerMinute' | 'timeoutSeconds']: Endpoint[Field] | undefined
} & {
  /** Undefined keeps the headers. */
  headers: Pick<EndpointRow, 'headerNames' | 'sealedHeaders'> | undefined
  updatedAt: string
}

/** Updates only the given fields. */
export async function updateEndpoint(
  tx: Queries,
  workspaceId: string,
  endpointId: string,
  change: EndpointChange,
): Promise<Endpoint> {
  const row = await updateScoped(tx, 'endpoints', { workspace_id: workspaceId, id: endpointId })
    .set({
      name: change.name,
      base_url: change.baseUrl,
      header_names: change.headers && JSON.stringify(change.headers.headerNames),
      sealed_headers: change.headers?.sealedHeaders,
      concurrency: change.concurrency,
      requests_per_minute: change.requestsPerMinute,
      timeout_seconds: change.timeoutSeconds,
      updated_at: change.updatedAt,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return toEndpoint(row)
}

export async function deleteEndpoint(tx: Queries, workspaceId: string, endpointId: string): Promise<boolean> {
  const { numDeletedRows } = await deleteScoped(tx, 'endpoints', {
    workspace_id: workspaceId,
    id: endpointId,
  }).executeTakeFirst()
  return numDeletedRows > 0n
}

type SelectedRow = Omit<Endpoint, 'headerNames'> & { headerNames: string }

/** Copies field by field, so that other selected columns are not returned. */
function toEndpoint(row: SelectedRow): Endpoint {
  const headerNames: unknown = JSON.parse(row.headerNames)
  return {
    id: row.id,
    name: row.name,
    baseUrl: row.baseUrl,
    headerNames: Array.isArray(headerNames) ? headerNames.map(String) : [],
    concurrency: row.concurrency,
    requestsPerMinute: row.requestsPerMinute,
    timeoutSeconds: row.timeoutSeconds,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}
