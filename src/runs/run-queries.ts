import { sql } from 'kysely'
import { chunksOf, yieldToEventLoop } from '../base/event-loop.ts'
import type { Queries } from '../storage/db.ts'
import { foldedName, foldText, inList, lockForShare, lockForUpdate, textRows } from '../storage/dialect.ts'
import { insertNewRows } from '../storage/insert-rows.ts'
import { pagedList } from '../storage/paged-list.ts'
import { prepared, selectScoped, updateScoped } from '../storage/query-building.ts'

const TRACES_PER_STATEMENT = 500

const COLUMNS = [
  'r.id',
  'r.name',
  'r.dataset_id as datasetId',
  'r.component_id as aiComponentId',
  'r.trace_count as traceCount',
  'r.created_at as createdAt',
] as const

/** A run is active only while its dataset and its component are. */
export function activeRuns(q: Queries) {
  return q
    .selectFrom('runs as r')
    .innerJoin('datasets as d', (join) =>
      join.onRef('d.workspace_id', '=', 'r.workspace_id').onRef('d.id', '=', 'r.dataset_id'),
    )
    .innerJoin('components as c', (join) =>
      join.onRef('c.workspace_id', '=', 'r.workspace_id').onRef('c.id', '=', 'r.component_id'),
    )
    .where('r.deleted_at', 'is', null)
    .where('d.deleted_at', 'is', null)
    .where('c.deleted_at', 'is', null)
}

export const findRun = prepared<{ workspaceId: string; componentId: string; runId: string }>()((q, value) =>
  activeRuns(q)
    .select(COLUMNS)
    .where('r.workspace_id', '=', value('workspaceId'))
    .where('r.component_id', '=', value('componentId'))
    .where('r.id', '=', value('runId')),
)

export const listRuns = pagedList<{ workspaceId: string; componentId: string }>()((q, value) =>
  activeRuns(q)
    .select(COLUMNS)
    .where('r.workspace_id', '=', value('workspaceId'))
    .where('r.component_id', '=', value('componentId'))
    .orderBy('r.id', 'desc')
    .limit(value('limit'))
    .offset(value('offset')),
)

/** Whether a run exists. Locks it until the end of the transaction, for callers that add rows to it. */
export async function lockRun(
  tx: Queries,
  { workspaceId, componentId, runId }: { workspaceId: string; componentId: string; runId: string },
): Promise<boolean> {
  const query = activeRuns(tx)
    .select('r.id')
    .where('r.workspace_id', '=', workspaceId)
    .where('r.component_id', '=', componentId)
    .where('r.id', '=', runId)
  return (await lockForShare(tx, query).executeTakeFirst()) !== undefined
}

export async function insertRun(
  tx: Queries,
  run: {
    workspaceId: string
    id: string
    componentId: string
    datasetId: string
    name: string | null
    traceCount: number
    createdAt: string
  },
): Promise<void> {
  await tx
    .insertInto('runs')
    .values({
      workspace_id: run.workspaceId,
      id: run.id,
      component_id: run.componentId,
      dataset_id: run.datasetId,
      name: run.name,
      trace_count: run.traceCount,
      created_at: run.createdAt,
      deleted_at: null,
    })
    .execute()
}

/**
 * Links traces to a run, except those that are already linked, and returns how many are new. The references must be distinct. Yields
 * between chunks, so that other requests are not blocked.
 */
export async function insertRunTraces(
  tx: Queries,
  {
    workspaceId,
    runId,
    traceRefs,
    createdAt,
  }: { workspaceId: string; runId: string; traceRefs: string[]; createdAt: string },
): Promise<number> {
  let added = 0
  for (const chunk of chunksOf(traceRefs, TRACES_PER_STATEMENT)) {
    // Links that a span created are now explicit, and stay.
    await updateScoped(tx, 'run_traces', { workspace_id: workspaceId, run_id: runId })
      .set({ from_spans: 0 })
      .where(inList(tx, 'trace_ref', chunk))
      .where('from_spans', '=', 1)
      .execute()
    const rows = textRows(
      tx,
      ['trace_ref'],
      chunk.map((traceRef) => [traceRef]),
    )
    // The condition is always true. Without it, the embedded database would parse ON CONFLICT as part of a join.
    // Counted by what it returns: Citus reports the rows of the selection as affected.
    const { rows: inserted } = await sql`insert into run_traces (workspace_id, run_id, trace_ref, created_at)
      select ${workspaceId}, ${runId}, trace_ref, ${createdAt} from ${rows} as traces where true
      on conflict do nothing returning trace_ref`.execute(tx)
    added += inserted.length
    if (chunk.length === TRACES_PER_STATEMENT) await yieldToEventLoop()
  }
  return added
}

/** As `lockRun`, for callers that update the row itself. Its dataset and component must be locked already. */
export async function lockRunExclusive(
  tx: Queries,
  { workspaceId, runId }: { workspaceId: string; runId: string },
): Promise<boolean> {
  const query = selectScoped(tx, 'runs', { workspace_id: workspaceId, id: runId, deleted_at: null }).select('id')
  return (await lockForUpdate(tx, query).executeTakeFirst()) !== undefined
}

export async function updateTraceCount(
  tx: Queries,
  { workspaceId, runId, added }: { workspaceId: string; runId: string; added: number },
): Promise<void> {
  await updateScoped(tx, 'runs', { workspace_id: workspaceId, id: runId })
    .set(({ eb }) => ({ trace_count: eb('trace_count', '+', added) }))
    .execute()
}

export async function updateRunName(
  tx: Queries,
  { workspaceId, runId, name }: { workspaceId: string; runId: string; name: string | null },
): Promise<boolean> {
  const { numUpdatedRows } = await updateScoped(tx, 'runs', { workspace_id: workspaceId, id: runId, deleted_at: null })
    .set({ name })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function markRunDeleted(
  tx: Queries,
  { workspaceId, runId, deletedAt }: { workspaceId: string; runId: string; deletedAt: string },
): Promise<boolean> {
  const { numUpdatedRows } = await updateScoped(tx, 'runs', { workspace_id: workspaceId, id: runId, deleted_at: null })
    .set({ deleted_at: deletedAt })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Links traces to a run that their spans name, with the items that they are results for. Returns how many are new. */
export async function insertRunTraceItems(
  tx: Queries,
  {
    workspaceId,
    runId,
    links,
    createdAt,
  }: { workspaceId: string; runId: string; links: { traceRef: string; itemId: string | null }[]; createdAt: string },
): Promise<number> {
  const isNew = await insertNewRows(
    tx,
    {
      table: 'run_traces',
      columns: ['workspace_id', 'run_id', 'trace_ref', 'item_id', 'from_spans', 'created_at'],
      rows: links.map(({ traceRef, itemId }) => [workspaceId, runId, traceRef, itemId, 1, createdAt]),
    },
    ['trace_ref'],
  )
  return isNew.filter(Boolean).length
}

type RunPlace = { workspaceId: string; componentId: string; datasetId: string | undefined }

/** Finds a run of a component, in one dataset or in any. */
export async function findRunById(
  q: Queries,
  { workspaceId, componentId, datasetId, id }: RunPlace & { id: string },
): Promise<{ id: string; datasetId: string } | undefined> {
  const runs = activeRuns(q)
    .select(['r.id', 'r.dataset_id as datasetId'])
    .where('r.workspace_id', '=', workspaceId)
    .where('r.component_id', '=', componentId)
    .where('r.id', '=', id.toLowerCase())
  return (datasetId === undefined ? runs : runs.where('r.dataset_id', '=', datasetId)).executeTakeFirst()
}

/** Finds a run by name, in one dataset or in any: the exact name, or else the oldest whose name differs only in case. */
export async function findRunByName(
  q: Queries,
  { workspaceId, componentId, datasetId, name }: RunPlace & { name: string },
): Promise<{ id: string; datasetId: string } | undefined> {
  const runs = activeRuns(q)
    .select(['r.id', 'r.name', 'r.dataset_id as datasetId'])
    .where('r.workspace_id', '=', workspaceId)
    .where('r.component_id', '=', componentId)
    .where('r.id', 'in', (inner) =>
      inner
        .selectFrom('runs as n')
        .select('n.id')
        .where('n.workspace_id', '=', workspaceId)
        .where('n.component_id', '=', componentId)
        .where(foldedName(q, 'n.name'), '=', foldText(name)),
    )
    .orderBy('r.id')
  const found = await (datasetId === undefined ? runs : runs.where('r.dataset_id', '=', datasetId)).execute()
  return found.find((run) => run.name === name) ?? found[0]
}
