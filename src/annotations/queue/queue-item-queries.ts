import { hashInput } from '../../datasets/input-hash.ts'
import { findItemsByInput } from '../../runs/run-trace-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { findTraceContents } from '../../traces/trace-contents.ts'
import { activeTraces, TRACE_SUMMARY_COLUMNS } from '../../traces/trace-queries.ts'
import { toTraceSummary } from '../../traces/trace-summary.ts'
import type { Rater } from './lease-queries.ts'

type QueueItemKey = Rater & { datasetId: string; traceRef: string }

/** A trace to be rated, with the expected output of its item. Undefined if the trace was deleted in the meantime. */
export async function readQueueItem(q: Queries, key: QueueItemKey) {
  const { workspaceId, traceRef } = key
  const row = await activeTraces(q)
    .select(TRACE_SUMMARY_COLUMNS)
    .where('t.workspace_id', '=', workspaceId)
    .where('t.trace_id', '=', traceRef)
    .executeTakeFirst()
  if (!row) return undefined
  const content = (await findTraceContents(q, workspaceId, [traceRef])).get(traceRef)
  const { id: traceDbId, ...summary } = toTraceSummary(row)
  const item = await findItemOf(q, key, content?.input ?? null)
  return {
    traceDbId,
    ...summary,
    itemId: item?.id ?? null,
    input: content?.input ?? null,
    output: content?.output ?? null,
    expected: item?.expected ?? null,
    comment: await findOwnComment(q, key),
  }
}

/** Matches the item by the link, otherwise by the trace that the item was created from, otherwise by an equal input. */
async function findItemOf(q: Queries, { datasetId, ...key }: QueueItemKey, input: string | null) {
  const { workspaceId, runId, traceRef } = key
  const items = q
    .selectFrom('dataset_items as i')
    .select(['i.id', 'i.expected'])
    .where('i.workspace_id', '=', workspaceId)
    .where('i.dataset_id', '=', datasetId)
  const linked = await items
    .innerJoin('run_traces as l', (join) =>
      join.onRef('l.workspace_id', '=', 'i.workspace_id').onRef('l.item_id', '=', 'i.id'),
    )
    .where('l.run_id', '=', runId)
    .where('l.trace_ref', '=', traceRef)
    .executeTakeFirst()
  const own = linked ?? (await items.where('i.trace_ref', '=', traceRef).executeTakeFirst())
  if (own || input === null) return own
  const hash = hashInput(input)
  const id = (await findItemsByInput(q, { workspaceId, datasetId }, [hash])).get(hash)
  return id === undefined ? undefined : items.where('i.id', '=', id).executeTakeFirst()
}

async function findOwnComment(
  q: Queries,
  { workspaceId, runId, userId, traceRef }: QueueItemKey,
): Promise<string | null> {
  const own = await q
    .selectFrom('annotations')
    .select('comment')
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
    .where('trace_ref', '=', traceRef)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return own?.comment ?? null
}
