import type { Expression, SqlBool } from 'kysely'
import { findItemsByInputs } from '../../runs/items-by-question.ts'
import { linksWithItems } from '../../runs/run-trace-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { inList } from '../../storage/dialect.ts'
import { selectScoped } from '../../storage/query-building.ts'
import { activeTraces, TRACE_SUMMARY_COLUMNS } from '../../traces/trace-queries.ts'
import { toTraceSummary } from '../../traces/trace-summary.ts'
import type { Rater } from './lease-queries.ts'

export type RunOfDataset = { workspaceId: string; runId: string; datasetId: string }

/** The summaries of the traces that have arrived, by reference. */
export async function listSummaries(q: Queries, workspaceId: string, refs: readonly string[]) {
  const rows = await activeTraces(q)
    .select(TRACE_SUMMARY_COLUMNS)
    .where('t.workspace_id', '=', workspaceId)
    .where(inList(q, 't.trace_id', refs))
    .execute()
  return new Map(rows.map((row) => [row.traceId, toTraceSummary(row)]))
}

type ItemOfTrace = { id: string; expected: string | null; metadata: string | null }

/**
 * The items of traces, by reference. Matched by the link, otherwise by the trace that the item was created from,
 * otherwise by an equal input.
 */
export async function findItemsOfTraces(
  q: Queries,
  { workspaceId, runId, datasetId }: RunOfDataset,
  inputs: ReadonlyMap<string, string | null>,
): Promise<Map<string, ItemOfTrace>> {
  const refs = [...inputs.keys()]
  const isWanted: Expression<SqlBool> = inList(q, 'l.trace_ref', refs)
  const linked = await linksWithItems(q, { workspaceId, runId, datasetId }).where(isWanted).execute()
  const itemIds = new Map(linked.flatMap(({ ref, itemId }) => (itemId === null ? [] : [[ref, itemId] as const])))
  const unmatched = new Map([...inputs].filter(([ref]) => !itemIds.has(ref)))
  for (const [ref, itemId] of await findItemsByInputs(q, { workspaceId, datasetId }, unmatched))
    itemIds.set(ref, itemId)
  if (itemIds.size === 0) return new Map()
  const items = await selectScoped(q, 'dataset_items', { workspace_id: workspaceId, dataset_id: datasetId })
    .select(['id', 'expected', 'metadata'])
    .where('id', 'in', [...new Set(itemIds.values())])
    .execute()
  const byId = new Map(items.map((item) => [item.id, item]))
  const found = new Map<string, ItemOfTrace>()
  for (const [ref, itemId] of itemIds) {
    const item = byId.get(itemId)
    if (item) found.set(ref, item)
  }
  return found
}

/** The comments of the rater, by reference. */
export async function listOwnComments(
  q: Queries,
  { workspaceId, runId, userId }: Rater,
  refs: readonly string[],
): Promise<Map<string, string | null>> {
  const rows = await selectScoped(q, 'annotations', { workspace_id: workspaceId, run_id: runId, user_id: userId })
    .select(['trace_ref as ref', 'comment'])
    .where(inList(q, 'trace_ref', refs))
    .execute()
  return new Map(rows.map(({ ref, comment }) => [ref, comment]))
}
