import { sql } from 'kysely'
import { chunksOf, yieldToEventLoop } from '../base/event-loop.ts'
import type { NewId } from '../base/ids.ts'
import type { Queries } from '../storage/db.ts'
import { asId, lockForShare, textRows } from '../storage/dialect.ts'
import { pagedList } from '../storage/paged-list.ts'
import { prepared } from '../storage/prepared.ts'

const ITEMS_PER_STATEMENT = 500

const COLUMNS = [
  'd.id',
  'd.name',
  'd.description',
  'd.component_id as aiComponentId',
  'd.item_count as itemCount',
  'd.created_at as createdAt',
] as const

/** A dataset is there only while its component is: deleting a component marks that one row and nothing below it. */
function livingDatasets(q: Queries) {
  return q
    .selectFrom('datasets as d')
    .innerJoin('components as c', (join) =>
      join.onRef('c.workspace_id', '=', 'd.workspace_id').onRef('c.id', '=', 'd.component_id'),
    )
    .where('d.deleted_at', 'is', null)
    .where('c.deleted_at', 'is', null)
}

export const findDataset = prepared<{ workspaceId: string; componentId: string; datasetId: string }>()((q, value) =>
  livingDatasets(q)
    .select(COLUMNS)
    .where('d.workspace_id', '=', value('workspaceId'))
    .where('d.component_id', '=', value('componentId'))
    .where('d.id', '=', value('datasetId')),
)

export const listDatasets = pagedList<{ workspaceId: string; componentId: string }>()((q, value) =>
  livingDatasets(q)
    .select(COLUMNS)
    .where('d.workspace_id', '=', value('workspaceId'))
    .where('d.component_id', '=', value('componentId'))
    .where('d.id', '<', value('before'))
    .orderBy('d.id', 'desc')
    .limit(value('limit'))
    .offset(value('offset')),
)

/** Whether a dataset is there, and stays until the end of the transaction, for those who add something to it. */
export async function holdDataset(
  tx: Queries,
  { workspaceId, componentId, datasetId }: { workspaceId: string; componentId: string; datasetId: string },
): Promise<boolean> {
  const query = tx
    .selectFrom('datasets')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('component_id', '=', componentId)
    .where('id', '=', datasetId)
    .where('deleted_at', 'is', null)
  return (await lockForShare(tx, query).executeTakeFirst()) !== undefined
}

export async function insertDataset(
  tx: Queries,
  dataset: {
    workspaceId: string
    id: string
    componentId: string
    name: string
    description: string | null
    itemCount: number
    createdAt: string
  },
): Promise<void> {
  await tx
    .insertInto('datasets')
    .values({
      workspace_id: dataset.workspaceId,
      id: dataset.id,
      component_id: dataset.componentId,
      name: dataset.name,
      description: dataset.description,
      item_count: dataset.itemCount,
      created_at: dataset.createdAt,
      deleted_at: null,
    })
    .execute()
}

/** Adds an item per trace; the references must be distinct. Pauses between chunks, so that other requests go on meanwhile. */
export async function insertTraceItems(
  tx: Queries,
  newId: NewId,
  {
    workspaceId,
    datasetId,
    traceRefs,
    createdAt,
  }: { workspaceId: string; datasetId: string; traceRefs: string[]; createdAt: string },
): Promise<void> {
  for (const chunk of chunksOf(traceRefs, ITEMS_PER_STATEMENT)) {
    const rows = textRows(
      tx,
      ['id', 'trace_ref'],
      chunk.map((traceRef) => [newId(), traceRef]),
    )
    await sql`insert into dataset_items (workspace_id, dataset_id, id, trace_ref, created_at)
      select ${workspaceId}, ${datasetId}, ${asId(tx, 'id')}, trace_ref, ${createdAt} from ${rows} as items`.execute(tx)
    if (chunk.length === ITEMS_PER_STATEMENT) await yieldToEventLoop()
  }
}

export async function markDatasetDeleted(
  tx: Queries,
  {
    workspaceId,
    componentId,
    datasetId,
    deletedAt,
  }: { workspaceId: string; componentId: string; datasetId: string; deletedAt: string },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('datasets')
    .set({ deleted_at: deletedAt })
    .where('workspace_id', '=', workspaceId)
    .where('component_id', '=', componentId)
    .where('id', '=', datasetId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
