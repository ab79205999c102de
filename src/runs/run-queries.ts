import { sql } from 'kysely'
import { chunksOf, yieldToEventLoop } from '../base/event-loop.ts'
import type { Queries } from '../storage/db.ts'
import { lockForShare, textRows } from '../storage/dialect.ts'
import { pagedList } from '../storage/paged-list.ts'
import { prepared } from '../storage/prepared.ts'

const TRACES_PER_STATEMENT = 500

const COLUMNS = [
  'r.id',
  'r.name',
  'r.dataset_id as datasetId',
  'r.component_id as aiComponentId',
  'r.trace_count as traceCount',
  'r.created_at as createdAt',
] as const

/** A run is there only while its dataset and its component are. */
export function livingRuns(q: Queries) {
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
  livingRuns(q)
    .select(COLUMNS)
    .where('r.workspace_id', '=', value('workspaceId'))
    .where('r.component_id', '=', value('componentId'))
    .where('r.id', '=', value('runId')),
)

export const listRuns = pagedList<{ workspaceId: string; componentId: string }>()((q, value) =>
  livingRuns(q)
    .select(COLUMNS)
    .where('r.workspace_id', '=', value('workspaceId'))
    .where('r.component_id', '=', value('componentId'))
    .where('r.id', '<', value('before'))
    .orderBy('r.id', 'desc')
    .limit(value('limit'))
    .offset(value('offset')),
)

/** Whether a run is there, and stays until the end of the transaction, for those who add something to it. */
export async function holdRun(
  tx: Queries,
  { workspaceId, componentId, runId }: { workspaceId: string; componentId: string; runId: string },
): Promise<boolean> {
  const query = livingRuns(tx)
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

/** Links traces to a run; the references must be distinct. Pauses between chunks, so that other requests go on meanwhile. */
export async function insertRunTraces(
  tx: Queries,
  {
    workspaceId,
    runId,
    traceRefs,
    createdAt,
  }: { workspaceId: string; runId: string; traceRefs: string[]; createdAt: string },
): Promise<void> {
  for (const chunk of chunksOf(traceRefs, TRACES_PER_STATEMENT)) {
    const rows = textRows(
      tx,
      ['trace_ref'],
      chunk.map((traceRef) => [traceRef]),
    )
    await sql`insert into run_traces (workspace_id, run_id, trace_ref, created_at)
      select ${workspaceId}, ${runId}, trace_ref, ${createdAt} from ${rows} as traces`.execute(tx)
    if (chunk.length === TRACES_PER_STATEMENT) await yieldToEventLoop()
  }
}

export async function markRunDeleted(
  tx: Queries,
  { workspaceId, runId, deletedAt }: { workspaceId: string; runId: string; deletedAt: string },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('runs')
    .set({ deleted_at: deletedAt })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', runId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
