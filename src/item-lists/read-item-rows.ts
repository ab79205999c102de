import type { Principal } from '../base/principal.ts'
import { groupAt } from '../datasets/items/group-by-path.ts'
import { findGroupBy } from '../datasets/items/item-group-queries.ts'
import type { DatasetScope } from '../datasets/items/item-queries.ts'
import type { PositionIn } from '../http/query-parameters.ts'
import type { Queries } from '../storage/db.ts'
import { findTraceIds } from '../traces/trace-queries.ts'
import type { ItemSelection, ItemSort } from './item-filters.ts'
import { listItemNumbers, listItemScores } from './item-result-queries.ts'
import { countSelectedItems, listItemRows, type RowSelection, rowCursor } from './item-row-queries.ts'
import { type RunColumns, readRunColumns, resultsByItem } from './read-run-columns.ts'
import { type ItemReads, selectByResult, selectItemIds } from './select-item-ids.ts'

type RowPage = { sort: ItemSort; after: PositionIn<typeof rowCursor> | undefined; limit: number }

/** A page of items with what the newest runs say about them. The number of statements does not depend on the number of items. */
export async function readItemRows(
  reads: ItemReads,
  by: Principal,
  scope: DatasetScope,
  { filter, ...selection }: ItemSelection,
  page: RowPage,
) {
  const { q } = reads
  const columns = await readRunColumns(q, by, scope.datasetId)
  const chosen: RowSelection = { ...selection, ids: filter && (await selectItemIds(reads, by, scope, filter)) }
  const turnedIds = page.sort === 'turned' ? await selectByResult(q, scope.workspaceId, columns, 'turned_to_fail') : []
  const found = await listItemRows(q, scope, { ...chosen, ...page, turnedIds })
  const rows = found.slice(0, page.limit)
  const last = found.length > page.limit ? rows.at(-1) : undefined
  return {
    runs: columns.columns,
    data: await describeRows(q, scope, rows, columns),
    nextCursor: last ? rowCursor.write({ rank: Number(last.rank) === 0 ? 0 : 1, id: last.id }, page.sort) : null,
    total: await countSelectedItems(q, scope, chosen),
  }
}

/** One item as its row; undefined if the dataset does not have it. */
export async function readItemRow(q: Queries, by: Principal, scope: DatasetScope, itemId: string) {
  const columns = await readRunColumns(q, by, scope.datasetId)
  const rows = await listItemRows(q, scope, {
    ids: [itemId],
    sort: 'newest',
    turnedIds: [],
    after: undefined,
    limit: 1,
  })
  const [row] = await describeRows(q, scope, rows, columns)
  return row && { runs: columns.columns, row }
}

type FoundRow = Awaited<ReturnType<typeof listItemRows>>[number]

async function describeRows(q: Queries, scope: DatasetScope, rows: readonly FoundRow[], columns: RunColumns) {
  const { workspaceId } = scope
  const itemIds = rows.map(({ id }) => id)
  const numbers = await listItemNumbers(q, scope, itemIds)
  const refs = rows.flatMap(({ traceRef }) => traceRef ?? [])
  const traceIds = await findTraceIds(q, workspaceId, refs)
  const { groupBy = null } = (await findGroupBy(q, scope)) ?? {}
  const metrics = [columns.before, ...columns.columns].flatMap((column) => column?.metrics ?? [])
  const evaluationIds = [...new Set(metrics.map(({ evaluationId }) => evaluationId))]
  const resultsOf = resultsByItem(columns, await listItemScores(q, { workspaceId, evaluationIds, itemIds }))
  return rows.map(({ id, traceRef, source, parsedMetadata, rank: _, ...row }) => ({
    id,
    number: numbers.get(id) ?? 0,
    input: previewOf(row.input, row.inputLength),
    expected: previewOf(row.expected, row.expectedLength),
    metadata: previewOf(row.metadata, row.metadataLength),
    split: row.split,
    group: (groupBy !== null && groupAt(groupBy, parsedMetadata)) || null,
    source: { kind: source, traceId: traceRef, traceDbId: traceIds.get(traceRef ?? '') ?? null },
    createdAt: row.createdAt,
    changedAt: row.changedAt,
    results: resultsOf(id),
  }))
}

function previewOf(text: string | null, length: number | null) {
  return text === null ? null : { text, length: Number(length) }
}
