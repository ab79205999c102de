import { sql } from 'kysely'
import type { Queries } from '../../storage/db.ts'
import { inIdList } from '../../storage/dialect.ts'
import { selectScoped } from '../../storage/query-building.ts'
import { bytesOf, tracesWithRoots } from '../../traces/trace-queries.ts'

export type CallItem = { input: string | null; metadata: string | null; traceRef: string | null }

/** By id. Items that were deleted since the trial was created are absent. */
export async function findCallItems(
  q: Queries,
  { workspaceId, datasetId }: { workspaceId: string; datasetId: string },
  ids: readonly string[],
): Promise<Map<string, CallItem>> {
  const rows = await selectScoped(q, 'dataset_items', { workspace_id: workspaceId, dataset_id: datasetId })
    .select(['id', 'input', 'metadata', 'trace_ref as traceRef'])
    .where(inIdList(q, 'id', ids))
    .execute()
  return new Map(rows.map(({ id, ...item }) => [id, item]))
}

/** In bytes, of the items that have an output. */
export async function findOutputLengths(
  q: Queries,
  { workspaceId, datasetId }: { workspaceId: string; datasetId: string },
  ids: readonly string[],
): Promise<Map<string, number>> {
  const rows = await selectScoped(q, 'dataset_items', { workspace_id: workspaceId, dataset_id: datasetId })
    .select(['id', bytesOf('output').as('bytes')])
    .where(inIdList(q, 'id', ids))
    .where('output', 'is not', null)
    .execute()
  return new Map(rows.map(({ id, bytes }) => [id, Number(bytes)]))
}

/** A trace that has arrived, and whether its root is finished; undefined if nothing of it has. */
export async function findCallTrace(q: Queries, workspaceId: string, traceId: string) {
  const row = await tracesWithRoots(q, workspaceId, [traceId])
    .select(['t.id', 'root.end_ns as rootEndNs', 'root.status as rootStatus', 't.cost_usd as costUsd'])
    .executeTakeFirst()
  return row && { hasFinishedRoot: row.rootEndNs !== null, isFailed: row.rootStatus === 'error', costUsd: row.costUsd }
}

/** Whether some item of a dataset was created from a trace. */
export async function hasItemsOfTraces(
  q: Queries,
  { workspaceId, datasetId }: { workspaceId: string; datasetId: string },
): Promise<boolean> {
  const row = await selectScoped(q, 'dataset_items', { workspace_id: workspaceId, dataset_id: datasetId })
    .select('id')
    .where('trace_ref', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The traces that these items were created from, by the ids of the items. */
export async function findTracesOfItems(
  q: Queries,
  { workspaceId, datasetId }: { workspaceId: string; datasetId: string },
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await selectScoped(q, 'dataset_items', { workspace_id: workspaceId, dataset_id: datasetId })
    .select(['id', 'trace_ref as traceRef'])
    .where(inIdList(q, 'id', ids))
    .execute()
  return new Map(rows.flatMap(({ id, traceRef }) => (traceRef === null ? [] : [[id, traceRef]])))
}

/** How long a trace that has arrived was; undefined if it has not. */
export async function findRecordedTrace(
  q: Queries,
  workspaceId: string,
  traceRef: string,
): Promise<{ durationMs: number | null } | undefined> {
  const row = await tracesWithRoots(q, workspaceId, [traceRef])
    .select(sql<number | null>`(root.end_ns - root.start_ns) / 1000000`.as('durationMs'))
    .executeTakeFirst()
  return row && { durationMs: row.durationMs === null ? null : Math.round(Number(row.durationMs)) }
}
