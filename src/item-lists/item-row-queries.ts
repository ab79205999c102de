import { type RawBuilder, sql } from 'kysely'
import type { DatasetScope } from '../datasets/items/item-queries.ts'
import type { Split } from '../datasets/splits/split.ts'
import { cursorOf, isId, type PositionIn } from '../http/query-parameters.ts'
import type { Queries } from '../storage/db.ts'
import { containsText, inIdList, likeText } from '../storage/dialect.ts'
import { selectScoped } from '../storage/query-building.ts'
import type { ItemSort, ItemSource } from './item-filters.ts'

const PREVIEW_LENGTH = 200
/** The group of an item with longer metadata is not shown. */
const METADATA_PARSED_MAX = 65_536

/** `ids` and `turnedIds` are lists of the caller: what a filter has found, and what is sorted first. */
export type RowSelection = {
  q?: string | undefined
  split?: Split | 'none' | undefined
  source?: ItemSource | undefined
  ids?: readonly string[] | undefined
}

/** `rank` is 0 for the items that are sorted first. */
export const rowCursor = cursorOf({ rank: isRank, id: isId })

function isRank(value: unknown): value is 0 | 1 {
  return value === 0 || value === 1
}

/** A page of items, one more than the limit. Ids contain the time of their creation. */
export async function listItemRows(
  q: Queries,
  scope: DatasetScope,
  {
    sort,
    turnedIds,
    after,
    limit,
    ...selection
  }: RowSelection & {
    sort: ItemSort
    turnedIds: readonly string[]
    after: PositionIn<typeof rowCursor> | undefined
    limit: number
  },
) {
  const rank: RawBuilder<number> =
    sort === 'turned'
      ? sql<number>`(case when ${inIdList(q, 'i.id', turnedIds)} then 0 else 1 end)`
      : sql<number>`${sql.lit(0)}`
  let rows = selectedItems(q, scope, selection)
  if (after) {
    const isBehind = sql<boolean>`i.id ${sql.raw(sort === 'oldest' ? '>' : '<')} ${after.id}`
    rows = rows.where(
      sort === 'turned'
        ? sql<boolean>`(${rank} > ${after.rank} or (${rank} = ${after.rank} and ${isBehind}))`
        : isBehind,
    )
  }
  const ordered = sort === 'turned' ? rows.orderBy(rank) : rows
  return ordered
    .select(['i.id', 'i.trace_ref as traceRef', 'i.split', 'i.created_at as createdAt', 'i.changed_at as changedAt'])
    .select([
      rank.as('rank'),
      sourceOf().as('source'),
      preview('i.input').as('input'),
      preview('i.expected').as('expected'),
      preview('i.metadata').as('metadata'),
      sql<number | null>`length(i.input)`.as('inputLength'),
      sql<number | null>`length(i.expected)`.as('expectedLength'),
      sql<number | null>`length(i.metadata)`.as('metadataLength'),
      sql<string | null>`case when length(i.metadata) <= ${sql.lit(METADATA_PARSED_MAX)} then i.metadata end`.as(
        'parsedMetadata',
      ),
    ])
    .orderBy('i.id', sort === 'oldest' ? 'asc' : 'desc')
    .limit(limit + 1)
    .execute()
}

export async function countSelectedItems(q: Queries, scope: DatasetScope, selection: RowSelection): Promise<number> {
  const { count } = await selectedItems(q, scope, selection)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Oldest first, at most `limit`. */
export async function listSelectedIds(q: Queries, scope: DatasetScope, selection: RowSelection, limit: number) {
  const rows = await selectedItems(q, scope, selection).select('i.id').orderBy('i.id').limit(limit).execute()
  return rows.map(({ id }) => id)
}

/** How many items each split and each source has. */
export async function countBySplitAndSource(q: Queries, scope: DatasetScope) {
  const rows = await selectedItems(q, scope, {})
    .select(['i.split', sourceOf().as('source')])
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .groupBy(['i.split', sourceOf()])
    .execute()
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

export async function findLastChange(q: Queries, { workspaceId, datasetId }: DatasetScope) {
  return selectScoped(q, 'datasets', { workspace_id: workspaceId, id: datasetId })
    .select(['changed_at as at', 'changed_by as userId'])
    .executeTakeFirst()
}

export async function findItemHistory(q: Queries, { workspaceId, datasetId }: DatasetScope, itemId: string) {
  return selectScoped(q, 'dataset_items', { workspace_id: workspaceId, dataset_id: datasetId, id: itemId })
    .select(['created_by as createdBy', 'changed_at as changedAt', 'changed_by as changedBy'])
    .executeTakeFirst()
}

function selectedItems(q: Queries, { workspaceId, datasetId }: DatasetScope, selection: RowSelection) {
  const { q: needle, split, source, ids } = selection
  let items = q
    .selectFrom('dataset_items as i')
    .where('i.workspace_id', '=', workspaceId)
    .where('i.dataset_id', '=', datasetId)
  if (split !== undefined)
    items = split === 'none' ? items.where('i.split', 'is', null) : items.where('i.split', '=', split)
  if (source !== undefined) items = items.where(sourceOf(), '=', source)
  if (ids !== undefined) items = items.where(inIdList(q, 'i.id', ids))
  if (needle === undefined) return items
  const pattern = likeText(needle)
  return items.where(({ or }) =>
    or([containsText(q, sql.ref('i.input'), pattern), containsText(q, sql.ref('i.expected'), pattern)]),
  )
}

/** An item of a trace that a file named came from the file. */
function sourceOf(): RawBuilder<ItemSource> {
  return sql<ItemSource>`(case when i.import_id is not null then 'import' when i.trace_ref is not null then 'trace'
    else 'hand' end)`
}

function preview(column: string) {
  return sql<string | null>`substr(${sql.ref(column)}, 1, ${sql.lit(PREVIEW_LENGTH)})`
}
