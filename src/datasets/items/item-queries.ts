import { sql } from 'kysely'
import { chunksOf, yieldToEventLoop } from '../../base/event-loop.ts'
import type { Listing, Page } from '../../base/page.ts'
import type { Queries } from '../../storage/db.ts'
import { inIdList, inList, lockForUpdate, readBy } from '../../storage/dialect.ts'
import { listPage } from '../../storage/list-page.ts'
import { deleteScoped, prepared, selectScoped, updateScoped } from '../../storage/query-building.ts'
import { bytesOf } from '../../traces/trace-queries.ts'
import { activeDatasets, type ItemChange } from '../dataset-queries.ts'
import type { Split } from '../splits/split.ts'
import { FOLLOWS_INPUT, FOLLOWS_OUTPUT, type ItemContent } from './item-content.ts'

const IDS_PER_STATEMENT = 500

export type DatasetScope = { workspaceId: string; componentId: string; datasetId: string }

/** With the user who changes items; without one if spans do. */
export type ChangingScope = DatasetScope & { userId?: string }

export type Item = {
  id: string
  datasetId: string
  traceDbId: string | null
  traceId: string | null
  input: string | null
  output: string | null
  expected: string | null
  metadata: Record<string, unknown>
  split: Split | null
  createdAt: string
}

/** The ids of a page, newest first, because ids contain the time of their creation, with the size of each item in bytes. */
export async function listItemSizes(
  q: Queries,
  { limit, offset, split, ...scope }: DatasetScope & Page & { split?: Split | undefined },
): Promise<Listing & { rows: { id: string; bytes: number }[] }> {
  const items = activeItems(q, scope)
  const sizes = (split === undefined ? items : items.where('i.split', '=', split))
    .select(['i.id', bytesOf('i.input', 'i.output', 'i.expected', 'i.metadata').as('bytes')])
    .orderBy('i.id', 'desc')
  return listPage(q, sizes, { limit, offset })
}

/** Oldest first, after `after`. The cost of a page does not depend on how many come before it. */
export async function listItemsAfter(
  q: Queries,
  { after, limit, ...scope }: DatasetScope & { after: string; limit: number },
): Promise<Item[]> {
  const page = itemsOf(q, scope).where('i.id', '>', after).orderBy('i.id').limit(limit)
  const rows = await withTraces(q, page).orderBy('p.id').execute()
  return rows.map(toItem)
}

export async function findItem(q: Queries, { itemId, ...scope }: DatasetScope & { itemId: string }) {
  const row = await withTraces(q, itemsOf(q, scope).where('i.id', '=', itemId)).executeTakeFirst()
  return row && toItem(row)
}

/** Unordered. */
export async function findItemsById(q: Queries, scope: DatasetScope, ids: readonly string[]): Promise<Item[]> {
  const items: Item[] = []
  for (const chunk of chunksOf(ids, IDS_PER_STATEMENT)) {
    const rows = await withTraces(q, itemsOf(q, scope).where('i.id', 'in', chunk)).execute()
    items.push(...rows.map(toItem))
  }
  return items
}

/** Unordered. */
export async function findItemsByTrace(q: Queries, scope: DatasetScope, refs: readonly string[]): Promise<Item[]> {
  const items: Item[] = []
  for (const chunk of chunksOf(refs, IDS_PER_STATEMENT)) {
    const rows = await withTraces(q, itemsOf(q, scope).where(inList(q, 'i.trace_ref', chunk))).execute()
    items.push(...rows.map(toItem))
  }
  return items
}

type ContentChange = Partial<Pick<ItemContent, 'input' | 'output' | 'expected' | 'metadata' | 'split'>> & CaseChange

/** Columns of the item that only its case shows. */
export type CaseChange = { case_index?: number | null; case_form?: number | null }

/** Updates the given fields and keeps the others; false if the item does not exist. */
export async function updateItem(
  tx: Queries,
  { workspaceId, datasetId, itemId }: DatasetScope & { itemId: string },
  change: ContentChange & { inputHash?: string | null; by: ItemChange },
): Promise<boolean> {
  const { inputHash, by, ...content } = change
  // Content that a user has set is no longer replaced by content of the trace.
  const kept = (content.input === undefined ? FOLLOWS_INPUT : 0) | (content.output === undefined ? FOLLOWS_OUTPUT : 0)
  const { numUpdatedRows } = await updateScoped(tx, 'dataset_items', {
    workspace_id: workspaceId,
    dataset_id: datasetId,
    id: itemId,
  })
    .set({
      ...content,
      ...(inputHash === undefined ? {} : { input_hash: inputHash }),
      provisional: sql<number>`provisional & ${sql.lit(kept)}`,
      from_spans: 0,
      changed_at: by.at,
      changed_by: by.userId,
    })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Marks the items of these traces as explicit, and not only created because a span named the dataset. */
export async function keepItems(tx: Queries, { workspaceId, datasetId }: DatasetScope, refs: string[]): Promise<void> {
  for (const chunk of chunksOf(refs, IDS_PER_STATEMENT)) {
    await updateScoped(tx, 'dataset_items', { workspace_id: workspaceId, dataset_id: datasetId })
      .set({ from_spans: 0 })
      .where(inList(tx, 'trace_ref', chunk))
      .where('from_spans', '=', 1)
      .execute()
  }
}

export async function deleteItem(
  tx: Queries,
  { workspaceId, datasetId, itemId }: DatasetScope & { itemId: string },
): Promise<boolean> {
  const { numDeletedRows } = await deleteScoped(tx, 'dataset_items', {
    workspace_id: workspaceId,
    dataset_id: datasetId,
    id: itemId,
  }).executeTakeFirst()
  return numDeletedRows > 0n
}

/** An item is active only while its dataset is. */
function activeItems(q: Queries, { workspaceId, componentId, datasetId }: DatasetScope) {
  return activeDatasets(q)
    .innerJoin('dataset_items as i', (join) =>
      join.onRef('i.workspace_id', '=', 'd.workspace_id').onRef('i.dataset_id', '=', 'd.id'),
    )
    .where('d.workspace_id', '=', workspaceId)
    .where('d.component_id', '=', componentId)
    .where('d.id', '=', datasetId)
}

function itemsOf(q: Queries, scope: DatasetScope) {
  return activeItems(q, scope).select([
    'i.workspace_id',
    'i.id',
    'i.dataset_id',
    'i.trace_ref',
    'i.input',
    'i.output',
    'i.expected',
    'i.metadata',
    'i.split',
    'i.created_at',
  ])
}

/** Joins traces after the page is selected. Otherwise they would also be looked up for the rows that the offset skips. */
function withTraces(q: Queries, page: ReturnType<typeof itemsOf>) {
  return q
    .selectFrom(page.as('p'))
    .leftJoin('traces as t', (join) =>
      join
        .onRef('t.workspace_id', '=', 'p.workspace_id')
        .onRef('t.trace_id', '=', 'p.trace_ref')
        .on('t.deleted_at', 'is', null),
    )
    .select([
      'p.id',
      'p.dataset_id',
      'p.trace_ref',
      't.id as trace_db_id',
      'p.input',
      'p.output',
      'p.expected',
      'p.metadata',
      'p.split',
      'p.created_at',
    ])
}

type ItemRow = Omit<ItemContent, 'traceRef'> & {
  id: string
  dataset_id: string
  trace_ref: string | null
  trace_db_id: string | null
  created_at: string
}

/** A trace that has not arrived yet has no id of ours. Until then, the reference is returned. */
function toItem(row: ItemRow): Item {
  const { id, input, output, expected } = row
  return {
    id,
    datasetId: row.dataset_id,
    traceDbId: row.trace_db_id ?? row.trace_ref,
    traceId: row.trace_ref,
    input,
    output,
    expected,
    metadata: row.metadata === null ? {} : JSON.parse(row.metadata),
    split: row.split,
    createdAt: row.created_at,
  }
}

/** Which of these items a dataset has. */
export async function findItemIds(
  q: Queries,
  { workspaceId, datasetId }: { workspaceId: string; datasetId: string },
  ids: readonly string[],
): Promise<Set<string>> {
  const found = new Set<string>()
  for (const chunk of chunksOf(ids, IDS_PER_STATEMENT)) {
    const rows = await selectScoped(q, 'dataset_items', { workspace_id: workspaceId, dataset_id: datasetId })
      .select('id')
      .where('id', 'in', chunk)
      .execute()
    for (const { id } of rows) found.add(id)
  }
  return found
}

/** Which of these inputs, given by their hashes, a dataset has items for, excluding the given items. */
export async function findItemHashes(
  q: Queries,
  { workspaceId, datasetId }: { workspaceId: string; datasetId: string },
  hashes: readonly string[],
  exceptIds: ReadonlySet<string> = new Set(),
): Promise<Set<string>> {
  const found = new Set<string>()
  for (const chunk of chunksOf(hashes, IDS_PER_STATEMENT)) {
    const rows = await selectScoped(q, 'dataset_items', { workspace_id: workspaceId, dataset_id: datasetId })
      .select(['id', 'input_hash'])
      .where(inList(q, 'input_hash', chunk))
      .execute()
    for (const { id, input_hash } of rows) if (input_hash !== null && !exceptIds.has(id)) found.add(input_hash)
  }
  return found
}

/** An item with content that follows its trace. */
export type FollowingItem = { dataset_id: string; id: string; provisional: number }

/** Locks the items between the read and the write. All transactions lock in the same order, so that they never deadlock. */
export function lockFollowingItems(tx: Queries, workspaceId: string, traceIds: string[]) {
  return lockItemsOfTraces(tx, { workspaceId, traceIds })
}

const lockItemsOfTraces = prepared<{ workspaceId: string; traceIds: readonly string[] }>()((q, value) =>
  lockForUpdate(
    q,
    q
      .selectFrom(readBy(q, { table: 'dataset_items', alias: 'i', index: 'dataset_items_of_trace' }))
      .select(['dataset_id', 'id', 'trace_ref', 'provisional'])
      .where('workspace_id', '=', value('workspaceId'))
      .where(inList(q, 'trace_ref', value('traceIds')))
      .where('provisional', '>', 0)
      .orderBy('id'),
  ),
)

export async function updateFollowingItem(
  tx: Queries,
  workspaceId: string,
  { dataset_id, id }: FollowingItem,
  change: { input?: string; input_hash?: string; output?: string; provisional: number },
): Promise<void> {
  await updateScoped(tx, 'dataset_items', { workspace_id: workspaceId, dataset_id, id }).set(change).execute()
}

/** Returns how many there were. Others are served between the statements. */
export async function deleteItemsById(
  tx: Queries,
  { workspaceId, datasetId }: Pick<DatasetScope, 'workspaceId' | 'datasetId'>,
  ids: readonly string[],
): Promise<number> {
  let deleted = 0
  for (const chunk of chunksOf(ids, IDS_PER_STATEMENT)) {
    const { numDeletedRows } = await deleteScoped(tx, 'dataset_items', {
      workspace_id: workspaceId,
      dataset_id: datasetId,
    })
      .where(inIdList(tx, 'id', chunk))
      .executeTakeFirst()
    deleted += Number(numDeletedRows)
    await yieldToEventLoop()
  }
  return deleted
}
